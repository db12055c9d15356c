//! Types whose `Serialize` is written by hand: what it writes is what is stored.

use odm::prelude::*;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::{assert_same, is_written};

/// Declares a document with fields `from` and `to`, written by this body.
macro_rules! by_hand {
    ($($(#[$doc:meta])* $model:ident: |$value:ident, $serializer:ident| $body:block)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize, Document)]
        struct $model {
            #[serde(rename = "_id")]
            id: i32,
            from: String,
            to: String,
        }

        impl Serialize for $model {
            fn serialize<S: Serializer>(&self, $serializer: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                $body
            }
        }
    )+};
}

by_hand! {
    Changed: |value, serializer| {
        let mut fields = serializer.serialize_struct("Changed", 3)?;
        fields.serialize_field("_id", &value.id)?;
        fields.serialize_field("from", &value.from.to_uppercase())?;
        fields.serialize_field("to", &value.to)?;
        fields.end()
    }
    Swapped: |value, serializer| {
        let mut fields = serializer.serialize_struct("Swapped", 3)?;
        fields.serialize_field("_id", &value.id)?;
        fields.serialize_field("from", &value.to)?;
        fields.serialize_field("to", &value.from)?;
        fields.end()
    }
    Renamed: |value, serializer| {
        let mut fields = serializer.serialize_struct("Renamed", 3)?;
        fields.serialize_field("_id", &value.id)?;
        fields.serialize_field("start", &value.from)?;
        fields.serialize_field("to", &value.to)?;
        fields.end()
    }
    Shortened: |value, serializer| {
        let mut fields = serializer.serialize_struct("Shortened", 2)?;
        fields.serialize_field("_id", &value.id)?;
        fields.serialize_field("from", &value.from)?;
        fields.end()
    }
    Extended: |value, serializer| {
        let mut fields = serializer.serialize_struct("Extended", 4)?;
        fields.serialize_field("_id", &value.id)?;
        fields.serialize_field("from", &value.from)?;
        fields.serialize_field("to", &value.to)?;
        fields.serialize_field("more", &true)?;
        fields.end()
    }
    Reordered: |value, serializer| {
        let mut fields = serializer.serialize_struct("Reordered", 3)?;
        fields.serialize_field("_id", &value.id)?;
        fields.serialize_field("to", &value.to)?;
        fields.serialize_field("from", &value.from)?;
        fields.end()
    }
    Mapped: |value, serializer| {
        serializer.collect_map([("_id", "x"), ("from", &value.from), ("to", &value.to)])
    }
    Refused: |_value, _serializer| { Err(serde::ser::Error::custom("not to be stored")) }
    Same: |value, serializer| {
        let mut fields = serializer.serialize_struct("Same", 3)?;
        fields.serialize_field("_id", &value.id)?;
        fields.serialize_field("from", &value.from)?;
        fields.serialize_field("to", &value.to)?;
        fields.end()
    }
}

#[test]
fn documents_written_by_hand_are_stored_so() {
    macro_rules! assert_by_hand {
        ($($model:ident)+) => {$(
            let sample = $model { id: 1, from: "from".into(), to: "to".into() };
            assert!(!is_written(&sample), "{sample:?}");
            assert_same(&sample);
        )+};
    }
    assert_by_hand!(Changed Swapped Renamed Shortened Extended Reordered Mapped Refused);
    let same = Same { id: 1, from: "from".into(), to: "to".into() };
    assert!(is_written(&same));
    assert_same(&same);
}

by_hand! {
    /// Only sometimes other than what serde's derive writes.
    Masked: |value, serializer| {
        let mut fields = serializer.serialize_struct("Masked", 3)?;
        fields.serialize_field("_id", &value.id)?;
        match value.from.as_str() {
            "secret" => fields.serialize_field("from", "***")?,
            "left out" => fields.skip_field("from")?,
            _ => fields.serialize_field("from", &value.from)?,
        }
        fields.serialize_field("to", &value.to)?;
        fields.end()
    }
}

#[test]
fn each_value_is_asked() {
    let [plain, secret, left_out] = ["plain", "secret", "left out"].map(|from| Masked {
        id: 1,
        from: from.into(),
        to: "to".into(),
    });
    for (value, expected) in [(&plain, true), (&secret, false), (&left_out, false), (&plain, true)]
    {
        assert_eq!(is_written(value), expected, "{value:?}");
        assert_same(value);
    }
}

#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(collection = "parts")]
struct Parts {
    #[serde(rename = "_id")]
    id: i32,
    secret: Secret,
    side: Side,
    sides: Vec<Side>,
    span: Option<Span>,
    unsaid: Option<Secret>,
}

/// A newtype that does not tell what it holds.
#[derive(Debug, Deserialize, Embedded)]
struct Secret(String);

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("Secret", &self.0.len().to_string())
    }
}

/// An enum of which one variant has another name.
#[derive(Debug, Deserialize, Embedded)]
enum Side {
    Left,
    Right,
}

impl Serialize for Side {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Left => serializer.serialize_unit_variant("Side", 0, "Left"),
            Self::Right => serializer.serialize_str("the right side"),
        }
    }
}

/// A struct that is written as a text.
#[derive(Debug, Deserialize, Embedded)]
struct Span {
    from: i32,
    to: i32,
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}-{}", self.from, self.to))
    }
}

/// The whole document is left to serde.
#[test]
fn values_written_by_hand_are_stored_so() {
    let parts = Parts {
        id: 1,
        secret: Secret("secret".into()),
        side: Side::Left,
        sides: vec![Side::Right, Side::Left],
        span: Some(Span { from: 1, to: 2 }),
        unsaid: None,
    };
    assert!(!is_written(&parts));
    assert_same(&parts);
}
