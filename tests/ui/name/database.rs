// Names that no database can have.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(database = "")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(database = "my blog")]
struct User {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(database = "Blog")]
struct Tag {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(database = "blog.archive")]
struct Vote {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
