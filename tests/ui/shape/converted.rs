// Structs that are stored by another type's fields.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, Document)]
#[serde(from = "Stored", into = "Stored")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    id: i32,
}

impl From<Stored> for Post {
    fn from(stored: Stored) -> Self {
        Self { id: stored.id }
    }
}

impl From<Post> for Stored {
    fn from(post: Post) -> Self {
        Self { id: post.id }
    }
}

fn main() {}
