// An opaque field that is flattened.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(flatten)]
    #[odm(opaque)]
    rest: Rest,
}

#[derive(Serialize, Deserialize)]
struct Rest {
    title: String,
}

fn main() {}
