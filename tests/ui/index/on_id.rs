// An index on `_id`, which exists already.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(-id))]
struct Post {
    #[serde(rename = "_id")]
    #[odm(unique)]
    id: i32,
}

fn main() {}
