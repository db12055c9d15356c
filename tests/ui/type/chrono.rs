// A chrono date, which serde stores as a string.

use chrono::{DateTime, Utc};
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    when: DateTime<Utc>,
}

fn main() {}
