//! A lookup joins after the filter: a condition on a field of the target is one on another collection.

use odm::Ref;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: String,
    karma: i32,
}

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: Ref<User>,
}

fn main() {
    let _ = Post::fields().author().karma().gt(3);
}
