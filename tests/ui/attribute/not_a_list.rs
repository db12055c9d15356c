// The attribute without its list.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm = "posts"]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm]
    author: String,
}

fn main() {}
