// A model that borrows.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post<'a> {
    #[serde(rename = "_id")]
    id: i32,
    title: &'a str,
}

fn main() {}
