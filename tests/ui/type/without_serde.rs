// A document without serde's derives.

use odm::bson::oid::ObjectId;
use odm::prelude::*;

#[derive(Document)]
struct Post {
    id: ObjectId,
    _id: ObjectId,
}

fn main() {}
