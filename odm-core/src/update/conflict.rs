//! Which paths an update cannot change at once: the server refuses them, and so do we, earlier.

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
    let paths: Vec<_> = paths(update).collect();
    for (position, path) in paths.iter().enumerate() {
        if let Some(other) = paths[..position].iter().find(|other| overlap(path, other)) {
            return Err(conflict(path, other));
        }
    }
    Ok(())
}

fn conflict(path: &str, other: &str) -> Error {
    let message = match path == other {
        true => "the update changes the path twice; the server takes one change a path".to_owned(),
        false => format!("the update also changes `{other}`, which overlaps it"),
    };
    Error::invalid(message).with_path(path)
}

fn paths(update: &Document) -> impl Iterator<Item = &str> {
    update.values().filter_map(Bson::as_document).flat_map(Document::keys).map(String::as_str)
}

fn overlap(a: &str, b: &str) -> bool {
    a.split('.')
        .zip(b.split('.'))
        .all(|(a, b)| a == b || is_element_of(a, b) || is_element_of(b, a))
}

/// Whether `all` stands for every element, the one at `position` among them.
fn is_element_of(all: &str, position: &str) -> bool {
    all == "$[]"
        && (position.starts_with('$') || position.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
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
        ] {
            assert_eq!(overlap(a, b), expected, "{a} and {b}");
        }
    }
}
