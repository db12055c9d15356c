// An index on a flattened field, which has no name.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(stamps))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(flatten)]
    #[odm(index)]
    meta: Meta,
    #[serde(flatten)]
    stamps: Meta2,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Meta {
    title: String,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Meta2 {
    created: String,
}

fn main() {}
