// A schema version that is neither a 32-bit number nor a label.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 2.5)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 3000000000)]
struct User {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = "")]
struct Tag {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version(2))]
struct Vote {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
