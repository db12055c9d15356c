// The prelude beside everything of `bson`, which has a `Document` of its own.

use bson::*;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: oid::ObjectId,
    when: DateTime,
    rest: bson::Document,
    any: Bson,
    token: Uuid,
}

fn main() {
    let post = Post {
        id: oid::ObjectId::new(),
        when: DateTime::MIN,
        rest: doc! { "a": 1 },
        any: bson!(1),
        token: Uuid::new(),
    };
    assert!(post.encode().is_ok());
    assert!(post.id().is_some());
}
