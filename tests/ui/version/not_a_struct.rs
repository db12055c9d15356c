// The struct of the version before is named as a text.
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(schema_version = 2, from = "PostV1")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
