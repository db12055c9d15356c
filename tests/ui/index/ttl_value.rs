// Spans of time that no TTL index can have.

use odm::bson::DateTime;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(ttl = "a month")]
    a: DateTime,
    #[odm(ttl = -3600)]
    b: DateTime,
    #[odm(ttl = 1.5)]
    c: DateTime,
    #[odm(ttl = "1500ms")]
    d: DateTime,
    #[odm(ttl = "100years")]
    e: DateTime,
}

fn main() {}
