// An `id` that is not stored as `_id`.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    id: i32,
    title: String,
}

fn main() {}
