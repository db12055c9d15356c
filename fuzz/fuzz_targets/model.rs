//! A model with a field of most kinds.

use std::collections::HashMap;

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Decimal128};
use odm::Ref;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "items")]
pub struct Item {
    #[serde(rename = "_id")]
    id: ObjectId,
    flag: bool,
    small: i8,
    number: i32,
    large: i64,
    unsigned: u32,
    float: f64,
    text: String,
    when: DateTime,
    price: Decimal128,
    any: Bson,
    document: bson::Document,
    optional: Option<i32>,
    #[serde(default, alias = "labels")]
    tags: Vec<String>,
    by_name: HashMap<String, i32>,
    owner: Option<Ref<Item>>,
    part: Part,
    parts: Vec<Part>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(deny_unknown_fields)]
pub struct Part {
    name: String,
    inner: Option<Box<Part>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(tag = "type")]
pub enum Kind {
    Plain,
    Sized { width: i32 },
}
