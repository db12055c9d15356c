// A TTL index with two keys.

use odm::bson::DateTime;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(author, when, ttl = "30d"))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
    when: DateTime,
}

fn main() {}
