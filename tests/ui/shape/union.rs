// A union.

use odm::prelude::*;

#[derive(Document)]
union Post {
    id: i32,
    number: f32,
}

#[derive(Embedded)]
union Value {
    id: i32,
    number: f32,
}

fn main() {}
