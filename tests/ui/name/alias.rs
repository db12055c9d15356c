// An alias that is the stored name of another field.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
    #[serde(alias = "author")]
    writer: String,
}

fn main() {}
