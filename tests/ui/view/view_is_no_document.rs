// A view has no way back into the collection, and is read by a find of its model alone.

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

#[derive(Deserialize, View)]
#[odm(of = Post)]
struct Title {
    title: String,
}

#[derive(Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: i32,
}

async fn insert(posts: Collection<Post>, title: Title) -> odm::Result<()> {
    posts.insert_one(&title).await?;
    Ok(())
}

async fn replace(posts: Collection<Post>, title: Title) -> odm::Result<()> {
    posts.replace_one(Filter::new(), &title).await?;
    Ok(())
}

async fn read(users: Collection<User>) -> odm::Result<()> {
    users.find(Filter::new()).project::<Title>().await?;
    Ok(())
}

fn main() {}
