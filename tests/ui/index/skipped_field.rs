// Indexes on a field that is not stored.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(other))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(skip)]
    #[odm(index)]
    cache: String,
    #[serde(skip)]
    other: String,
}

fn main() {}
