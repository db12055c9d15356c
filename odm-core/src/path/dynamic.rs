//! Paths that no model declares: their values are BSON, whatever they hold.

use std::borrow::Cow;

use bson::Bson;

use super::{Delta, Integer, IntoKey, List, Map, Name, Number, Path};
use crate::error::{Error, Result};

/// A path in stored names to a value of any type, in documents without a declared model or in a
/// part of a model that is not declared.
///
/// It has the operators of every type, and takes [`Bson`] values and what becomes one. A value never
/// acts as an operator; neither does a name: one that begins with `$` (but for those of a DBRef), is
/// empty or holds a null character is an error, which the action returns before anything is sent.
///
/// What the path does not tell, the server finds out: elements of arrays on the way are looked into
/// by filters, and refused by updates. In a model with a schema version the names are those of the
/// current version.
///
/// ```
/// use bson::Document;
/// use odm::path::dynamic;
///
/// let filter = dynamic::<Document>("device.kind").eq("sensor") & dynamic("readings").size(3);
/// assert_eq!(filter.to_string(), r#"{ "device.kind": "sensor", "readings": { "$size": 3 } }"#);
///
/// let readings = dynamic::<Document>("readings");
/// let filter = readings.elem_match(|r| r.key("unit").eq("C") & r.key("value").gt(30));
/// assert_eq!(
///     filter.to_string(),
///     r#"{ "readings": { "$elemMatch": { "unit": "C", "value": { "$gt": 30 } } } }"#,
/// );
/// ```
///
/// Source: [dot notation](https://www.mongodb.com/docs/manual/core/document/#dot-notation).
#[must_use]
pub fn dynamic<M>(path: impl Into<Cow<'static, str>>) -> Path<M, Bson> {
    let path = path.into();
    let error = path.split('.').find_map(refused).map(|reason| {
        let message = format!("a name in the path {reason}");
        Error::invalid(message).with_path(path.as_ref())
    });
    Path::new(Name::new(path, error))
}

/// Why a name cannot be part of a path.
fn refused(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("is empty"),
        "$ref" | "$id" | "$db" => None,
        name if name.starts_with('$') => Some("begins with `$`, as operators do"),
        name if name.contains('\0') => Some("contains a null character"),
        _ => None,
    }
}

#[diagnostic::do_not_recommend]
impl List for Bson {
    type Element = Self;
}

#[diagnostic::do_not_recommend]
impl Map for Bson {
    type Value = Self;
}

#[diagnostic::do_not_recommend]
impl Number for Bson {
    type Amount = Self;
}

#[diagnostic::do_not_recommend]
impl Integer for Bson {}

/// Lets a value stand for BSON, as the type that it is stored as.
macro_rules! into_bson {
    ($($type:ty),+ $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoKey<Bson> for $type {
            fn into_key(self) -> Bson {
                self.into()
            }
        }
    )+};
}

into_bson!(
    bool,
    i32,
    i64,
    f64,
    &str,
    String,
    bson::oid::ObjectId,
    bson::DateTime,
    bson::Decimal128,
    bson::Uuid,
    bson::Binary,
    bson::Timestamp,
    bson::Regex,
    bson::Document,
    bson::Array,
);

macro_rules! deltas {
    ($($amount:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl Delta<Bson> for $amount {
            fn encode(self) -> Result<Bson> {
                Ok(self.into())
            }
        }
    )+};
}

deltas!(i32, i64, f64, bson::Decimal128);

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, doc};

    use super::dynamic;
    use crate::error::ErrorKind;
    use crate::filter::Filter;

    fn path(text: &'static str) -> crate::path::Path<Document, Bson> {
        dynamic(text)
    }

    #[test]
    fn values_are_never_operators() {
        for (filter, expected) in [
            (path("a").eq(doc! { "$gt": 1 }), doc! { "a": { "$eq": { "$gt": 1 } } }),
            (path("a.0").eq(1), doc! { "a.0": 1 }),
            (path("a").gte(2.5), doc! { "a": { "$gte": 2.5 } }),
            (path("a").in_(["x", "y"]), doc! { "a": { "$in": ["x", "y"] } }),
            (path("a").contains(1_i64), doc! { "a": 1_i64 }),
            (path("a").at(1).key("b").eq(Bson::Null), doc! { "a.1.b": null }),
            (path("a.$id").eq(7), doc! { "a.$id": 7 }),
            (
                path("a").elem_match(|e| e.gt(1) & e.lt(3)),
                doc! {
                    "a": { "$elemMatch": { "$gt": 1, "$lt": 3 } },
                },
            ),
            (
                path("a").elem_match(|e| e.key("b").key("c").eq(1)),
                doc! {
                    "a": { "$elemMatch": { "b.c": 1 } },
                },
            ),
        ] {
            assert_eq!(filter.into_document().ok(), Some(expected));
        }
        let update = path("n").inc(1) + path("m").inc(2_i64) + path("l").push("x");
        let expected = doc! { "$inc": { "n": 1, "m": 2_i64 }, "$push": { "l": "x" } };
        assert_eq!(update.into_document().ok(), Some(expected));
    }

    #[test]
    fn names_are_never_operators() {
        for text in ["", "$where", "a.$", "a.$[]", "a..b", ".a", "a.", "a.\0", "$gt.a"] {
            assert!(is_refused(path(text).eq(1)), "{text:?}");
        }
        assert!(is_refused(path("a").elem_match(|e| e.key("$gt").eq(1))));
    }

    fn is_refused(filter: Filter<Document>) -> bool {
        filter.into_document().is_err_and(|error| error.kind() == ErrorKind::InvalidArgument)
    }
}
