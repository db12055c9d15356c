// An attribute that is like none of the known ones.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(engine = "wiredTiger")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
