//! The keys by which the elements of a list are told apart.

use std::collections::HashMap;

use bson::Bson;
use bson::oid::ObjectId;

use super::Fields;
use crate::model::Field;

/// A key that equality finds, and nothing else with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key<'a> {
    Text(&'a str),
    Id(ObjectId),
    Int(i32),
    Long(i64),
    Date(i64),
    Binary(u8, &'a [u8]),
}

impl<'a> Key<'a> {
    /// The key of an element; `None` where it has none that is exact.
    pub(super) fn of(element: &'a Bson, name: &str) -> Option<Self> {
        Some(match element.as_document()?.get(name)? {
            Bson::String(text) => Self::Text(text),
            Bson::ObjectId(id) => Self::Id(*id),
            Bson::Int32(number) => Self::Int(*number),
            Bson::Int64(number) => Self::Long(*number),
            Bson::DateTime(date) => Self::Date(date.timestamp_millis()),
            Bson::Binary(binary) => Self::Binary(binary.subtype.into(), &binary.bytes),
            _ => return None,
        })
    }
}

/// Where each element is, by its key.
pub(super) type Positions<'a> = HashMap<Key<'a>, usize>;

/// The positions in a list; `None` where the keys do not tell its elements apart.
pub(super) fn positions<'a>(list: &'a [Bson], name: &str) -> Option<Positions<'a>> {
    let mut positions = HashMap::with_capacity(list.len());
    for (at, element) in list.iter().enumerate() {
        if positions.insert(Key::of(element, name)?, at).is_some() {
            return None;
        }
    }
    Some(positions)
}

/// The stored name of the field that tells the elements of a list apart.
pub(super) fn key_name(field: Option<&Field>, fields: Fields) -> Option<&'static str> {
    let (Fields::Of(shape), key) = (fields, field?.key?) else { return None };
    shape.all_fields().into_iter().find(|field| field.rust_name == key).map(|field| field.name)
}
