// Names that no index can have.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(index(name = ""))]
    author: String,
    #[odm(index(name = "_id_"))]
    votes: i32,
}

fn main() {}
