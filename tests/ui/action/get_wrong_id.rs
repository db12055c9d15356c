// An `_id` of another type than the model's.

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

async fn example(posts: Collection<Post>) -> odm::Result<()> {
    posts.get("4f1a").await?;
    Ok(())
}

fn main() {}
