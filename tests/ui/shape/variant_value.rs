// A variant that holds no document, and one whose fields hide the tag.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Target {
    Number(i32),
    Post(Post),
}

#[derive(Serialize, Deserialize, Embedded)]
struct Post {
    kind: String,
}

fn main() {}
