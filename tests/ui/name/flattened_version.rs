// A flattened field of which a field has the name of the version.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct Meta {
    schema_version: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 2)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(flatten)]
    meta: Meta,
}

fn main() {}
