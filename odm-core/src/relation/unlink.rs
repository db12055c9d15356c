//! Takes references away: the writes that remove these keys at one path, as BSON.
//!
//! In comes a reference that a model holds ([`Held`]) and the keys that are no longer to be
//! referred to; out go updates of many documents, each of which can be repeated.

use bson::{Bson, Document, doc};

use super::held::{Held, Segment, Through};
use crate::error::Result;
use crate::path::ArrayFilters;
use crate::relation::Place;
use crate::update::Modification;

/// An update of many documents that takes references away.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unlink {
    /// The documents that hold one of the references.
    pub(crate) filter: Document,
    pub(crate) update: Document,
    pub(crate) array_filters: Vec<Document>,
}

impl Unlink {
    /// The update as the driver room takes it.
    pub(crate) fn modification(&self) -> Result<Modification> {
        let mut filters = ArrayFilters::default();
        for (level, condition) in self.array_filters.iter().enumerate() {
            filters.define(&identifier(level), condition.clone())?;
        }
        Ok(Modification::Operators { document: self.update.clone(), filters })
    }
}

/// Plans the writes that take the references with these keys away. None where no update can:
/// where a reference must be there ([`Held::can_unlink`]).
///
/// `database` is where the target is stored: a DBRef that names another one leads elsewhere. A
/// reference that is a DBRef may be stored as the bare key too, and then there are two writes.
///
/// The keys are those of one command: the caller splits them by their size.
pub(crate) fn plan_unlink(held: &Held, keys: &[Bson], database: &str) -> Vec<Unlink> {
    match held.can_unlink() {
        true => leaves(held, keys, database, &|leaf| plan(held, leaf)),
        false => Vec::new(),
    }
}

/// What is made of each way in which the keys may be stored.
fn leaves<T>(held: &Held, keys: &[Bson], database: &str, plan: &dyn Fn(&Leaf<'_>) -> T) -> Vec<T> {
    let is_pattern = |key: &&Bson| matches!(key, Bson::RegularExpression(_));
    // A filter for null finds what is missing.
    let (patterns, plain): (Vec<_>, Vec<_>) =
        keys.iter().filter(|key| **key != Bson::Null).cloned().partition(|key| is_pattern(&key));
    // In an `$in`, the server reads a regular expression as a pattern.
    let mut conditions: Vec<_> = patterns.into_iter().map(|key| doc! { "$eq": key }).collect();
    if !plain.is_empty() {
        conditions.push(doc! { "$in": plain.clone() });
    }
    let mut writes = Vec::new();
    if held.reference.is_db_ref && !plain.is_empty() {
        writes.push(plan(&Leaf::DbRef { keys: &plain, database }));
    }
    // A bare key does not tell into which collection it leads.
    if !held.is_one_of_several {
        writes.extend(conditions.iter().map(|condition| plan(&Leaf::Key(condition))));
    }
    writes
}

/// The filters on documents that hold a reference with one of these keys: each finds some of them.
pub(crate) fn plan_find(held: &Held, keys: &[Bson], database: &str) -> Vec<Document> {
    leaves(held, keys, database, &|leaf| condition(held, held.segments(), leaf))
}

/// What is looked for at the end of the path.
enum Leaf<'a> {
    /// A key that meets this condition.
    Key(&'a Document),
    DbRef {
        keys: &'a [Bson],
        database: &'a str,
    },
}

impl Leaf<'_> {
    /// The condition on a document that has the reference, or the list of them, under this name.
    fn condition(&self, held: &Held, name: &str) -> Document {
        match (self, held.reference.place) {
            (Self::Key(condition), Place::One | Place::Optional) => {
                doc! { name: (*condition).clone() }
            }
            (Self::DbRef { keys, database }, Place::One | Place::Optional) => doc! {
                format!("{name}.$id"): { "$in": keys.to_vec() },
                format!("{name}.$ref"): (held.reference.target)().collection,
                format!("{name}.$db"): { "$in": [Bson::Null, Bson::from(*database)] },
            },
            // An array, since the server refuses to pull from anything else.
            (leaf, _) => doc! { name: { "$elemMatch": leaf.element(held) } },
        }
    }

    /// The condition on an element of a list of references. The names of a DBRef's fields take
    /// values there, and no operators.
    fn element(&self, held: &Held) -> Document {
        match self {
            Self::Key(condition) => (*condition).clone(),
            Self::DbRef { keys, database } => {
                let ids: Vec<_> = keys.iter().map(|key| doc! { "$id": key }).collect();
                doc! { "$and": [
                    { "$ref": (held.reference.target)().collection },
                    { "$or": ids },
                    { "$or": [{ "$db": Bson::Null }, { "$db": *database }] },
                ] }
            }
        }
    }
}

fn plan(held: &Held, leaf: &Leaf<'_>) -> Unlink {
    let segments = held.segments();
    let mut path = Vec::with_capacity(segments.len());
    let mut array_filters = Vec::new();
    for (position, segment) in segments.iter().enumerate() {
        path.push(segment.name.to_owned());
        if segment.through == Through::Array {
            let identifier = identifier(array_filters.len());
            path.push(format!("$[{identifier}]"));
            // Of the elements only those that hold one: in others the next array may be missing,
            // which the server refuses.
            let below = segments.get(position + 1..).unwrap_or_default();
            let condition = condition(held, below, leaf);
            let condition = condition.into_iter();
            array_filters.push(
                condition.map(|(key, value)| (format!("{identifier}.{key}"), value)).collect(),
            );
        }
    }
    let path = path.join(".");
    let update = match held.reference.place {
        Place::Optional => doc! { "$unset": { path: "" } },
        _ => doc! { "$pull": { path: leaf.element(held) } },
    };
    Unlink { filter: condition(held, segments, leaf), update, array_filters }
}

/// The condition on documents that hold one of the references below.
fn condition(held: &Held, segments: &[Segment], leaf: &Leaf<'_>) -> Document {
    let array = segments.iter().position(|segment| segment.through == Through::Array);
    let names = |segments: &[Segment]| {
        segments.iter().map(|segment| segment.name).collect::<Vec<_>>().join(".")
    };
    match array.map(|array| segments.split_at(array + 1)) {
        None => leaf.condition(held, &names(segments)),
        Some((until, below)) => {
            doc! { names(until): { "$elemMatch": condition(held, below, leaf) } }
        }
    }
}

fn identifier(level: usize) -> String {
    format!("e{level}")
}

#[cfg(test)]
mod tests {
    use super::super::held::References;
    use super::super::held::tests::{db_ref, embeds, refers};
    use super::*;
    use crate::model::{Kind, Model, Shape};

    static LINE: Shape = Shape::new(
        "Line",
        "",
        &[
            refers("product", Place::Optional),
            refers("tags", Place::List),
            db_ref(refers("seller", Place::Optional)),
            embeds("box", Kind::Document, || Some(&BOX)),
        ],
    );
    static BOX: Shape = Shape::new("Box", "", &[embeds("parts", Kind::Array, || Some(&PART))]);
    static PART: Shape = Shape::new("Part", "", &[refers("maker", Place::Optional)]);
    static ROOT: Shape = Shape::new(
        "Order",
        "",
        &[
            refers("owner", Place::One),
            refers("agent", Place::Optional),
            refers("friends", Place::List),
            refers("pair", Place::Fixed),
            db_ref(refers("peers", Place::List)),
            embeds("address", Kind::Document, || Some(&PART)),
            embeds("lines", Kind::Array, || Some(&LINE)),
        ],
    );

    fn planned(path: &str, keys: &[Bson]) -> Result<Vec<Unlink>, String> {
        let references = References::of(&Model::new("Order", "orders", &ROOT));
        let held = references.held.into_iter().find(|held| held.path() == path);
        Ok(plan_unlink(&held.ok_or("no such path")?, keys, "shop"))
    }

    fn write(filter: Document, update: Document, array_filters: &[Document]) -> Unlink {
        Unlink { filter, update, array_filters: array_filters.to_vec() }
    }

    #[test]
    fn keys_are_taken_away() -> Result<(), String> {
        let keys = [Bson::Int32(1), Bson::Null, Bson::Int32(2)];
        let these = doc! { "$in": [1, 2] };
        let table = [
            ("agent", write(doc! { "agent": &these }, doc! { "$unset": { "agent": "" } }, &[])),
            (
                "friends",
                write(
                    doc! { "friends": { "$elemMatch": &these } },
                    doc! { "$pull": { "friends": &these } },
                    &[],
                ),
            ),
            (
                "address.maker",
                write(
                    doc! { "address.maker": &these },
                    doc! { "$unset": { "address.maker": "" } },
                    &[],
                ),
            ),
            (
                "lines.product",
                write(
                    doc! { "lines": { "$elemMatch": { "product": &these } } },
                    doc! { "$unset": { "lines.$[e0].product": "" } },
                    &[doc! { "e0.product": &these }],
                ),
            ),
            (
                "lines.tags",
                write(
                    doc! { "lines": { "$elemMatch": { "tags": { "$elemMatch": &these } } } },
                    doc! { "$pull": { "lines.$[e0].tags": &these } },
                    &[doc! { "e0.tags": { "$elemMatch": &these } }],
                ),
            ),
            (
                "lines.box.parts.maker",
                write(
                    doc! { "lines": { "$elemMatch": {
                        "box.parts": { "$elemMatch": { "maker": &these } },
                    } } },
                    doc! { "$unset": { "lines.$[e0].box.parts.$[e1].maker": "" } },
                    &[
                        doc! { "e0.box.parts": { "$elemMatch": { "maker": &these } } },
                        doc! { "e1.maker": &these },
                    ],
                ),
            ),
        ];
        for (path, expected) in table {
            assert_eq!(planned(path, &keys)?, [expected], "{path}");
        }
        Ok(())
    }

    #[test]
    fn db_refs_and_bare_keys_are_taken_away() -> Result<(), String> {
        let of_these = doc! {
            "seller.$id": { "$in": [1] },
            "seller.$ref": "users",
            "seller.$db": { "$in": [null, "shop"] },
        };
        let in_lines = [
            write(
                doc! { "lines": { "$elemMatch": of_these } },
                doc! { "$unset": { "lines.$[e0].seller": "" } },
                &[doc! {
                    "e0.seller.$id": { "$in": [1] },
                    "e0.seller.$ref": "users",
                    "e0.seller.$db": { "$in": [null, "shop"] },
                }],
            ),
            write(
                doc! { "lines": { "$elemMatch": { "seller": { "$in": [1] } } } },
                doc! { "$unset": { "lines.$[e0].seller": "" } },
                &[doc! { "e0.seller": { "$in": [1] } }],
            ),
        ];
        assert_eq!(planned("lines.seller", &[Bson::Int32(1)])?, in_lines);
        let element = doc! { "$and": [
            { "$ref": "users" },
            { "$or": [{ "$id": 1 }, { "$id": 2 }] },
            { "$or": [{ "$db": null }, { "$db": "shop" }] },
        ] };
        let in_list = [
            write(
                doc! { "peers": { "$elemMatch": &element } },
                doc! { "$pull": { "peers": &element } },
                &[],
            ),
            write(
                doc! { "peers": { "$elemMatch": { "$in": [1, 2] } } },
                doc! { "$pull": { "peers": { "$in": [1, 2] } } },
                &[],
            ),
        ];
        assert_eq!(planned("peers", &[Bson::Int32(1), Bson::Int32(2)])?, in_list);
        Ok(())
    }

    #[test]
    fn patterns_are_keys_and_not_patterns() -> Result<(), String> {
        let (pattern, options) = (bson::raw::cstr!(".*"), bson::raw::cstr!(""));
        let pattern = bson::Regex { pattern: pattern.into(), options: options.into() };
        let pattern = Bson::RegularExpression(pattern);
        let expected = write(
            doc! { "friends": { "$elemMatch": { "$eq": &pattern } } },
            doc! { "$pull": { "friends": { "$eq": &pattern } } },
            &[],
        );
        assert_eq!(planned("friends", &[pattern])?, [expected]);
        Ok(())
    }

    #[test]
    fn what_must_be_there_stays() -> Result<(), String> {
        for path in ["owner", "pair"] {
            assert_eq!(planned(path, &[Bson::Int32(1)])?, [], "{path}");
        }
        assert_eq!(planned("friends", &[Bson::Null])?, []);
        Ok(())
    }
}
