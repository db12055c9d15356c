//! Ids as keys of maps: equal where the server takes them for equal.

use bson::{Bson, RawBson, RawBsonRef};

use crate::codec;

/// An id in a form that can be compared and hashed.
///
/// Numbers of different types are equal if their values are, as they are to the server: a stored
/// `1.0` is `1`. Documents are equal only with their fields in the same order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Vec<u8>);

const NUMBER: u8 = 0xF0;

impl Key {
    /// The key of a value.
    #[must_use]
    pub fn of(value: &Bson) -> Self {
        match value {
            Bson::Int32(number) => Self::integer((*number).into()),
            Bson::Int64(number) => Self::integer(*number),
            Bson::Double(number) => Self::double(*number),
            Bson::String(text) => Self::text(text),
            Bson::ObjectId(id) => Self::tagged(0x07, &id.bytes()),
            Bson::Document(document) => {
                let fields = document.iter().flat_map(|(name, value)| {
                    let mut field = name.as_bytes().to_vec();
                    field.push(0);
                    let value = Self::of(value).0;
                    field.extend(value.len().to_le_bytes());
                    field.extend(value);
                    field
                });
                Self::tagged(0x03, &fields.collect::<Vec<_>>())
            }
            // What is left has one form for each value.
            value => match RawBson::try_from(value.clone()) {
                Ok(raw) => Self(codec::element_bytes(raw.as_raw_bson_ref())),
                Err(_) => Self::text(&value.to_string()),
            },
        }
    }

    /// The key of a stored value; `None` if its bytes are malformed.
    #[must_use]
    pub fn of_raw(value: RawBsonRef<'_>) -> Option<Self> {
        Some(match value {
            RawBsonRef::Int32(number) => Self::integer(number.into()),
            RawBsonRef::Int64(number) => Self::integer(number),
            RawBsonRef::String(text) => Self::text(text),
            RawBsonRef::ObjectId(id) => Self::tagged(0x07, &id.bytes()),
            value => Self::of(&Bson::try_from(value).ok()?),
        })
    }

    fn integer(number: i64) -> Self {
        Self::tagged(NUMBER, &number.to_le_bytes())
    }

    fn double(number: f64) -> Self {
        let whole = number as i64;
        match whole as f64 == number && whole != i64::MAX {
            true => Self::integer(whole),
            false if number.is_nan() => Self::tagged(0x01, b"NaN"),
            false => Self::tagged(0x01, &number.to_le_bytes()),
        }
    }

    fn text(text: &str) -> Self {
        Self::tagged(0x02, text.as_bytes())
    }

    fn tagged(tag: u8, value: &[u8]) -> Self {
        let mut key = Vec::with_capacity(value.len() + 1);
        key.push(tag);
        key.extend_from_slice(value);
        Self(key)
    }
}

#[cfg(test)]
mod tests {
    use bson::{doc, rawdoc};

    use super::*;

    #[test]
    fn numbers_are_equal_by_value_and_documents_by_order() {
        let one = Key::of(&Bson::Int32(1));
        assert_eq!(one, Key::of(&Bson::Int64(1)));
        assert_eq!(one, Key::of(&Bson::Double(1.0)));
        assert_ne!(one, Key::of(&Bson::Double(1.5)));
        assert_ne!(one, Key::of(&Bson::from("1")));
        assert_eq!(Key::of(&Bson::Double(f64::NAN)), Key::of(&Bson::Double(-f64::NAN)));
        assert_eq!(
            Key::of(&doc! { "a": 1, "b": 2 }.into()),
            Key::of(&doc! { "a": 1_i64, "b": 2.0 }.into())
        );
        assert_ne!(
            Key::of(&doc! { "a": 1, "b": 2 }.into()),
            Key::of(&doc! { "b": 2, "a": 1 }.into())
        );
        assert_ne!(Key::of(&doc! { "a": "x" }.into()), Key::of(&doc! { "ax": "" }.into()));
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
