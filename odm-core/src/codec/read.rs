//! Reading stored values without serde: a fast path that gives up.
//!
//! What comes out is just what serde makes of the same bytes, or nothing; and then serde decodes
//! the whole document, or says what is wrong with it. So whatever is unusual here (a value of another
//! type, a field that occurs twice, malformed bytes) needs no rule and no message of its own.
//!
//! [`RawValue`] is a value that has not been looked into, `elements` walks documents and arrays,
//! `fields` matches names with those of a struct, `scalar` and `dynamic` read values, `by_serde`
//! hands a single value to serde, `derived` asks whether a type is read as its declaration says.

mod by_serde;
mod derived;
mod dynamic;
mod elements;
mod fields;
mod scalar;
mod skip;

use bson::{RawBsonRef, RawDocument};

pub use by_serde::{
    Decoding, by_serde, decoded_field, decoded_stored, opaque_field, opaque_stored,
};
pub(crate) use dynamic::{any, document};
pub(crate) use elements::Elements;
pub use fields::{Fields, Reader};
pub(crate) use scalar::{
    binary, boolean, character, date, decimal, double, float, integer, object_id, string,
    timestamp, uuid,
};

/// How many documents and arrays are read inside of each other. What is nested more deeply is left
/// to serde, whose own limit is that of the server.
const MAX_DEPTH: u8 = 64;

/// The types of stored values.
///
/// Source: the [BSON specification](https://bsonspec.org/spec.html).
mod kind {
    pub(super) const DOUBLE: u8 = 0x01;
    pub(super) const STRING: u8 = 0x02;
    pub(super) const DOCUMENT: u8 = 0x03;
    pub(super) const ARRAY: u8 = 0x04;
    pub(super) const BINARY: u8 = 0x05;
    pub(super) const UNDEFINED: u8 = 0x06;
    pub(super) const OBJECT_ID: u8 = 0x07;
    pub(super) const BOOL: u8 = 0x08;
    pub(super) const DATE: u8 = 0x09;
    pub(super) const NULL: u8 = 0x0A;
    pub(super) const REGEX: u8 = 0x0B;
    pub(super) const DB_POINTER: u8 = 0x0C;
    pub(super) const CODE: u8 = 0x0D;
    pub(super) const SYMBOL: u8 = 0x0E;
    pub(super) const CODE_WITH_SCOPE: u8 = 0x0F;
    pub(super) const INT32: u8 = 0x10;
    pub(super) const TIMESTAMP: u8 = 0x11;
    pub(super) const INT64: u8 = 0x12;
    pub(super) const DECIMAL: u8 = 0x13;
    pub(super) const MAX_KEY: u8 = 0x7F;
    pub(super) const MIN_KEY: u8 = 0xFF;
}

/// A stored value that has not been looked into: its type, and its bytes in full.
#[derive(Debug, Clone, Copy)]
pub struct RawValue<'a> {
    kind: u8,
    /// How many documents and arrays it lies in.
    depth: u8,
    bytes: &'a [u8],
}

impl<'a> RawValue<'a> {
    /// A whole document.
    #[must_use]
    pub fn of_document(raw: &'a RawDocument) -> Self {
        Self { kind: kind::DOCUMENT, depth: 0, bytes: raw.as_bytes() }
    }

    /// The second element, if it has this name and is a number or text: where it begins, how many
    /// bytes it takes, and its value.
    pub(crate) fn second(self, name: &str) -> Option<(usize, usize, RawBsonRef<'a>)> {
        let mut elements = self.fields()?;
        elements.next_item()?;
        let start = elements.end_of_read(self);
        let head = elements.head()?;
        let value = head.strip_name(name)?.strip_prefix(&[0])?;
        let value = elements.value(head.kind(), value)?;
        let size = elements.end_of_read(self) - start;
        let value = match value.kind {
            kind::INT32 => RawBsonRef::Int32(scalar::integer(value)?),
            kind::STRING => RawBsonRef::String(scalar::text(value)?),
            _ => return None,
        };
        Some((start, size, value))
    }

    pub(crate) fn is_null(self) -> bool {
        self.kind == kind::NULL
    }

    /// The elements of an embedded document.
    pub(crate) fn fields(self) -> Option<Elements<'a>> {
        if self.kind == kind::DOCUMENT { Elements::of(self) } else { None }
    }

    /// The elements of an array.
    pub(crate) fn items(self) -> Option<Elements<'a>> {
        if self.kind == kind::ARRAY { Elements::of(self) } else { None }
    }
}
