// An index without a key.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(), index(unique))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(index)]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
}

fn main() {}
