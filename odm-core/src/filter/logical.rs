//! Logical operators: `&` (`$and`), `|` (`$or`), `!` (`$not`, `$nor`).
//!
//! Source: [logical query operators](https://www.mongodb.com/docs/manual/reference/operator/query-logical/).

use std::ops::{BitAnd, BitOr, Not};

use bson::{Bson, Document, doc};

use super::{Filter, matches_all};
use crate::error::Result;

impl<M> Filter<M> {
    /// Documents that match all of the filters; without any, every document.
    pub fn and(filters: impl IntoIterator<Item = Self>) -> Self {
        filters.into_iter().fold(Self::new(), BitAnd::bitand)
    }

    /// Documents that match at least one of the filters; without any, no document.
    pub fn or(filters: impl IntoIterator<Item = Self>) -> Self {
        filters.into_iter().reduce(BitOr::bitor).unwrap_or_else(|| !Self::new())
    }

    /// Documents that match none of the filters; without any, every document.
    pub fn nor(filters: impl IntoIterator<Item = Self>) -> Self {
        let documents: Result<Vec<Document>> =
            filters.into_iter().map(|filter| filter.document).collect();
        Self::from_result(documents.map(|documents| match documents.is_empty() {
            true => Document::new(),
            false => doc! { "$nor": documents },
        }))
    }

    fn join(self, other: Self, join: impl FnOnce(Document, Document) -> Document) -> Self {
        Self::from_result(self.document.and_then(|a| other.document.map(|b| join(a, b))))
    }
}

impl<M> BitAnd for Filter<M> {
    type Output = Self;

    /// Both filters match.
    fn bitand(self, other: Self) -> Self {
        self.join(other, both)
    }
}

impl<M> BitOr for Filter<M> {
    type Output = Self;

    /// At least one of the filters matches.
    fn bitor(self, other: Self) -> Self {
        self.join(other, either)
    }
}

impl<M> Not for Filter<M> {
    type Output = Self;

    /// The filter does not match.
    fn not(self) -> Self {
        Self::from_result(self.document.map(negated))
    }
}

/// One document where no name stands twice, else `$and`.
pub(crate) fn both(mut a: Document, b: Document) -> Document {
    if b.iter().all(|(name, condition)| joins(a.get(name), condition)) {
        for (name, condition) in b {
            match (a.get_mut(&name), condition) {
                (Some(Bson::Document(operators)), Bson::Document(more)) => operators.extend(more),
                (_, condition) => drop(a.insert(name, condition)),
            }
        }
        return a;
    }
    let mut parts = parts_of(a, "$and");
    parts.extend(parts_of(b, "$and"));
    doc! { "$and": parts }
}

/// Whether a condition can stand beside the one that is already there under its name.
fn joins(there: Option<&Bson>, condition: &Bson) -> bool {
    /// Operators that mean the same whatever stands beside them.
    const INDEPENDENT: [&str; 23] = [
        "$gt",
        "$gte",
        "$lt",
        "$lte",
        "$eq",
        "$ne",
        "$in",
        "$nin",
        "$not",
        "$exists",
        "$type",
        "$regex",
        "$options",
        "$mod",
        "$all",
        "$size",
        "$elemMatch",
        "$bitsAllSet",
        "$bitsAnySet",
        "$bitsAllClear",
        "$bitsAnyClear",
        "$geoWithin",
        "$geoIntersects",
    ];
    match (there, condition) {
        (None, _) => true,
        (Some(Bson::Document(there)), Bson::Document(more)) => {
            let independent = |operators: &Document| {
                !operators.is_empty() && operators.keys().all(|key| INDEPENDENT.contains(&&**key))
            };
            independent(there)
                && independent(more)
                && more.keys().all(|operator| !there.contains_key(operator))
        }
        _ => false,
    }
}

fn either(a: Document, b: Document) -> Document {
    if matches_all(&a) || matches_all(&b) {
        return Document::new();
    }
    let mut parts = parts_of(a, "$or");
    parts.extend(parts_of(b, "$or"));
    doc! { "$or": parts }
}

/// The operands of a filter that is nothing but this operator, else the filter itself.
fn parts_of(mut filter: Document, operator: &str) -> Vec<Bson> {
    match filter.get_mut(operator) {
        Some(Bson::Array(parts)) => {
            let parts = std::mem::take(parts);
            if filter.len() == 1 {
                return parts;
            }
            filter.insert(operator, parts);
            vec![filter.into()]
        }
        _ => vec![filter.into()],
    }
}

/// The opposite condition on the same path where there is one, else `$nor`.
fn negated(filter: Document) -> Document {
    if filter.len() == 1
        && let Some(Bson::Array(parts)) = filter.get("$nor")
        && let [Bson::Document(inner)] = parts.as_slice()
    {
        return inner.clone();
    }
    let mut conditions = filter.iter();
    match (conditions.next(), conditions.next()) {
        (Some((path, condition)), None) if !path.starts_with('$') => match condition {
            // No document matches, so every one does now, and a write must see that.
            Bson::Document(operators) if is_in_nothing(operators) => Document::new(),
            Bson::Document(operators) if can_be_under_not(operators) => {
                doc! { path: { "$not": operators } }
            }
            Bson::Document(_) => doc! { "$nor": [filter] },
            Bson::RegularExpression(_) => doc! { path: { "$not": condition } },
            value => doc! { path: { "$ne": value } },
        },
        _ => doc! { "$nor": [filter] },
    }
}

fn is_in_nothing(operators: &Document) -> bool {
    operators.len() == 1
        && ["$in", "$all"].iter().any(|key| operators.get_array(key).is_ok_and(Vec::is_empty))
}

fn can_be_under_not(operators: &Document) -> bool {
    // A value that begins with `$ref` is a reference, and stands for itself.
    operators.keys().next().is_some_and(|key| key.starts_with('$') && key != "$ref")
        && !operators.contains_key("$not")
}
