//! One form for declared and existing indexes, so that they can be compared.

use std::fmt;

use bson::{Bson, Document, RawDocument};

use crate::error::{Error, ErrorKind, Result};

/// An index as the server lists it, without what the server adds by itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spec {
    pub(crate) name: String,
    pub(crate) keys: Document,
    /// Sorted by name; numbers that mean the same look the same.
    pub(crate) options: Document,
}

impl Spec {
    pub(super) fn new(name: String, keys: Document, options: Document) -> Self {
        Self { name, keys: normal_document(keys), options: sorted(normal_document(options)) }
    }

    /// Reads one document of `listIndexes`.
    pub(crate) fn read(raw: &RawDocument) -> Result<Self> {
        /// What the server adds to every index, and what no server acts on any more.
        const NOT_OPTIONS: [&str; 5] = ["v", "key", "name", "ns", "background"];
        let mut listed = Document::try_from(raw).map_err(|error| {
            Error::new(ErrorKind::Decode, "malformed index description").with_source(error)
        })?;
        let (Some(Bson::Document(keys)), Some(Bson::String(name))) =
            (listed.remove("key"), listed.remove("name"))
        else {
            return Err(Error::new(ErrorKind::Decode, "an index without key or name"));
        };
        let options = listed
            .into_iter()
            .filter(|(name, value)| {
                // `unique: false` and the like are what is meant without the option.
                !NOT_OPTIONS.contains(&name.as_str()) && *value != Bson::Boolean(false)
            })
            .collect();
        Ok(Self::new(name, keys, options))
    }

    /// An index with the name that comes from its keys and options.
    pub(crate) fn named(keys: Document, options: Document) -> Self {
        Self::new(derived_name(&keys, &options), keys, options)
    }

    /// Whether both are the same index, whatever their names.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        same_keys(&self.keys, &other.keys) && self.options == other.options
    }

    /// Whether both index the same keys in the same order and directions.
    pub(crate) fn has_keys_of(&self, other: &Self) -> bool {
        same_keys(&self.keys, &other.keys)
    }

    /// The index as `createIndexes` takes it.
    pub(crate) fn to_command(&self) -> Document {
        let mut index = Document::new();
        index.insert("key", self.keys.clone());
        index.insert("name", &self.name);
        index.extend(self.options.clone());
        index
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.name, self.keys)?;
        match self.options.is_empty() {
            true => Ok(()),
            false => write!(f, " {}", self.options),
        }
    }
}

/// A name that tells keys and options apart: indexes that may exist beside each other need names
/// that differ.
pub(super) fn derived_name(keys: &Document, options: &Document) -> String {
    let mut parts: Vec<_> =
        keys.iter().map(|(path, direction)| format!("{path}_{}", plain(direction))).collect();
    for (option, value) in options {
        parts.push(match option.as_str() {
            "expireAfterSeconds" => "ttl".to_owned(),
            "partialFilterExpression" => format!("partial_{:08x}", fingerprint(value)),
            option => option.to_owned(),
        });
    }
    parts.join("_")
}

fn plain(direction: &Bson) -> String {
    match direction {
        Bson::String(kind) => kind.clone(),
        direction => direction.to_string(),
    }
}

/// FNV-1a: the same in every build, as a stored name must be.
fn fingerprint(value: &Bson) -> u32 {
    value
        .to_string()
        .bytes()
        .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Refuses a partial filter that the server would refuse.
///
/// Source: [partial indexes](https://www.mongodb.com/docs/manual/core/index-partial/).
pub(super) fn check_partial(filter: &Document) -> Result<()> {
    const ACCEPTED: [&str; 9] =
        ["$eq", "$exists", "$gt", "$gte", "$lt", "$lte", "$type", "$and", "$or"];
    for (key, value) in filter {
        let accepted = !key.starts_with('$') || ACCEPTED.contains(&key.as_str()) || key == "$in";
        if !accepted || (key == "$exists" && *value != Bson::Boolean(true)) {
            let message = format!("the server takes no `{key}: {value}` in a partial filter");
            return Err(Error::invalid(message));
        }
        match value {
            Bson::Document(inner) => check_partial(inner)?,
            Bson::Array(items) if key == "$and" || key == "$or" => {
                items.iter().filter_map(Bson::as_document).try_for_each(check_partial)?;
            }
            Bson::RegularExpression(_) => {
                return Err(Error::invalid(
                    "the server takes no regular expression in a partial filter",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

fn same_keys(a: &Document, b: &Document) -> bool {
    a.len() == b.len() && a.iter().eq(b.iter())
}

fn sorted(document: Document) -> Document {
    let mut entries: Vec<_> = document.into_iter().collect();
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    entries.into_iter().collect()
}

fn normal_document(document: Document) -> Document {
    document.into_iter().map(|(name, value)| (name, normal(value))).collect()
}

/// Whole numbers as 64-bit integers, whatever type the server or a shell stored them in.
fn normal(value: Bson) -> Bson {
    match value {
        Bson::Int32(number) => Bson::Int64(number.into()),
        Bson::Double(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Bson::Int64(number as i64)
        }
        Bson::Document(inner) => normal_document(inner).into(),
        Bson::Array(items) => items.into_iter().map(normal).collect(),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use bson::{doc, rawdoc};

    use super::*;

    #[test]
    fn what_the_server_adds_or_widens_makes_no_difference() -> Result<()> {
        let listed = Spec::read(&rawdoc! {
            "v": 2, "key": { "when": 1.0 }, "name": "x", "expireAfterSeconds": 60.0,
            "background": true, "unique": false,
        })?;
        let declared =
            Spec::new("y".into(), doc! { "when": 1 }, doc! { "expireAfterSeconds": 60_i64 });
        assert!(listed.is_same(&declared));
        Ok(())
    }

    #[test]
    fn the_order_of_keys_makes_a_difference_and_that_of_options_none() {
        let ab = Spec::new(String::new(), doc! { "a": 1, "b": 1 }, doc! {});
        let ba = Spec::new(String::new(), doc! { "b": 1, "a": 1 }, doc! {});
        assert!(!ab.is_same(&ba) && !ab.has_keys_of(&ba));
        let one =
            Spec::new(String::new(), doc! { "a": 1 }, doc! { "unique": true, "sparse": true });
        let two =
            Spec::new(String::new(), doc! { "a": 1 }, doc! { "sparse": true, "unique": true });
        assert!(one.is_same(&two));
    }

    #[test]
    fn names_come_from_keys_and_options() {
        let name = |keys, options| derived_name(&keys, &options);
        assert_eq!(name(doc! { "author": 1, "when": -1 }, doc! {}), "author_1_when_-1");
        assert_eq!(name(doc! { "email": 1 }, doc! { "unique": true }), "email_1_unique");
        let partial = doc! { "partialFilterExpression": { "a": { "$gte": "" } } };
        assert_eq!(name(doc! { "a": 1 }, partial), "a_1_partial_05307a06");
    }

    #[test]
    fn operators_that_the_server_refuses_are_refused() {
        assert!(check_partial(&doc! { "a": { "$gt": 1 }, "b": "x" }).is_ok());
        assert!(check_partial(&doc! { "$or": [{ "a": 1 }, { "b": { "$in": [1, 2] } }] }).is_ok());
        for refused in [
            doc! { "a": { "$ne": 1 } },
            doc! { "a": { "$exists": false } },
            doc! { "$nor": [{ "a": 1 }] },
            doc! { "$and": [{ "a": { "$size": 1 } }] },
            doc! { "a": { "$regex": "x" } },
        ] {
            assert!(check_partial(&refused).is_err(), "{refused}");
        }
    }
}
