// An attribute of documents on an embedded type, which has no collection.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
#[odm(collection = "comments", index(who))]
struct Comment {
    who: String,
}

fn main() {}
