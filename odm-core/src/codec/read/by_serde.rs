//! A single value read by serde: for types that have no reader of their own.

use std::fmt;
use std::marker::PhantomData;

use bson::RawDocument;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use super::{Fields, RawValue, kind};
use crate::codec::depth;

/// Reads a value by serde; `None` where it fails.
#[must_use]
pub fn by_serde<T: DeserializeOwned>(value: RawValue<'_>) -> Option<T> {
    if value.kind == kind::DOCUMENT {
        return decode(value.bytes, value.depth);
    }
    let only: Only<T> = decode(&alone(value)?, value.depth.checked_sub(1)?)?;
    Some(only.0)
}

/// Decodes a document that lies in others. Serde recurses, so it must not be nested too deeply.
fn decode<T: DeserializeOwned>(document: &[u8], depth: u8) -> Option<T> {
    let raw = RawDocument::from_bytes(document).ok()?;
    depth::check_below(raw, depth.into()).ok()?;
    bson::deserialize_from_slice(document).ok()
}

/// A document with this value alone, without a name.
fn alone(value: RawValue<'_>) -> Option<Vec<u8>> {
    const AROUND: usize = 4 + 2 + 1;
    let length = value.bytes.len().checked_add(AROUND)?;
    let mut document = Vec::with_capacity(length);
    document.extend_from_slice(&i32::try_from(length).ok()?.to_le_bytes());
    document.extend_from_slice(&[value.kind, 0]);
    document.extend_from_slice(value.bytes);
    document.push(0);
    Some(document)
}

/// The only value of a document, whatever its name.
struct Only<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Only<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OnlyVisitor(PhantomData))
    }
}

struct OnlyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OnlyVisitor<T> {
    type Value = Only<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document of one value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Only<T>, A::Error> {
        map.next_key::<IgnoredAny>()?;
        map.next_value().map(Only)
    }
}

/// How one field is read: the function that `#[serde(with = "…")]` or
/// `#[serde(deserialize_with = "…")]` names. The derive implements it.
pub trait Decoding {
    /// The type of the field.
    type Value;

    /// Reads the value as the field is stored.
    ///
    /// # Errors
    /// What the deserializer or the named function returns.
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Value, D::Error>;
}

/// What such a function makes of a value.
struct Decoded<F: Decoding>(F::Value);

impl<'de, F: Decoding> Deserialize<'de> for Decoded<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        F::deserialize(deserializer).map(Self)
    }
}

/// Reads the field at this position, which is stored as serde makes it, or makes what serde does of
/// a missing one: `None`, of an `Option`.
#[must_use]
pub fn opaque_field<T: DeserializeOwned>(fields: &mut Fields<'_>, position: usize) -> Option<T> {
    match opaque_stored(fields, position)? {
        Some(value) => Some(value),
        None => T::deserialize(Missing).ok(),
    }
}

/// The same, and then `None` if it is not stored: of a field with a default.
#[must_use]
pub fn opaque_stored<T: DeserializeOwned>(
    fields: &mut Fields<'_>,
    position: usize,
) -> Option<Option<T>> {
    match fields.field(position)? {
        Some(value) => by_serde(value).map(Some),
        None => Some(None),
    }
}

/// Reads the field at this position by its function. It must be stored.
#[must_use]
pub fn decoded_field<F: Decoding>(fields: &mut Fields<'_>, position: usize) -> Option<F::Value> {
    decoded_stored::<F>(fields, position)?
}

/// The same, and then `None` if it is not stored: of a field with a default.
#[must_use]
pub fn decoded_stored<F: Decoding>(
    fields: &mut Fields<'_>,
    position: usize,
) -> Option<Option<F::Value>> {
    let decoded = opaque_stored::<Decoded<F>>(fields, position)?;
    Some(decoded.map(|decoded| decoded.0))
}

/// Stands for a field that is not there, as in serde's derive.
struct Missing;

impl<'de> Deserializer<'de> for Missing {
    type Error = bson::error::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(serde::de::Error::custom("missing field"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
