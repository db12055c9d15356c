// Attributes in places where they would mean nothing.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct Email(#[odm(index)] String);

#[derive(Serialize, Deserialize, Embedded)]
enum Status {
    #[odm(unique)]
    Draft,
    Published,
}

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Target {
    Post(#[odm(opaque)] Post),
}

#[derive(Serialize, Deserialize, Embedded)]
struct Post {
    title: String,
}

fn main() {}
