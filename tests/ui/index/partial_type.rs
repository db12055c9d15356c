// A partial filter that compares a number with a string, and one that is no filter.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(
    index(votes, partial = |p| p.votes().gt("3")),
    index(-votes, partial = |p| p.votes())
)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    votes: i32,
}

fn main() {}
