// A struct with a tag, which no field declares.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[serde(tag = "kind")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
