//! The filter of what lies beyond a place in the order.
//!
//! A comparison such as `$gt` only matches values of its operand's own type class, and never NaN;
//! a sort puts all types in one order, with a missing field as null. So what is beyond a value is
//! the rest of its class, and the other classes on that side. Beyond several keys is beyond the
//! first, or equal to it and beyond the second, and so on.
//!
//! The filter does not list what is beyond: it excludes the rest of the value's class, and each class
//! on the other side. That is one condition for a key, so that the planner has few plans to choose
//! from; it becomes bounds of an index; and it also finds what no list can: arrays, which then end
//! the page with an error and are not passed over.
//!
//! Values stand only where the server takes them for values: after a comparison, or in `$literal`.
//!
//! Source: [comparison and sort order](https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/).

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Document, Timestamp, doc};

/// A key's value at the place, and the direction in which to go on.
pub(super) struct Position<'a> {
    pub(super) path: &'a str,
    pub(super) value: &'a Bson,
    pub(super) descending: bool,
}

/// The documents beyond the place that the positions name, and at it if `inclusive`.
pub(super) fn beyond(positions: &[Position<'_>], inclusive: bool) -> Document {
    let mut branches = Vec::new();
    let mut equal = Document::new();
    for position in positions {
        for beyond in position.beyond() {
            let mut branch = equal.clone();
            branch.extend(beyond);
            branches.push(branch);
        }
        equal.insert(position.path, position.equal());
    }
    if inclusive {
        branches.push(equal);
    }
    doc! { "$or": branches }
}

/// The types that compare with each other, in their order; `$type`'s names for them.
const CLASSES: [&[&str]; 17] = [
    &["minKey"],
    &["undefined"],
    &["null"],
    &["number"],
    &["string", "symbol"],
    &["object"],
    &["array"],
    &["binData"],
    &["objectId"],
    &["bool"],
    &["date"],
    &["timestamp"],
    &["regex"],
    &["dbPointer"],
    &["javascript"],
    &["javascriptWithScope"],
    &["maxKey"],
];

const UNDEFINED: usize = 1;
const NULL: usize = 2;
const NUMBER: usize = 3;
const ARRAY: usize = 6;

/// The position of a value's class in [`CLASSES`].
fn class_of(value: &Bson) -> usize {
    match value {
        Bson::MinKey => 0,
        Bson::Undefined => UNDEFINED,
        Bson::Null => NULL,
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_) => NUMBER,
        Bson::String(_) | Bson::Symbol(_) => 4,
        Bson::Document(_) => 5,
        Bson::Array(_) => ARRAY,
        Bson::Binary(_) => 7,
        Bson::ObjectId(_) => 8,
        Bson::Boolean(_) => 9,
        Bson::DateTime(_) => 10,
        Bson::Timestamp(_) => 11,
        Bson::RegularExpression(_) => 12,
        Bson::DbPointer(_) => 13,
        Bson::JavaScriptCode(_) => 14,
        Bson::JavaScriptCodeWithScope(_) => 15,
        Bson::MaxKey => 16,
    }
}

/// The least value of a class, from which `$gte` matches all of it but NaN; `None` where a class
/// has one value, or the server takes no such comparison.
fn least(class: usize) -> Option<Bson> {
    Some(match class {
        NUMBER => Bson::Double(f64::NEG_INFINITY),
        4 => Bson::String(String::new()),
        5 => Bson::Document(Document::new()),
        7 => Binary { subtype: BinarySubtype::Generic, bytes: Vec::new() }.into(),
        8 => ObjectId::from_bytes([0; 12]).into(),
        9 => false.into(),
        10 => DateTime::MIN.into(),
        11 => Timestamp { time: 0, increment: 0 }.into(),
        14 => Bson::JavaScriptCode(String::new()),
        _ => return None,
    })
}

/// The only value of a class.
fn only(class: usize) -> Option<Bson> {
    match class {
        0 => Some(Bson::MinKey),
        NULL => Some(Bson::Null),
        16 => Some(Bson::MaxKey),
        _ => None,
    }
}

fn is_nan(value: &Bson) -> bool {
    value.as_f64().is_some_and(f64::is_nan)
}

impl Position<'_> {
    /// The condition of being equal, in the order's sense.
    fn equal(&self) -> Bson {
        match self.value {
            // Before MongoDB 8.0, undefined values are equal to null; the order has them apart.
            Bson::Null => doc! { "$eq": null, "$not": { "$type": ["undefined"] } }.into(),
            Bson::Undefined => doc! { "$type": ["undefined"] }.into(),
            value => doc! { "$eq": value }.into(),
        }
    }

    /// What is beyond, by one of these conditions.
    fn beyond(&self) -> Vec<Document> {
        match self.value {
            // Excluding null would exclude what is undefined too. An empty array sorts as that.
            Bson::Null if self.descending => vec![
                doc! { self.path: { "$type": ["minKey", "undefined"] } },
                doc! { self.path: { "$eq": [] } },
            ],
            _ => vec![self.not_excluded()],
        }
    }

    /// What is neither in the value's class up to the value, nor in a class before that.
    fn not_excluded(&self) -> Document {
        let class = class_of(self.value);
        let (operator, others) = match self.descending {
            true => ("$gte", class + 1..CLASSES.len()),
            false => ("$lte", 0..class),
        };
        let mut values: Vec<Bson> = only(class).into_iter().collect();
        let mut types = Vec::new();
        let mut ranges = Vec::new();
        let mut beyond = Document::new();
        match self.value {
            Bson::Undefined => types.push("undefined"),
            Bson::RegularExpression(_) | Bson::DbPointer(_) => {
                beyond.insert("$nor", [self.by_expression(class, operator)]);
            }
            value if is_nan(value) => {
                values.push(f64::NAN.into());
                if self.descending {
                    ranges.extend(least(NUMBER).map(|value| doc! { "$gte": value }));
                }
            }
            _ if only(class).is_some() => {}
            value => {
                ranges.push(doc! { operator: value });
                if class == NUMBER && !self.descending {
                    values.push(f64::NAN.into());
                }
            }
        }
        for class in others {
            match (only(class), least(class)) {
                (Some(value), _) => values.push(value),
                (None, Some(value)) => ranges.push(doc! { "$gte": value }),
                (None, None) if class == ARRAY => {}
                (None, None) => types.extend(CLASSES[class]),
            }
            if class == NUMBER {
                values.push(f64::NAN.into());
            }
        }
        let mut condition = Document::new();
        if !values.is_empty() {
            condition.insert("$nin", values);
        }
        if !types.is_empty() {
            condition.insert("$not", doc! { "$type": types });
        }
        if !condition.is_empty() {
            beyond.insert(self.path, condition);
        }
        let ranges: Vec<_> =
            ranges.into_iter().map(|range| doc! { self.path: { "$not": range } }).collect();
        if !ranges.is_empty() {
            beyond.insert("$and", ranges);
        }
        beyond
    }

    /// The values of one class that compare so, by an expression: the server refuses a regular
    /// expression after a comparison, and has no index bounds for the opposite of a DBPointer's.
    fn by_expression(&self, class: usize, operator: &str) -> Document {
        let operands =
            [Bson::String(format!("${}", self.path)), doc! { "$literal": self.value }.into()];
        doc! { self.path: { "$type": CLASSES[class].to_vec() }, "$expr": { operator: operands } }
    }
}

#[cfg(test)]
mod tests;
