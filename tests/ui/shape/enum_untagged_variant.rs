// A variant that is stored without its name.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
enum Status {
    Draft,
    #[serde(untagged)]
    Other,
}

fn main() {}
