// Words that mean nothing on a view, and shapes that none can have.

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
#[odm(off = Post)]
struct Misspelt {
    title: String,
}

#[derive(Deserialize, View)]
#[odm(of = Post, of = Post)]
struct Twice {
    #[odm(paht = title)]
    title: String,
    #[odm(path = "meta.lang")]
    lang: String,
}

#[derive(Deserialize, View)]
#[odm(of = Post)]
struct Flattened {
    #[serde(flatten)]
    meta: Meta,
}

#[derive(Deserialize, View)]
#[odm(of = Post)]
struct Generic<T> {
    title: T,
}

#[derive(Deserialize, View)]
#[odm(of = Post)]
struct Tuple(String);

#[derive(Deserialize, View)]
#[odm(of = Post)]
enum Choice {
    Title,
}

fn main() {}
