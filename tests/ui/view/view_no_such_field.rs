// Fields that the model or an embedded document lacks.

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
struct Title {
    titel: String,
    comments: Vec<Author>,
    #[odm(path = meta.language)]
    lang: String,
}

#[derive(Deserialize, View)]
#[odm(of = Comment)]
struct Author {
    whoo: String,
}

fn main() {}
