// What `embedded` takes, and where.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct Line {
    sku: String,
}

#[derive(Serialize, Deserialize, Document)]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(embedded)]
    alone: Vec<Line>,
    #[odm(embedded())]
    empty: Vec<Line>,
    #[odm(embedded(keys = "sku"))]
    misspelt: Vec<Line>,
    #[odm(embedded(key = 3))]
    no_name: Vec<Line>,
    #[odm(embedded(key = "part.sku"))]
    inside: Vec<Line>,
    #[odm(embedded(key = "sku", key = "sku"))]
    twice: Vec<Line>,
    #[odm(embedded(key = "sku"), opaque)]
    opaque: Vec<Line>,
}

fn main() {}
