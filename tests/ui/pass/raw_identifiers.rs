// Fields and variants named like keywords of Rust.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(r#type, -r#match.r#move))]
struct Entry {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(index(partial = |p| p.r#type().gt("a")))]
    r#type: String,
    r#match: r#Struct,
    target: Target,
    nested: Nested,
}

#[derive(Serialize, Deserialize, Embedded)]
struct r#Struct {
    r#move: i32,
}

#[allow(non_camel_case_types)]
#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Nested {
    r#loop { name: String },
}

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Target {
    Struct { r#fn: String },
    Loop,
}

fn main() {
    let e = Entry::fields();
    assert_eq!(e.r#type().as_str(), "type");
    assert_eq!(e.r#match().r#move().as_str(), "match.move");
    assert_eq!(e.target().r#type().as_str(), "target.type");
    assert_eq!(e.target().r#struct().r#fn().as_str(), "target.fn");
    assert_eq!(e.nested().r#loop().name().as_str(), "nested.name");
    let indexes = (<Entry as odm::Document>::MODEL.indexes)();
    assert_eq!(indexes.len(), 2);
}
