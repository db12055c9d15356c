//! Operators that the server takes only once in a filter, and only in some places of it: `$text`
//! and `$near`.

use bson::{Bson, Document};

use crate::error::{Error, Result};

/// Where a condition stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Every document must meet it.
    Required,
    /// In `$or`.
    Or,
    /// Below `$nor` or `$not`.
    Negated,
    /// In `$elemMatch`.
    Element,
}

/// What was found on the way.
#[derive(Default)]
struct Found {
    text: bool,
    near: bool,
}

/// Finds what the server would refuse.
pub(super) fn check(filter: &Document) -> Result<()> {
    walk(filter, Place::Required, &mut Found::default())
}

fn walk(filter: &Document, place: Place, found: &mut Found) -> Result<()> {
    for (key, value) in filter {
        match (key.as_str(), value) {
            ("$and", Bson::Array(parts)) => walk_all(parts, place, found)?,
            ("$or", Bson::Array(parts)) => {
                let within = if place == Place::Required { Place::Or } else { place };
                walk_all(parts, within, found)?;
            }
            ("$nor", Bson::Array(parts)) => walk_all(parts, Place::Negated, found)?,
            ("$text", _) => text(place, found)?,
            (path, Bson::Document(operators)) if !path.starts_with('$') => {
                walk_operators(path, operators, place, found)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn walk_all(parts: &[Bson], place: Place, found: &mut Found) -> Result<()> {
    parts.iter().filter_map(Bson::as_document).try_for_each(|part| walk(part, place, found))
}

/// The operators on one path. Values are never looked into.
fn walk_operators(path: &str, operators: &Document, place: Place, found: &mut Found) -> Result<()> {
    if !operators.keys().next().is_some_and(|key| key.starts_with('$')) {
        return Ok(());
    }
    for (operator, operand) in operators {
        match (operator.as_str(), operand) {
            ("$near" | "$nearSphere" | "$geoNear", _) => {
                near(place, found).map_err(|error| error.with_path(path))?;
            }
            ("$not", Bson::Document(inner)) => {
                walk_operators(path, inner, Place::Negated, found)?;
            }
            ("$elemMatch", Bson::Document(inner)) => {
                walk(inner, Place::Element, found).map_err(|error| error.with_path(path))?;
                walk_operators(path, inner, Place::Element, found)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn text(place: Place, found: &mut Found) -> Result<()> {
    let message = match place {
        Place::Negated => "`$text` cannot be negated: exclude words by `-word` in the search",
        Place::Element => "`$text` is about the whole document, not about an element",
        Place::Required | Place::Or if found.near => BOTH,
        Place::Required | Place::Or if found.text => {
            "`$text` stands twice in the filter, and the server takes one: join the searches, or \
             look for both phrases in quotes"
        }
        Place::Required | Place::Or => {
            found.text = true;
            return Ok(());
        }
    };
    Err(Error::invalid(message))
}

fn near(place: Place, found: &mut Found) -> Result<()> {
    let message = match place {
        Place::Required if found.text => BOTH,
        Place::Required if found.near => {
            "`$near` stands twice in the filter, and it also sorts: use `geo_within` for the others"
        }
        Place::Required => {
            found.near = true;
            return Ok(());
        }
        Place::Or | Place::Negated | Place::Element => {
            "`$near` also sorts, so it cannot be negated, or stand in `|` or `elem_match`: use \
             `geo_within`"
        }
    };
    Err(Error::invalid(message))
}

const BOTH: &str = "`$text` and `$near` cannot stand in one filter: use `geo_within` for the place";
