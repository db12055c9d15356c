// A sort by a positional path, which is for updates.

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
    posts
        .find(Filter::new())
        .sort(Post::fields().comments().matched().likes().desc())
        .await?;
    Ok(())
}

fn main() {}
