// An enum as a document.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
enum Post {
    Draft { title: String },
    Published { title: String },
}

fn main() {}
