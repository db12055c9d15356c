// A flattened field that is not stored as a document.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(flatten)]
    votes: i32,
}

#[derive(Serialize, Deserialize, Document)]
struct Page {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(flatten)]
    tags: Vec<Tag>,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Tag {
    name: String,
}

fn main() {}
