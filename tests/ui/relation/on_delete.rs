// Rules that cannot be kept, each with its cure.
use odm::Ref;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Publisher {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "cascades")]
    publisher: Ref<Publisher>,
    #[odm(on_delete = "restrict", opaque)]
    other: Ref<Publisher>,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Line {
    #[odm(on_delete = "restrict")]
    publisher: Ref<Publisher>,
}

fn main() {}
