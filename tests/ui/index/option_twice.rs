// An option twice.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(author, unique, unique, name = "a", name = "b"))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
}

fn main() {}
