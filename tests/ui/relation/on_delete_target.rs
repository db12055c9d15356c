// The target does not name the model; a reference cannot be taken away, or not be found.
use std::collections::HashMap;

use odm::Ref;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(referenced_by(Shelf))]
struct Publisher {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Serialize, Deserialize, Document)]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "restrict")]
    publisher: Ref<Publisher>,
}

#[derive(Serialize, Deserialize, Document)]
struct Shelf {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "unlink")]
    publisher: Ref<Publisher>,
    #[odm(on_delete = "cascade")]
    by_name: HashMap<String, Ref<Publisher>>,
    #[odm(on_delete = "restrict")]
    pair: [Ref<Publisher>; 2],
    #[odm(on_delete = "restrict")]
    count: i32,
}

fn main() {}
