// An embedded type without serde's derives.

use odm::prelude::*;

#[derive(Embedded)]
struct Comment {
    who: String,
}

fn main() {}
