//! What an update adds to lists that have a bound: whether that can be too much, and the condition on
//! documents that have room for it.

use bson::{Bson, Document, doc};

use super::Modification;
use crate::error::Result;
use crate::model::bounds::{self, Place};
use crate::model::{Field, Kind, Model, Shape};
use crate::path::ArrayFilters;

/// The condition on documents whose list has room for what an update adds.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    pub(crate) condition: Document,
    pub(crate) path: String,
    pub(crate) max: u32,
}

impl Modification {
    /// The rooms that documents must have for the update; none for a pipeline, which may add anything.
    pub(crate) fn rooms(&self, model: &Model) -> Vec<Room> {
        let Self::Operators { document, filters } = self else { return Vec::new() };
        let added = ["$push", "$addToSet"].into_iter().filter_map(|operator| {
            let changes = document.get_document(operator).ok()?;
            Some(changes.iter().filter_map(move |(path, operand)| {
                let Some(Place::Field(field)) = place(model.shape, path).ok()? else { return None };
                let max = field.max?;
                room(operator, path, operand, max, filters)
            }))
        });
        added.flatten().collect()
    }
}

/// Refuses operators that would make a list longer than its bound, whatever is stored.
pub(super) fn check(operators: &Document, model: &Model) -> Result<()> {
    for (operator, changes) in operators {
        for (path, operand) in changes.as_document().into_iter().flatten() {
            let place = place(model.shape, path).map_err(|error| error.with_path(path))?;
            let checked = match (operator.as_str(), place) {
                ("$set" | "$setOnInsert" | "$min" | "$max", Some(place)) => place.check(operand),
                ("$push" | "$addToSet", Some(Place::Field(field))) => check_added(field, operand),
                _ => Ok(()),
            };
            checked.map_err(|error| error.below(path))?;
        }
    }
    Ok(())
}

fn check_added(field: &'static Field, operand: &Bson) -> Result<()> {
    let new = added(operand);
    match field.max {
        Some(max) if kept(operand).unwrap_or(usize::MAX).min(new.len()) > max as usize => {
            Err(bounds::exceeded(max))
        }
        _ => new.iter().try_for_each(|new| Place::Element(field).check(new)),
    }
}

/// The values that a `$push` or `$addToSet` adds.
fn added(operand: &Bson) -> &[Bson] {
    let each = operand.as_document().and_then(|operand| operand.get_array("$each").ok());
    each.map_or(std::slice::from_ref(operand), Vec::as_slice)
}

/// How many elements a `$push` leaves.
fn kept(operand: &Bson) -> Option<usize> {
    let slice = operand.as_document()?.get("$slice")?;
    let slice = slice.as_i64().or_else(|| slice.as_i32().map(i64::from))?;
    usize::try_from(slice.unsigned_abs()).ok()
}

fn room(
    operator: &str,
    path: &str,
    operand: &Bson,
    max: u32,
    filters: &ArrayFilters,
) -> Option<Room> {
    let new = added(operand);
    let left = (max as usize).checked_sub(new.len())?;
    if new.is_empty() || (operator == "$push" && kept(operand).is_some_and(|k| k <= max as usize)) {
        return None;
    }
    let is_full = |list: &str| {
        let mut full = doc! { format!("{list}.{left}"): { "$exists": true } };
        // What is in a set already adds nothing to it.
        if operator == "$addToSet" {
            full.insert(list, doc! { "$not": { "$all": new } });
        }
        full
    };
    let condition = match path.contains('$') || operator == "$addToSet" {
        false => doc! { format!("{path}.{left}"): { "$exists": false } },
        true => doc! { "$nor": [full(path, filters, &is_full)?] },
    };
    Some(Room { condition, path: path.to_owned(), max })
}

/// The condition on documents in which a list of this path is full. `None` for the positional `$`: the
/// filter alone knows which element it is.
fn full(
    path: &str,
    filters: &ArrayFilters,
    is_full: &dyn Fn(&str) -> Document,
) -> Option<Document> {
    let segments: Vec<_> = path.split('.').collect();
    let Some(at) = segments.iter().position(|segment| segment.starts_with('$')) else {
        return Some(is_full(path));
    };
    let (list, rest) = (segments.get(..at)?.join("."), segments.get(at + 1..)?.join("."));
    let identifier = segments.get(at)?.strip_prefix("$[")?.strip_suffix(']')?;
    let mut element = full(&rest, filters, is_full)?;
    if !identifier.is_empty() {
        let condition = filters
            .to_documents()
            .into_iter()
            .find_map(|condition| of_element(&condition, identifier))?;
        element = doc! { "$and": [condition, element] };
    }
    Some(doc! { list: { "$elemMatch": element } })
}

/// The condition of an array filter, as an element itself is asked.
fn of_element(condition: &Document, identifier: &str) -> Option<Document> {
    let parts = condition.iter().map(|(path, operand)| match operand {
        Bson::Array(parts) if path.starts_with('$') => {
            let part = |part: &Bson| of_element(part.as_document()?, identifier).map(Bson::from);
            Some((path.clone(), Bson::Array(parts.iter().map(part).collect::<Option<_>>()?)))
        }
        _ => {
            let path = path.strip_prefix(identifier)?.strip_prefix('.')?;
            Some((path.to_owned(), operand.clone()))
        }
    });
    parts.collect()
}

/// Where the path of an update leads in a shape; an error where it names a position beyond the bound.
fn place(shape: &'static Shape, path: &str) -> Result<Option<Place>> {
    let mut found = Place::Value(shape);
    for segment in path.split('.') {
        found = match found {
            Place::Field(field) if field.kind == Kind::Array => {
                if let (Some(max), Ok(at)) = (field.max, segment.parse::<u32>())
                    && at >= max
                {
                    return Err(bounds::exceeded(max));
                }
                Place::Element(field)
            }
            Place::Field(field) | Place::Element(field) => {
                match ((field.shape)(), (field.values)()) {
                    (Some(shape), _) => match shape.field(segment) {
                        Some(field) => Place::Field(field),
                        None => return Ok(None),
                    },
                    (None, Some(values)) => Place::Value(values),
                    (None, None) => return Ok(None),
                }
            }
            Place::Value(shape) => match shape.field(segment) {
                Some(field) => Place::Field(field),
                None => return Ok(None),
            },
        };
    }
    Ok(Some(found))
}
