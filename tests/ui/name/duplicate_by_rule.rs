// Two fields that get one stored name by the struct's renaming rule.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "publishedAt")]
    published: String,
    published_at: String,
}

fn main() {}
