// Options that need a value, without one.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(author, ttl), index(author, name))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(ttl)]
    author: String,
}

fn main() {}
