// A document of another model than the collection's.

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

#[derive(Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: String,
}

async fn example(posts: Collection<Post>) -> odm::Result<()> {
    posts.insert_one(&User { id: String::new() }).await?;
    Ok(())
}

fn main() {}
