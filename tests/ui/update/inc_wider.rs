// Adding an `i64` to a field that is stored in 32 bits.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    votes: u32,
    tags: Vec<String>,
    comments: Vec<Comment>,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
    likes: i32,
}

fn example(likes: i64) -> Update<Post> {
    Post::fields().comments().at(0).likes().inc(likes)
}

fn main() {}
