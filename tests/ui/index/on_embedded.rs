// An index on a field of an embedded type, which has no collection.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct Comment {
    #[odm(index)]
    who: String,
}

fn main() {}
