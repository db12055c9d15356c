// An index that is sparse and partial at once.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(votes, sparse, partial = |p| p.votes().gt(3)))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    votes: i32,
}

fn main() {}
