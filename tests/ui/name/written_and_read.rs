// A field that is written under one name and read under another.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename(serialize = "author", deserialize = "writer"))]
    author: String,
}

fn main() {}
