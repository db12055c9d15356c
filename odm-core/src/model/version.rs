//! The schema version of a model: a number or a label, in a field of its own.

use std::fmt;

use bson::{Bson, RawBsonRef};

/// The schema version that a program writes into each document, right after `_id`.
///
/// Source: the manual's [schema versioning pattern](https://www.mongodb.com/docs/manual/data-modeling/design-patterns/data-versioning/schema-versioning/).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// The stored name of the field that holds the version; `schema_version` unless declared.
    pub field: &'static str,
    /// The version itself.
    pub label: Label,
}

/// A version as it is stored: `2` or `"2.0"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Label {
    /// Stored as a 32-bit integer.
    Number(i32),
    /// Stored as a string.
    Text(&'static str),
}

impl Version {
    #[doc(hidden)]
    #[must_use]
    pub const fn number(field: &'static str, number: i32) -> Self {
        Self { field, label: Label::Number(number) }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn text(field: &'static str, text: &'static str) -> Self {
        Self { field, label: Label::Text(text) }
    }
}

impl Label {
    /// The version as BSON.
    #[must_use]
    pub fn to_bson(self) -> Bson {
        match self {
            Self::Number(number) => Bson::Int32(number),
            Self::Text(text) => Bson::String(text.to_owned()),
        }
    }

    /// Whether a stored value is this version; numbers are compared by value, whatever their width.
    #[must_use]
    pub fn matches(self, stored: RawBsonRef<'_>) -> bool {
        match (self, stored) {
            (Self::Number(number), RawBsonRef::Int32(found)) => found == number,
            (Self::Number(number), RawBsonRef::Int64(found)) => found == i64::from(number),
            (Self::Number(number), RawBsonRef::Double(found)) => found == f64::from(number),
            (Self::Text(text), RawBsonRef::String(found)) => found == text,
            _ => false,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}
