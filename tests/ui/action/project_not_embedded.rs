// A projection to a type that does not derive `Embedded`.

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

#[derive(Serialize, Deserialize)]
struct Title {
    title: String,
}

async fn example(posts: Collection<Post>) -> odm::Result<()> {
    let titles = posts.find(Filter::new()).project::<Title>().await?;
    Ok(())
}

fn main() {}
