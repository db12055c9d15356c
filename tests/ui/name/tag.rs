// A field with the name of its enum's tag.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Target {
    Post {
        #[serde(rename = "kind")]
        category: String,
    },
}

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Event {
    Kind { name: String },
}

fn main() {}
