// The server's time in a field of text.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    edited: String,
}

fn example() -> Update<Post> {
    let p = Post::fields();
    p.edited().current_date()
}

fn main() {}
