// A flattened field of which a field has the stored name of a sibling, directly or further in.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct Meta {
    title: String,
    #[serde(flatten)]
    stamps: Stamps,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Stamps {
    created: String,
}

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    #[serde(flatten)]
    meta: Meta,
}

#[derive(Serialize, Deserialize, Document)]
struct Page {
    #[serde(rename = "_id")]
    id: i32,
    created: String,
    #[serde(flatten)]
    meta: Meta,
}

#[derive(Serialize, Deserialize, Document)]
struct Note {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(flatten)]
    meta: Meta,
    #[serde(flatten)]
    stamps: Stamps,
}

fn main() {}
