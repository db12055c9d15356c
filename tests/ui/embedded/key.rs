// Keys that cannot tell the elements of a list apart, each with its cure.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct Line {
    sku: String,
    price: f64,
    note: Option<String>,
}

#[derive(Serialize, Deserialize, Document)]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(embedded(key = "skuu"))]
    no_such_field: Vec<Line>,
    #[odm(embedded(key = "price"))]
    by_float: Vec<Line>,
    #[odm(embedded(key = "note"))]
    by_optional: Vec<Line>,
    #[odm(embedded(key = "sku"))]
    no_list: Line,
    #[odm(embedded(key = "sku"))]
    no_documents: Vec<String>,
}

fn main() {}
