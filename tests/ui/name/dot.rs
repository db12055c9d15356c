// A stored name with a dot, which separates the names of a path.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "author.name")]
    author: String,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Comment {
    #[serde(rename = "likes.count")]
    likes: i32,
}

fn main() {}
