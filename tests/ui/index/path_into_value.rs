// An index on a path that goes on behind a value.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(author.length))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
}

fn main() {}
