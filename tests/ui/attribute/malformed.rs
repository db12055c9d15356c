// An attribute that is no list of words.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(collection: "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(unique sparse)]
    author: String,
}

fn main() {}
