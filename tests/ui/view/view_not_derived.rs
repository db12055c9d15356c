// A projection to a type that does not derive `View`.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    votes: Option<u32>,
    #[serde(rename = "au")]
    author: String,
    comments: Vec<Comment>,
    #[serde(flatten)]
    meta: Meta,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Meta {
    lang: String,
}

#[derive(Deserialize)]
struct Title {
    title: String,
}

async fn example(posts: Collection<Post>) -> odm::Result<()> {
    posts.find(Filter::new()).project::<Title>().await?;
    Ok(())
}

fn main() {}
