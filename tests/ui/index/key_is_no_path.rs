// A key that is no path.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index("author"))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
}

fn main() {}
