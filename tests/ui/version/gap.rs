// A version is missing between the struct and the one it is from.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 1)]
struct PostV1 {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 3, from = PostV1)]
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
