// An array as `_id`, which the server refuses.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: Vec<i32>,
}

fn main() {}
