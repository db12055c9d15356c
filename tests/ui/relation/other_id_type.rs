// A reference is made, and compared, with an id of another type than the target has.
use odm::Ref;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: odm::bson::oid::ObjectId,
}

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: Ref<User>,
}

fn main() {
    let _: Ref<User> = Ref::new("alex");
    let _ = Post::fields().author().eq("alex");
}
