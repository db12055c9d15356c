// Fields of another type than the field of the model.

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
    title: i32,
}

#[derive(Deserialize, View)]
#[odm(of = Post)]
struct Votes {
    votes: u32,
}

#[derive(Deserialize, View)]
#[odm(of = Post)]
struct Comments {
    comments: Vec<NoView>,
}

#[derive(Deserialize)]
struct NoView {}

fn main() {}
