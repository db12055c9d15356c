// Bounds that cannot be kept, each with its cure.
use odm::Ref;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(embedded(max = 3))]
    no_list: String,
    #[odm(embedded(max = 3))]
    references: Vec<Ref<Order>>,
}

fn main() {}
