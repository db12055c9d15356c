// A strict model with a version, which is removed before serde looks.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Document)]
#[serde(deny_unknown_fields)]
#[odm(schema_version = 2)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    meta: Meta,
}

#[derive(Debug, Serialize, Deserialize, Embedded)]
#[serde(deny_unknown_fields)]
struct Meta {
    title: String,
}

fn main() {
    let post = Post { id: 1, meta: Meta { title: "x".into() } };
    let read = post.encode().and_then(|raw| Post::decode(&raw));
    assert!(read.is_ok(), "{read:?}");
}
