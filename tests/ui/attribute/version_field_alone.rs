// The name of the version's field without a version.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(version_field = "v")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
