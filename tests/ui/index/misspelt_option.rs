// Options of indexes that do not exist.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(author, spars), index(author, nam = "by_author"), index(author, desc))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(index(uniqe))]
    author: String,
}

fn main() {}
