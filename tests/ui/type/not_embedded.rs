// A nested struct that does not derive `Embedded`.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    comments: Vec<Comment>,
}

#[derive(Serialize, Deserialize)]
struct Comment {
    who: String,
}

fn main() {}
