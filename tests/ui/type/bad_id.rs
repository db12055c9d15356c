// An `_id` of a type that has no declared form in BSON.

use odm::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: Duration,
}

fn main() {}
