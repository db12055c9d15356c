//! The document that an upsert inserts where none matches: what the filter asks for by equality,
//! with the update applied to it.
//!
//! Source: [upsert behaviour](https://www.mongodb.com/docs/manual/reference/method/db.collection.updateOne/#upsert-behavior).

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, Timestamp};

use super::Modification;
use crate::error::{Error, Result};

/// That an action may insert, and by which key others are kept from inserting the same.
#[derive(Debug, Clone)]
pub(crate) struct Insertion {
    /// The unique key as a filter, if the filter has one.
    pub(crate) key: Option<Document>,
    /// Whether the filter is nothing but the key: what has the key then matches.
    pub(crate) is_key: bool,
}

impl Insertion {
    /// Whether the insertion was refused because another document came first that now matches.
    pub(crate) fn came_late(&self, error: &Error) -> bool {
        let has = |path: &String| self.key.as_ref().is_some_and(|key| key.contains_key(path));
        let refused = error.duplicate_key().map(|duplicate| &duplicate.key);
        self.is_key && refused.is_some_and(|key| !key.is_empty() && key.keys().all(has))
    }
}

/// The paths that a filter asks for by equality, each with its value: the server starts a new
/// document from them.
pub(crate) fn equalities(filter: &Document) -> Result<Document> {
    let mut found = Document::new();
    collect(filter, &mut found)?;
    Ok(found)
}

fn collect(filter: &Document, found: &mut Document) -> Result<()> {
    for (path, condition) in filter {
        match (path.as_str(), condition) {
            ("$and", Bson::Array(parts)) => {
                parts.iter().filter_map(Bson::as_document).try_for_each(|p| collect(p, found))?;
            }
            ("$or", Bson::Array(parts)) => {
                if let [Bson::Document(only)] = parts.as_slice() {
                    collect(only, found)?;
                }
            }
            (operator, _) if operator.starts_with('$') => {}
            (path, condition) => {
                for value in equal_values(condition) {
                    if found.insert(path, value).is_some() {
                        let message = "the filter asks twice for the value, so the server cannot \
                                       tell what an upsert would insert";
                        return Err(Error::invalid(message).with_path(path));
                    }
                }
            }
        }
    }
    Ok(())
}

/// The values that a condition on a path asks for; several only with `$all`.
fn equal_values(condition: &Bson) -> Vec<&Bson> {
    match condition {
        Bson::RegularExpression(_) => Vec::new(),
        Bson::Document(operators)
            if operators.keys().next().is_some_and(|k| k.starts_with('$')) =>
        {
            let values = operators.iter().flat_map(|(operator, operand)| match operand {
                operand if operator == "$eq" => vec![operand],
                Bson::Array(one) if operator == "$in" && one.len() == 1 => one.iter().collect(),
                Bson::Array(all) if operator == "$all" => all.iter().collect(),
                _ => Vec::new(),
            });
            let pattern = |value: &&Bson| match value {
                Bson::Document(inner) => inner.contains_key("$elemMatch"),
                Bson::RegularExpression(_) => !operators.contains_key("$eq"),
                _ => false,
            };
            values.filter(|value| !pattern(value)).collect()
        }
        value => vec![value],
    }
}

/// What an upsert would insert, as far as it can be told: `None` for a pipeline, and for operators
/// or paths that are not known here.
pub(crate) fn inserted(equalities: &Document, modification: &Modification) -> Option<Document> {
    let Modification::Operators { document: update, .. } = modification else { return None };
    let mut inserted = Document::new();
    for (path, value) in equalities {
        *place(&mut inserted, path)? = value.clone();
    }
    for (operator, changes) in update {
        for (path, operand) in changes.as_document()? {
            apply(&mut inserted, operator, path, operand)?;
        }
    }
    if !inserted.contains_key("_id") {
        inserted.insert("_id", ObjectId::new());
    }
    Some(inserted)
}

fn apply(inserted: &mut Document, operator: &str, path: &str, operand: &Bson) -> Option<()> {
    let value = match operator {
        "$set" | "$setOnInsert" => operand.clone(),
        "$inc" | "$min" | "$max" if is_missing(inserted, path) => operand.clone(),
        "$mul" if is_missing(inserted, path) => zero(operand)?,
        "$bit" if is_missing(inserted, path) => {
            let (operation, mask) = operand.as_document()?.iter().next()?;
            if operation == "and" { zero(mask)? } else { mask.clone() }
        }
        // The type stays, and the type is what matters.
        "$inc" | "$min" | "$max" | "$mul" | "$bit" => return Some(()),
        "$currentDate" => match operand.as_document().map(|operand| operand.get_str("$type")) {
            Some(Ok("timestamp")) => Bson::Timestamp(Timestamp { time: 1, increment: 1 }),
            _ => DateTime::now().into(),
        },
        "$push" | "$addToSet" => {
            let each = operand.as_document().and_then(|operand| operand.get_array("$each").ok());
            let added = each.cloned().unwrap_or_else(|| vec![operand.clone()]);
            let list = place(inserted, path)?;
            match list {
                Bson::Array(there) => there.extend(added),
                list => *list = added.into(),
            }
            return Some(());
        }
        "$unset" => {
            remove(inserted, path);
            return Some(());
        }
        "$rename" => {
            if let Some(value) = remove(inserted, path) {
                *place(inserted, operand.as_str()?)? = value;
            }
            return Some(());
        }
        "$pull" | "$pullAll" | "$pop" => return Some(()),
        _ => return None,
    };
    *place(inserted, path)? = value;
    Some(())
}

/// The value at a path; documents on the way are created, as the server does.
fn place<'a>(document: &'a mut Document, path: &str) -> Option<&'a mut Bson> {
    match path.split_once('.') {
        None => Some(document.entry(path.to_owned()).or_insert(Bson::Null)),
        Some((first, rest)) => {
            let inner = document.entry(first.to_owned()).or_insert_with(|| Document::new().into());
            place(inner.as_document_mut()?, rest)
        }
    }
}

fn is_missing(document: &Document, path: &str) -> bool {
    match path.split_once('.') {
        None => !document.contains_key(path),
        Some((first, rest)) => match document.get(first) {
            Some(Bson::Document(inner)) => is_missing(inner, rest),
            _ => true,
        },
    }
}

fn remove(document: &mut Document, path: &str) -> Option<Bson> {
    match path.split_once('.') {
        None => document.remove(path),
        Some((first, rest)) => remove(document.get_mut(first)?.as_document_mut()?, rest),
    }
}

fn zero(like: &Bson) -> Option<Bson> {
    Some(match like {
        Bson::Int32(_) => Bson::Int32(0),
        Bson::Int64(_) => Bson::Int64(0),
        Bson::Double(_) => Bson::Double(0.0),
        Bson::Decimal128(_) => Bson::Decimal128("0".parse().ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::update::Update;

    #[test]
    fn equalities_are_those_of_the_server() {
        let regex = doc! { "a": { "$regex": "x" } };
        for (filter, expected) in [
            (doc! { "a": 1 }, doc! { "a": 1 }),
            (doc! { "a": { "$eq": { "$gt": 1 } } }, doc! { "a": { "$gt": 1 } }),
            (doc! { "$and": [{ "a": 1 }, { "b": 2 }] }, doc! { "a": 1, "b": 2 }),
            (doc! { "$or": [{ "a": 1 }] }, doc! { "a": 1 }),
            (doc! { "$or": [{ "a": 1 }, { "b": 1 }] }, doc! {}),
            (doc! { "a": { "$in": [1] } }, doc! { "a": 1 }),
            (doc! { "a": { "$in": [1, 2] } }, doc! {}),
            (doc! { "a": { "$all": [1] } }, doc! { "a": 1 }),
            (doc! { "a": { "$all": [{ "$elemMatch": { "b": 1 } }] } }, doc! {}),
            (doc! { "a": { "$eq": 1, "$gt": 0 } }, doc! { "a": 1 }),
            (doc! { "a": { "$gt": 1 }, "$nor": [{ "b": 1 }] }, doc! {}),
            (doc! { "a": null, "b.c": 1 }, doc! { "a": null, "b.c": 1 }),
            (regex, doc! {}),
        ] {
            assert_eq!(equalities(&filter).ok(), Some(expected), "{filter}");
        }
        assert!(equalities(&doc! { "a": 1, "$and": [{ "a": 1 }] }).is_err());
        assert!(equalities(&doc! { "a": { "$all": [1, 2] } }).is_err());
    }

    #[test]
    fn operators_build_what_the_server_would_insert() {
        for (operators, expected) in [
            (
                doc! { "$set": { "a.b": 1 }, "$setOnInsert": { "c": 2 } },
                doc! { "a": { "b": 1 }, "c": 2 },
            ),
            (doc! { "$inc": { "n": 3 }, "$min": { "m": 4 } }, doc! { "n": 3, "m": 4 }),
            (doc! { "$inc": { "k": 3 } }, doc! {}),
            (doc! { "$mul": { "n": 3_i64 } }, doc! { "n": 0_i64 }),
            (doc! { "$bit": { "n": { "and": 5 }, "m": { "or": 5 } } }, doc! { "n": 0, "m": 5 }),
            (
                doc! { "$push": { "l": 1 }, "$addToSet": { "m": { "$each": [1, 2] } } },
                doc! { "l": [1], "m": [1, 2] },
            ),
            (doc! { "$pull": { "l": 1 }, "$pop": { "m": 1 }, "$unset": { "o": 1 } }, doc! {}),
        ] {
            let update = Update::<()>::raw(operators).into_modification();
            let built =
                update.ok().and_then(|update| inserted(&doc! { "_id": 1, "k": 2 }, &update));
            let mut whole = doc! { "_id": 1, "k": 2 };
            whole.extend(expected);
            assert_eq!(built, Some(whole));
        }
        let renamed = Update::<()>::raw(doc! { "$rename": { "k": "j" } }).into_modification();
        let built = renamed.ok().and_then(|update| inserted(&doc! { "_id": 1, "k": 2 }, &update));
        assert_eq!(built, Some(doc! { "_id": 1, "j": 2 }));
        let unknown = Update::<()>::raw(doc! { "$new": { "k": 1 } }).into_modification();
        assert!(unknown.is_ok_and(|update| inserted(&doc! {}, &update).is_none()));
    }
}
