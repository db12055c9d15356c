// Two fields that are stored under one name.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
    #[serde(rename = "author")]
    writer: String,
}

fn main() {}
