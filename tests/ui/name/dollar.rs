// A stored name that begins with a dollar sign, as operators do.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "$ref")]
    reference: String,
}

fn main() {}
