// A plain UUID, which serde stores with the wrong subtype.

use odm::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    token: Uuid,
}

fn main() {}
