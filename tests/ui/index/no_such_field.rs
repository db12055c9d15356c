// An index on a field that does not exist.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(autor))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
}

fn main() {}
