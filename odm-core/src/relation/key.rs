//! Values as keys of maps: equal where the server takes them for equal, and in its order.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use bson::{Bson, RawBson, RawBsonRef};

use crate::codec;

/// A value in a form that can be compared, hashed and ordered.
///
/// Numbers of different types are equal if their values are, as they are to the server: a stored
/// `1.0` is `1`. Documents are equal only with their fields in the same order. The order is that of
/// the server: by type, then by value.
#[derive(Clone)]
pub struct Key(Bytes);

/// The usual key is short, and needs no memory of its own.
#[derive(Clone)]
enum Bytes {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Box<[u8]>),
}

/// Enough for numbers, ids and short names.
const SHORT: usize = 22;

/// Where a type stands in the server's order.
///
/// Source: [comparison of BSON types](https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/).
mod class {
    pub(super) const UNDEFINED: u8 = 0x02;
    pub(super) const NULL: u8 = 0x05;
    pub(super) const NUMBER: u8 = 0x0A;
    pub(super) const STRING: u8 = 0x0F;
    pub(super) const DOCUMENT: u8 = 0x14;
    pub(super) const ARRAY: u8 = 0x19;
    pub(super) const BINARY: u8 = 0x1E;
    pub(super) const OBJECT_ID: u8 = 0x23;
    pub(super) const BOOL: u8 = 0x28;
    pub(super) const DATE: u8 = 0x2D;
    pub(super) const OTHER: u8 = 0x2F;
    pub(super) const MIN: u8 = 0x01;
    pub(super) const MAX: u8 = 0xFF;
}

impl Key {
    /// The key of a value.
    #[must_use]
    pub fn of(value: &Bson) -> Self {
        match value {
            Bson::Int32(number) => Self::of_integer((*number).into()),
            Bson::Int64(number) => Self::of_integer(*number),
            Bson::ObjectId(id) => Self::of_parts(&[&[class::OBJECT_ID], &id.bytes()]),
            Bson::String(text) => Self::of_text(text),
            value => {
                let mut bytes = Vec::new();
                write(&mut bytes, value);
                Self::of_parts(&[&bytes])
            }
        }
    }

    /// The key of a stored value; `None` if its bytes are malformed.
    #[must_use]
    pub fn of_raw(value: RawBsonRef<'_>) -> Option<Self> {
        Some(match value {
            RawBsonRef::Int32(number) => Self::of_integer(number.into()),
            RawBsonRef::Int64(number) => Self::of_integer(number),
            RawBsonRef::String(text) => Self::of_text(text),
            RawBsonRef::ObjectId(id) => Self::of_parts(&[&[class::OBJECT_ID], &id.bytes()]),
            value => Self::of(&Bson::try_from(value).ok()?),
        })
    }

    fn of_integer(number: i64) -> Self {
        Self::of_parts(&[
            &[class::NUMBER],
            &ordered_double(number as f64),
            &ordered(number),
            &[INTEGER],
        ])
    }

    fn of_text(text: &str) -> Self {
        match text.contains('\0') {
            false => Self::of_parts(&[&[class::STRING], text.as_bytes(), &[0, 0]]),
            true => {
                let mut bytes = Vec::new();
                write_text(&mut bytes, text);
                Self::of_parts(&[&bytes])
            }
        }
    }

    fn of_parts(parts: &[&[u8]]) -> Self {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if length > SHORT {
            return Self(Bytes::Long(parts.concat().into()));
        }
        let mut bytes = [0; SHORT];
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        // At most as long as the array.
        Self(Bytes::Short { length: length as u8, bytes })
    }

    fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Bytes::Short { length, bytes } => &bytes[..usize::from(*length)],
            Bytes::Long(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.as_slice()).finish()
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_slice().cmp(other.as_slice())
    }
}

/// What tells numbers apart that are near the same double.
const INTEGER: u8 = 0;
const FRACTION: u8 = 1;
const DECIMAL: u8 = 2;

fn write(bytes: &mut Vec<u8>, value: &Bson) {
    match value {
        Bson::Int32(number) => write_integer(bytes, (*number).into()),
        Bson::Int64(number) => write_integer(bytes, *number),
        Bson::Double(number) => write_double(bytes, *number),
        Bson::String(text) => write_text(bytes, text),
        Bson::ObjectId(id) => write_tagged(bytes, class::OBJECT_ID, &id.bytes()),
        Bson::DateTime(date) => {
            write_tagged(bytes, class::DATE, &ordered(date.timestamp_millis()));
        }
        Bson::Boolean(value) => write_tagged(bytes, class::BOOL, &[u8::from(*value)]),
        Bson::Undefined => bytes.push(class::UNDEFINED),
        Bson::Null => bytes.push(class::NULL),
        Bson::MinKey => bytes.push(class::MIN),
        Bson::MaxKey => bytes.push(class::MAX),
        Bson::Document(document) => {
            bytes.push(class::DOCUMENT);
            for (name, value) in document {
                // The server compares the types first, then the names, then the values.
                let at = bytes.len();
                write(bytes, value);
                let value = bytes.split_off(at + 1);
                bytes.extend_from_slice(name.as_bytes());
                bytes.push(0);
                bytes.extend(value);
            }
            bytes.push(0);
        }
        Bson::Array(items) => {
            bytes.push(class::ARRAY);
            items.iter().for_each(|item| write(bytes, item));
            bytes.push(0);
        }
        Bson::Binary(binary) => {
            bytes.push(class::BINARY);
            bytes.extend((binary.bytes.len() as u64).to_be_bytes());
            bytes.push(binary.subtype.into());
            bytes.extend_from_slice(&binary.bytes);
        }
        // Approximately among the numbers, and equal to no number of another type.
        Bson::Decimal128(decimal) => {
            let near: f64 = decimal.to_string().parse().unwrap_or(f64::NAN);
            write_tagged(bytes, class::NUMBER, &ordered_double(near));
            bytes.extend_from_slice(&decimal.bytes());
            bytes.push(DECIMAL);
        }
        value => {
            bytes.push(class::OTHER);
            let raw = RawBson::try_from(value.clone());
            let element = raw.map(|raw| codec::element_bytes(raw.as_raw_bson_ref()));
            let element = element.unwrap_or_else(|_| value.to_string().into_bytes());
            bytes.extend((element.len() as u64).to_be_bytes());
            bytes.extend(element);
        }
    }
}

fn write_integer(bytes: &mut Vec<u8>, number: i64) {
    write_tagged(bytes, class::NUMBER, &ordered_double(number as f64));
    bytes.extend(ordered(number));
    bytes.push(INTEGER);
}

fn write_double(bytes: &mut Vec<u8>, number: f64) {
    let whole = number as i64;
    if whole as f64 == number && whole != i64::MAX {
        return write_integer(bytes, whole);
    }
    write_tagged(bytes, class::NUMBER, &ordered_double(number));
    bytes.extend(ordered(whole));
    bytes.push(FRACTION);
}

fn write_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(class::STRING);
    // Ended by two null bytes, so a null byte inside is told from the end.
    for (position, part) in text.split('\0').enumerate() {
        if position > 0 {
            bytes.extend([0, u8::MAX]);
        }
        bytes.extend_from_slice(part.as_bytes());
    }
    bytes.extend([0, 0]);
}

fn write_tagged(bytes: &mut Vec<u8>, class: u8, value: &[u8]) {
    bytes.push(class);
    bytes.extend_from_slice(value);
}

/// Bytes in the order of the numbers.
fn ordered(number: i64) -> [u8; 8] {
    (number ^ i64::MIN).to_be_bytes()
}

/// Bytes in the order of the numbers; NaN, of which there is but one, comes first.
fn ordered_double(number: f64) -> [u8; 8] {
    let number = if number == 0.0 { 0.0 } else { number };
    let bits = number.to_bits();
    match () {
        () if number.is_nan() => [0; 8],
        () if number.is_sign_negative() => (!bits).to_be_bytes(),
        () => (bits | 1 << 63).to_be_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc, rawdoc};

    use super::*;

    #[test]
    fn numbers_are_equal_by_value_and_documents_by_order() {
        let one = Key::of(&Bson::Int32(1));
        assert_eq!(one, Key::of(&Bson::Int64(1)));
        assert_eq!(one, Key::of(&Bson::Double(1.0)));
        assert_ne!(one, Key::of(&Bson::Double(1.5)));
        assert_ne!(one, Key::of(&Bson::from("1")));
        assert_eq!(Key::of(&Bson::Double(f64::NAN)), Key::of(&Bson::Double(-f64::NAN)));
        assert_eq!(Key::of(&Bson::Double(-0.0)), Key::of(&Bson::Int32(0)));
        assert_eq!(
            Key::of(&doc! { "a": 1, "b": 2 }.into()),
            Key::of(&doc! { "a": 1_i64, "b": 2.0 }.into())
        );
        assert_ne!(
            Key::of(&doc! { "a": 1, "b": 2 }.into()),
            Key::of(&doc! { "b": 2, "a": 1 }.into())
        );
        assert_ne!(Key::of(&doc! { "a": "x" }.into()), Key::of(&doc! { "ax": "" }.into()));
        assert_ne!(Key::of(&doc! { "a": "x\0" }.into()), Key::of(&doc! { "a": "x" }.into()));
    }

    #[test]
    fn the_order_is_that_of_the_server() {
        let ascending = [
            Bson::MinKey,
            Bson::Null,
            Bson::Double(f64::NAN),
            Bson::Double(f64::NEG_INFINITY),
            Bson::Int64(i64::MIN),
            Bson::Double(-2.5),
            Bson::Int32(-2),
            Bson::Int32(0),
            Bson::Double(0.5),
            Bson::Int64(1),
            Bson::Int64(1 << 53),
            Bson::Int64((1 << 53) + 1),
            Bson::Int64(i64::MAX),
            Bson::Double(9.3e18),
            Bson::from(""),
            Bson::from("a"),
            Bson::from("a\0"),
            Bson::from("ab"),
            Bson::from("b"),
            doc! {}.into(),
            doc! { "room": 2, "number": 1 }.into(),
            doc! { "room": 2, "number": 3 }.into(),
            doc! { "room": 10, "number": 1 }.into(),
            doc! { "room": "A", "number": 1 }.into(),
            Bson::Array(vec![1.into()]),
            Bson::Boolean(false),
            Bson::Boolean(true),
            DateTime::from_millis(-1).into(),
            DateTime::from_millis(1).into(),
            Bson::MaxKey,
        ];
        for pair in ascending.windows(2) {
            assert!(Key::of(&pair[0]) < Key::of(&pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn stored_values_have_the_same_keys() -> Result<(), bson::error::Error> {
        let stored = rawdoc! { "i": 1, "l": 2_i64, "d": 2.5, "s": "x", "b": true, "n": { "a": 1 }, "o": bson::oid::ObjectId::new() };
        for element in stored.iter() {
            let (_, value) = element?;
            assert_eq!(Key::of_raw(value), Some(Key::of(&Bson::try_from(value)?)));
        }
        Ok(())
    }
}
