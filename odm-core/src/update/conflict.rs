//! What an update cannot do wherever it is sent: change one path twice, or `_id`. The server
//! refuses both, and so do we, earlier.

use bson::{Bson, Document};

use crate::error::{Error, Result};

/// Refuses two updates that change the same path, or a path and one inside it.
pub(super) fn check(a: &Document, b: &Document) -> Result<()> {
    for path in paths(b) {
        if let Some(other) = paths(a).find(|other| overlap(path, other)) {
            return Err(conflict(path, other));
        }
    }
    Ok(())
}

/// Refuses what is not an update by operators, and conflicts within it.
pub(super) fn check_operators(update: &Document) -> Result<()> {
    if let Some((key, _)) =
        update.iter().find(|(key, value)| !key.starts_with('$') || value.as_document().is_none())
    {
        let message = format!(
            "`{key}` is not an update operator with its paths: to replace a document use \
             `replace_one`"
        );
        return Err(Error::invalid(message));
    }
    for (operator, changes) in operators(update) {
        // An upsert may give the `_id` of what it inserts.
        let changed = changes.keys().filter(|_| operator != "$setOnInsert");
        if let Some(path) = changed.chain(new_names(operator, changes)).find(|path| is_id(path)) {
            return Err(Error::invalid("the `_id` of a document never changes").with_path(path));
        }
    }
    let paths: Vec<_> = paths(update).collect();
    for (position, path) in paths.iter().enumerate() {
        if let Some(other) = paths[..position].iter().find(|other| overlap(path, other)) {
            return Err(conflict(path, other));
        }
    }
    Ok(())
}

/// The paths that an update changes; of a rename, both.
pub(super) fn paths(update: &Document) -> impl Iterator<Item = &str> {
    operators(update).flat_map(|(operator, changes)| {
        changes.keys().chain(new_names(operator, changes)).map(String::as_str)
    })
}

fn operators(update: &Document) -> impl Iterator<Item = (&str, &Document)> {
    update
        .iter()
        .filter_map(|(operator, changes)| Some((operator.as_str(), changes.as_document()?)))
}

/// What `$rename` renames to.
fn new_names<'a>(operator: &str, changes: &'a Document) -> impl Iterator<Item = &'a String> {
    let changes = (operator == "$rename").then_some(changes);
    changes.into_iter().flat_map(Document::values).filter_map(|to| match to {
        Bson::String(to) => Some(to),
        _ => None,
    })
}

fn is_id(path: &str) -> bool {
    path.split('.').next() == Some("_id")
}

fn conflict(path: &str, other: &str) -> Error {
    let message = match path == other {
        true => "the update changes the path twice; the server takes one change a path".to_owned(),
        false => format!("the update also changes `{other}`, which overlaps it"),
    };
    Error::invalid(message).with_path(path)
}

fn overlap(a: &str, b: &str) -> bool {
    for (a, b) in a.split('.').zip(b.split('.')) {
        match (Segment::of(a), Segment::of(b)) {
            _ if a == b => {}
            // The server takes no array both by selection and by position.
            (Segment::Selection, Segment::Position) | (Segment::Position, Segment::Selection) => {
                return true;
            }
            // All elements are among those of any condition.
            (Segment::Selection, Segment::Selection) if a == "$[]" || b == "$[]" => {}
            _ => return false,
        }
    }
    true
}

/// How a segment of a path names elements.
enum Segment {
    /// `$[]` or `$[identifier]`.
    Selection,
    /// `$`, or a number, which may also be the key of a map.
    Position,
    Name,
}

impl Segment {
    fn of(segment: &str) -> Self {
        match segment {
            "$" => Self::Position,
            _ if segment.starts_with("$[") => Self::Selection,
            _ if segment.bytes().all(|byte| byte.is_ascii_digit()) => Self::Position,
            _ => Self::Name,
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn paths_overlap_where_one_lies_inside_the_other() {
        for (a, b, expected) in [
            ("a", "a", true),
            ("a", "a.b", true),
            ("a.b", "a", true),
            ("a.b", "a.c", false),
            ("a", "ab", false),
            ("a.0.x", "a.1.x", false),
            ("a.$[].x", "a.0.x", true),
            ("a.$[]", "a.$.x", true),
            ("a.$[].x", "a.$[].y", false),
            ("a.$[].x", "a.$[e].x", true),
            ("a.$[e].x", "a.$[f].x", false),
            ("a.$[e].x", "a.$[e].y", false),
            ("a.$[e].x", "a.$[e]", true),
            ("a.$[e].x", "a.0.y", true),
            ("a.$[e].x", "a.$.y", true),
            ("a.$.x", "a.0.x", false),
        ] {
            assert_eq!(overlap(a, b), expected, "{a} and {b}");
            assert_eq!(overlap(b, a), expected, "{b} and {a}");
        }
    }

    #[test]
    fn the_id_and_both_ends_of_a_rename_are_seen() {
        for (update, path) in [
            (doc! { "$set": { "_id": 1 } }, "_id"),
            (doc! { "$inc": { "_id.n": 1 } }, "_id.n"),
            (doc! { "$rename": { "a": "_id" } }, "_id"),
            (doc! { "$rename": { "a": "a.b" } }, "a.b"),
            (doc! { "$rename": { "a": "a" } }, "a"),
            (doc! { "$rename": { "a": "b" }, "$set": { "b": 1 } }, "b"),
        ] {
            let error = check_operators(&update).err();
            assert_eq!(error.as_ref().and_then(Error::path), Some(path), "{update}");
        }
        assert!(
            check_operators(&doc! { "$setOnInsert": { "_id": 1 }, "$set": { "a": 1 } }).is_ok()
        );
    }
}
