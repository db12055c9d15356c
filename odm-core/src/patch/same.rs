//! Whether two values are the same, and whether one is what the other was read from.

use bson::{Bson, Document};

/// Whether both are the same value of the same type. The order of fields is none of it: a map has
/// none. Numbers of different types differ, and so do `0.0` and `-0.0`; `NaN` is itself.
pub(crate) fn same(a: &Bson, b: &Bson) -> bool {
    match (a, b) {
        (Bson::Double(a), Bson::Double(b)) => a.to_bits() == b.to_bits(),
        (Bson::Document(a), Bson::Document(b)) => same_fields(a, b),
        (Bson::Array(a), Bson::Array(b)) => same_elements(a, b),
        (a, b) => a == b,
    }
}

fn same_fields(a: &Document, b: &Document) -> bool {
    let is_in_b = |(name, value): (&String, &Bson)| b.get(name).is_some_and(|b| same(value, b));
    a.len() == b.len() && a.iter().all(is_in_b)
}

pub(super) fn same_elements(a: &[Bson], b: &[Bson]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// Whether a list was read from the stored one element by element, so that positions are the same
/// in both. A set has an order of its own.
pub(super) fn resemble(stored: &[Bson], read: &[Bson]) -> bool {
    stored.len() == read.len() && stored.iter().zip(read).all(|(s, r)| resembles(s, r))
}

fn resembles(stored: &Bson, read: &Bson) -> bool {
    let is_number = |value: &Bson| {
        matches!(value, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_))
    };
    match (stored, read) {
        (Bson::Document(stored), Bson::Document(read)) => stored
            .iter()
            .all(|(name, value)| read.get(name).is_none_or(|read| resembles(value, read))),
        (Bson::Array(stored), Bson::Array(read)) => resemble(stored, read),
        (stored, read) => same(stored, read) || (is_number(stored) && is_number(read)),
    }
}
