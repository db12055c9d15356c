// There is no conversion from the struct of the version before.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct PostV1 {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 2, from = PostV1)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
