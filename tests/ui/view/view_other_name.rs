// A field is read under the name that it is stored under.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    votes: Option<u32>,
    #[serde(rename = "au")]
    author: String,
    comments: Vec<Comment>,
    #[serde(flatten)]
    meta: Meta,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Meta {
    lang: String,
}

#[derive(Deserialize, View)]
#[odm(of = Post)]
struct Author {
    author: String,
}

fn main() {}
