// A field without a stored name, and a version without one.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 1, version_field = "")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "")]
    author: String,
}

fn main() {}
