// A nullable field without the attributes that tell missing from null.

use odm::Nullable;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(default, skip_serializing_if = "Nullable::is_missing")]
    right: Nullable<String>,
    email: Nullable<String>,
    #[serde(default)]
    phone: Nullable<i64>,
    #[serde(skip_serializing_if = "Nullable::is_missing")]
    city: Nullable<String>,
}

fn main() {}
