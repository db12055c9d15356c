// A TTL index on a field that is not a date.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(expires, ttl = 3600))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(ttl = "30d")]
    when: String,
    expires: i64,
}

fn main() {}
