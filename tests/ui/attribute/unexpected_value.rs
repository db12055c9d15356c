// Values for attributes that take none.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(opaque = true)]
    data: (i32, i32),
    #[odm(unique = "yes")]
    slug: String,
    #[odm(index = "author_1")]
    author: String,
}

fn main() {}
