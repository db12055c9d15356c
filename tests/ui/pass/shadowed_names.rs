// Types, modules and functions with the names that generated code could use.

#![allow(dead_code, non_snake_case, non_upper_case_globals)]

use serde::{Deserialize, Serialize};

mod std {}
mod core {}
mod alloc {}
mod odm_core {}
mod private {}

struct Option;
struct Some;
struct None;
struct Vec;
struct Box;
struct Result;
struct Ok;
struct Path;
struct Model;
struct Field;
struct Shape;
struct Filter;
struct Index;
struct Deref;
struct From;
trait Document {}
trait Embedded {}
trait FieldType {}
const MODEL: i32 = 1;
const SHAPE: i32 = 1;
const FIELDS: i32 = 1;

#[derive(Serialize, Deserialize, ::odm::Embedded)]
struct String {
    text: ::std::string::String,
}

#[derive(Serialize, Deserialize, ::odm::Embedded)]
struct FormFields {
    label: ::std::string::String,
}

#[derive(Serialize, Deserialize, ::odm::Embedded)]
struct M {
    m: i32,
}

#[derive(Serialize, Deserialize, ::odm::Embedded)]
struct C {
    m: M,
}

#[derive(Serialize, Deserialize, ::odm::Embedded)]
struct V {
    c: C,
    m: M,
}

#[derive(Serialize, Deserialize, ::odm::Embedded)]
struct S {
    v: V,
    #[serde(serialize_with = "fields")]
    number: i32,
}

fn fields<T: ::serde::Serializer>(value: &i32, serializer: T) -> ::std::result::Result<T::Ok, T::Error> {
    serializer.serialize_i32(*value)
}

fn indexes<T: ::serde::Serializer>(value: &i32, serializer: T) -> ::std::result::Result<T::Ok, T::Error> {
    serializer.serialize_i32(*value)
}

#[derive(Serialize, Deserialize, ::odm::Document)]
#[odm(index(model, partial = |p| p.model().gt(MODEL + SHAPE + FIELDS)))]
struct Form {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    fields: ::std::vec::Vec<FormFields>,
    model: i32,
    s: S,
    #[serde(serialize_with = "indexes")]
    number: i32,
}

fn main() {
    let f = Form::fields();
    assert_eq!(f.name().text().as_str(), "name.text");
    assert_eq!(f.fields().label().as_str(), "fields.label");
    assert_eq!(f.s().v().c().m().m().eq(1).to_string(), r#"{ "s.v.c.m.m": 1 }"#);
    assert_eq!(f.number().eq(1).to_string(), r#"{ "number": 1 }"#);
    let indexes = (<Form as ::odm::Document>::MODEL.indexes)();
    assert_eq!(indexes.len(), 1);
}
