// A value moved to a field of another type.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    title: Option<String>,
    votes: Option<i32>,
}

fn example() -> Update<Post> {
    let p = Post::fields();
    p.title().rename(&p.votes())
}

fn main() {}
