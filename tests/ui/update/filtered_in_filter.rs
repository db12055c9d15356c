// Elements by a named condition are for updates, not for filters.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    scores: Vec<i32>,
}

fn example() -> Filter<Post> {
    let p = Post::fields();
    p.scores().filtered("high", |score| score.gt(9)).eq(1)
}

fn main() {}
