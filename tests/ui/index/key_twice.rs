// An index that names one key twice.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(author, -author))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
}

fn main() {}
