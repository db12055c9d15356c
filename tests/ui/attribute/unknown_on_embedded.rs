// An attribute of an embedded type that does not exist.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
#[odm(crates = "odm")]
struct Comment {
    who: String,
}

fn main() {}
