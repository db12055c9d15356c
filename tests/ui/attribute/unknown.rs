// An attribute that does not exist, one letter away from one that does.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(colection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
