// An enum with its data beside its tag.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind", content = "data")]
enum Target {
    Post { title: String },
    User { name: String },
}

fn main() {}
