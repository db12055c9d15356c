// An index on a path whose last field does not exist.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(index(comments.whoo))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    comments: Vec<Comment>,
}

fn main() {}
