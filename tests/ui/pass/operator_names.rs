// Fields named like operators win over them; the operators stay reachable by their path.

use odm::path::Path;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(name, -size), index(ttl, partial = |p| p.size().size().gt(3)))]
struct Shop {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    ttl: i32,
    fields: Vec<String>,
    eq: bool,
    size: Parts,
    deref: i32,
    from: i32,
    clone: i32,
    as_str: i32,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Parts {
    set: i32,
    size: i32,
    eq: Vec<Part>,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Part {
    id: i32,
    size: i32,
    push: i32,
    contains: String,
    at: i32,
    any: i32,
}

fn main() {
    let s = Shop::fields();
    assert_eq!(s.eq().eq(true).to_string(), r#"{ "eq": true }"#);
    assert_eq!(s.size().size().gt(3).to_string(), r#"{ "size.size": { "$gt": 3 } }"#);
    assert_eq!(s.fields().contains("a").to_string(), r#"{ "fields": "a" }"#);
    assert_eq!(s.size().set().set(1).to_string(), r#"{ "$set": { "size.set": 1 } }"#);

    let parts = s.size().eq();
    assert_eq!(Path::size(&parts, 3).to_string(), r#"{ "size.eq": { "$size": 3 } }"#);
    assert_eq!(parts.size().eq(3).to_string(), r#"{ "size.eq.size": 3 }"#);
    assert_eq!(Path::at(&parts, 0).push().inc(1).to_string(), r#"{ "$inc": { "size.eq.0.push": 1 } }"#);
    assert_eq!(Path::as_str(&s.as_str()), "as_str");
}
