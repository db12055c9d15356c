// Bits of a number that is not an integer.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    rating: f64,
}

fn example() -> Update<Post> {
    let p = Post::fields();
    p.rating().bit_or(1)
}

fn main() {}
