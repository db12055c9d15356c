// An optional `_id` that would be stored as null.

use odm::bson::oid::ObjectId;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: Option<ObjectId>,
}

fn main() {}
