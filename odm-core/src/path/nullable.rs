//! A field that is missing, null, or a value, and tells the three apart.

use bson::Bson;
use bson::spec::ElementType;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{FieldType, List, Map, Nest};
use crate::codec::{RawBuffer, RawValue};
use crate::error::Result;
use crate::model::{Kind, Names, Shape};
use crate::relation::{Reference, Visit};

/// A value that may be missing or null, where the two mean different things: not said, and said to
/// be nothing.
///
/// An `Option` reads both as `None`. Serde leaves a field out, and knows that one was left out, only
/// by the two attributes below; the derives ask for them.
///
/// Filters and updates take what they take for an `Option`: a value, or `None` for null.
/// [`is_missing`](super::Path::is_missing) and [`is_null`](super::Path::is_null) tell the two
/// apart, `unset` removes the field.
///
/// ```
/// # use odm::prelude::*;
/// use odm::Nullable;
/// #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Document)]
/// struct User {
///     #[serde(rename = "_id")]
///     id: i32,
///     #[serde(default, skip_serializing_if = "Nullable::is_missing")]
///     email: Nullable<String>,
/// }
/// use odm::bson::{self, doc};
/// for (document, email) in [
///     (doc! { "_id": 1 }, Nullable::Missing),
///     (doc! { "_id": 1, "email": null }, Nullable::Null),
///     (doc! { "_id": 1, "email": "a@x" }, Nullable::Value("a@x".to_owned())),
/// ] {
///     let user: User = bson::deserialize_from_document(document.clone())?;
///     assert_eq!(user.email, email);
///     assert_eq!(bson::serialize_to_document(&user)?, document);
/// }
/// let email = User::fields().email();
/// assert_eq!(email.eq("a@x").to_string(), r#"{ "email": "a@x" }"#);
/// assert_eq!(email.is_missing().to_string(), r#"{ "email": { "$exists": false } }"#);
/// assert_eq!(email.set(None).to_string(), r#"{ "$set": { "email": null } }"#);
/// # Ok::<(), bson::error::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Nullable<T> {
    /// The field is not there.
    #[default]
    Missing,
    /// The field is there, and null.
    Null,
    /// The field has a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Whether the field is not there: what `skip_serializing_if` asks.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Whether the field is there and null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Missing | Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The value itself, if there is one.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Missing | Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

/// `None` is null: a field that was said to be nothing.
impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Missing => Err(serde::ser::Error::custom(
                "a missing value cannot be written here: add `#[serde(default, \
                 skip_serializing_if = \"Nullable::is_missing\")]` to the field",
            )),
            Self::Null => serializer.serialize_none(),
            Self::Value(value) => serializer.serialize_some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

impl<T: Nest> Nest for Nullable<T> {
    type Via<V: 'static> = T::Via<V>;
    const NULLABLE: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: FieldType> FieldType for Nullable<T> {
    type Path<M: 'static, C: 'static, V: 'static> = T::Path<M, C, V>;
    type Key = Option<T::Key>;
    const KIND: Kind = T::KIND;
    const INDEXED: Kind = T::INDEXED;
    const OPTIONAL: bool = true;
    const REFERENCE: Option<Reference> = Reference::optional(T::REFERENCE);
    const NAMES: &'static Names = T::NAMES;

    fn encode(key: &Self::Key) -> Result<Bson> {
        key.as_ref().map_or(Ok(Bson::Null), T::encode)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        if value.is_null() { Some(Self::Null) } else { T::read_raw(value).map(Self::Value) }
    }

    fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
        match self {
            // Serde says why it cannot be written.
            Self::Missing => None,
            Self::Null => Some(ElementType::Null),
            Self::Value(value) => value.write_raw(out),
        }
    }

    fn read_missing() -> Option<Self> {
        Some(Self::Null)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        if let Self::Value(value) = self {
            value.visit_refs(path, visit);
        }
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }

    fn values() -> Option<&'static Shape> {
        T::values()
    }
}

#[diagnostic::do_not_recommend]
impl<L: List> List for Nullable<L> {
    type Element = L::Element;
}

#[diagnostic::do_not_recommend]
impl<C: Map> Map for Nullable<C> {
    type Value = C::Value;
}

/// Reads null as an empty value, and with `default` a missing field too: an empty list, map or
/// text.
///
/// For documents of programs that left such a field out or null. The field stays a list: its paths
/// and operators are those of its own type, and what is written is an empty list. A filter finds
/// them all by `at(0).is_missing()`: without the field, null, and empty.
///
/// ```
/// # use odm::prelude::*;
/// #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Document)]
/// struct Post {
///     #[serde(rename = "_id")]
///     id: i32,
///     #[serde(default, deserialize_with = "odm::null_as_empty")]
///     tags: Vec<String>,
/// }
/// use odm::bson::{self, doc};
/// for document in [doc! { "_id": 1 }, doc! { "_id": 1, "tags": null }] {
///     let post: Post = bson::deserialize_from_document(document)?;
///     assert_eq!(post, Post { id: 1, tags: vec![] });
/// }
/// let filter = Post::fields().tags().contains("a");
/// assert_eq!(filter.to_string(), r#"{ "tags": "a" }"#);
/// let filter = Post::fields().tags().at(0).is_missing();
/// assert_eq!(filter.to_string(), r#"{ "tags.0": { "$exists": false } }"#);
/// # Ok::<(), bson::error::Error>(())
/// ```
///
/// # Errors
/// As the type itself, of a value that is not null.
pub fn null_as_empty<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
