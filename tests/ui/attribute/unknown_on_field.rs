// An attribute of a field that does not exist.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(indexed)]
    author: String,
}

fn main() {}
