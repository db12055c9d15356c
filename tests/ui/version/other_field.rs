// The two structs of a chain keep the version in different fields.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 1, version_field = "v")]
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

impl From<PostV1> for Post {
    fn from(old: PostV1) -> Self {
        Self { id: old.id }
    }
}

fn main() {}
