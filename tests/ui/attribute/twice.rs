// The same attribute twice, in one list and in two.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(collection = "posts", collection = "articles")]
#[odm(schema_version = 1)]
#[odm(schema_version = 2)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(index, index)]
    author: String,
    #[odm(unique, unique)]
    slug: String,
    #[odm(opaque)]
    #[odm(opaque)]
    data: (i32, i32),
}

fn main() {}
