// An option that has the name of a field.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(author, hidden))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
    hidden: bool,
}

fn main() {}
