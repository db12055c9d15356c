// An enum with data in serde's external form: its paths would begin with the variant.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
enum Target {
    Post { title: String },
    User { name: String },
}

fn main() {}
