// A model with type parameters.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post<T> {
    #[serde(rename = "_id")]
    id: i32,
    data: T,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Pair<T> {
    first: T,
    second: T,
}

fn main() {}
