// Partial filters that are no closures of one path.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(
    index(votes, -id, partial = "votes > 3"),
    index(-votes, partial = |p, q| p.votes().gt(3))
)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(partial)]
    votes: i32,
}

fn main() {}
