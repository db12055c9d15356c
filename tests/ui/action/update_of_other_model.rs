// An update of one model given to the collection of another.

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
    id: i32,
    name: String,
}

async fn example(posts: Collection<Post>) -> odm::Result<()> {
    posts
        .update_one(Post::fields().id().eq(1), User::fields().name().set("Alex"))
        .await?;
    Ok(())
}

fn main() {}
