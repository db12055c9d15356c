// Appending to a list in elements without saying in which.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    threads: Vec<Thread>,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Thread {
    replies: Vec<String>,
}

fn example() -> Update<Post> {
    let p = Post::fields();
    p.threads().replies().push("jane")
}

fn main() {}
