// The struct of the version before is named, and no version of its own.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct PostV1 {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(from = PostV1)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
