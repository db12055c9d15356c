// A prefix of embedded documents.

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

fn example() -> Filter<Post> {
    let p = Post::fields();
    p.comments().starts_with("j")
}

fn main() {}
