// Many mistakes in one struct: all are shown, each where it was made.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(colection = "posts", schema_version = "")]
#[odm(index(author, author))]
struct Post {
    id: i32,
    #[odm(uniqe)]
    author: String,
    #[serde(rename = "$title")]
    title: String,
    #[serde(rename = "author")]
    writer: String,
    #[odm(ttl = "soon")]
    when: std::time::Duration,
}

fn popular() -> Filter<Post> {
    Post::fields().title().eq(3)
}

fn main() {}
