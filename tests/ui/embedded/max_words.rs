// A bound is a number of elements.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(embedded(max = "3"))]
    text: Vec<String>,
    #[odm(embedded(max = 0))]
    nothing: Vec<String>,
    #[odm(embedded(max))]
    no_number: Vec<String>,
    #[odm(embedded(maximum = 3))]
    misspelt: Vec<String>,
}

fn main() {}
