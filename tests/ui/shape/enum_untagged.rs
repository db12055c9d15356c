// An enum with data and no tag.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
#[serde(untagged)]
enum Target {
    Post { title: String },
    User { name: String },
}

fn main() {}
