// A transparent struct, which is stored without the name of its field.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
#[serde(transparent)]
struct Email {
    address: String,
}

fn main() {}
