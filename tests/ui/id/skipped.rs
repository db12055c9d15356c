// An `_id` that is never written.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id", skip)]
    id: i32,
    title: String,
}

fn main() {}
