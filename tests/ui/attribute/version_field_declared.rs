// A field that has the name of the version, which the library writes.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 2)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    schema_version: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 2, version_field = "revision")]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    revision: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 2, version_field = "_id")]
struct Tag {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
