// Partial filters with operators that the server refuses there.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(
    index(votes, partial = |p| p.votes().ne(3)),
    index(-votes, partial = |p| !p.votes().gt(3)),
    index(tags, partial = |p| p.votes().gt(3) & p.tags().size(2)),
    index(author, partial = |p| p.author().exists(false) | p.author().is_none())
)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    votes: i32,
    tags: Vec<String>,
    author: Option<String>,
}

fn main() {}
