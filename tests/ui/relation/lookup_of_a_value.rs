// A lookup follows a field that is not a reference.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
}

fn find(posts: Collection<Post>) {
    let _ = posts.find(Filter::new()).lookup(Post::fields().author());
}

fn main() {}
