// The inner lookup is a path of another model than the one referred to.
use odm::Ref;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: String,
}

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: Ref<User>,
    reviewer: Ref<User>,
}

fn main() {
    let p = Post::fields();
    let _ = p.author().lookup(p.reviewer());
}
