//! What generated code names. Not part of the public interface.

pub use std::convert::From;
pub use std::ops::Deref;
pub use std::option::Option::{self, None, Some};
pub use std::primitive::{bool, str};
pub use std::result::Result;
pub use std::string::String;
pub use std::vec::Vec;

pub use bson::Bson;
pub use serde::Serializer;

pub use crate::codec::encode_value;
pub use crate::filter::Filter;
pub use crate::index::Index;
pub use crate::model::{Document, Embedded, Field, Kind, Model, Shape, Variant, Version};
pub use crate::path::{Coded, Coding, Direct, FieldType, Flat, IntoKey, Nest, Opaque, Path, Whole};

/// The result of encoding a value.
pub type Encoded = crate::Result<Bson>;

/// Types of an optional `_id`, which the driver generates where it is `None`.
#[diagnostic::on_unimplemented(
    message = "an optional `_id` is generated as an ObjectId, and `{Self}` is not one",
    label = "not an ObjectId",
    note = "declare `_id` as `Option<ObjectId>`, or as `{Self}` and set it before the insert"
)]
pub trait Generated {}
impl Generated for bson::oid::ObjectId {}

/// Asks whether an optional `_id` can be generated.
pub const fn is_generated<T: Generated>() {}

/// Whether a value of this type can be an `_id`: the server takes no array and no regular
/// expression, and an optional `_id` must be declared by that name, so that the derive sees it.
#[must_use]
pub const fn is_id<T: FieldType>() -> bool {
    !T::OPTIONAL && !matches!(T::KIND, Kind::Array | Kind::Regex)
}

/// Whether no name of the one list is in the other: else a flattened field would hide another.
#[must_use]
pub const fn is_disjoint(a: &[&str], b: &[&str]) -> bool {
    let mut i = 0;
    while i < a.len() {
        let mut j = 0;
        while j < b.len() {
            if is_equal(a[i].as_bytes(), b[j].as_bytes()) {
                return false;
            }
            j += 1;
        }
        i += 1;
    }
    true
}

const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
