//! Values of stored documents by their paths, as the server finds them: through documents, and
//! through arrays to each of their elements.

use bson::{Bson, RawBsonRef, RawDocument};

use super::Key;

/// Hands each value at a path to `visit`: of an array, its elements. What is malformed has no
/// values.
pub(crate) fn visit_values<'a>(
    document: &'a RawDocument,
    path: &str,
    visit: &mut dyn FnMut(RawBsonRef<'a>),
) {
    values_of(RawBsonRef::Document(document), Some(path), visit);
}

fn values_of<'a>(value: RawBsonRef<'a>, path: Option<&str>, visit: &mut dyn FnMut(RawBsonRef<'a>)) {
    match (value, path) {
        (RawBsonRef::Array(items), None) => items.into_iter().flatten().for_each(visit),
        (value, None) => visit(value),
        (RawBsonRef::Document(document), Some(path)) => {
            let (name, rest) = match path.split_once('.') {
                Some((name, rest)) => (name, Some(rest)),
                None => (path, None),
            };
            if let Ok(Some(value)) = document.get(name) {
                values_of(value, rest, visit);
            }
        }
        (RawBsonRef::Array(items), Some(path)) => {
            let documents = items.into_iter().flatten().filter(|i| i.as_document().is_some());
            documents.for_each(|item| values_of(item, Some(path), visit));
        }
        _ => {}
    }
}

/// The place of a document in an order: by these sort keys, then by its `_id`.
pub(super) fn sort_keys(document: &RawDocument, sort: &[(String, bool)]) -> Vec<SortKey> {
    let by_id = [("_id".to_owned(), false)];
    let keys = sort.iter().chain(&by_id);
    keys.map(|(path, descending)| SortKey::of(document, path, *descending)).collect()
}

/// One value of an order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SortKey {
    Ascending(Option<Key>),
    Descending(std::cmp::Reverse<Option<Key>>),
}

impl SortKey {
    /// Of an array, the server takes the least element, or descending the greatest.
    fn of(document: &RawDocument, path: &str, descending: bool) -> Self {
        let mut found: Option<Key> = None;
        sorted_values(RawBsonRef::Document(document), Some(path), &mut |key| {
            let is_first = found.as_ref().is_none_or(|found| match descending {
                true => key > *found,
                false => key < *found,
            });
            if is_first {
                found = Some(key);
            }
        });
        match descending {
            true => Self::Descending(std::cmp::Reverse(found)),
            false => Self::Ascending(found),
        }
    }
}

/// Hands each value that a document is sorted by to `visit`: a missing one is null, also in one of
/// the documents of an array; an empty array is undefined, which comes
/// before null.
fn sorted_values(value: RawBsonRef<'_>, path: Option<&str>, visit: &mut dyn FnMut(Key)) {
    match (value, path) {
        (RawBsonRef::Array(items), None) => {
            let mut items = items.into_iter().flatten().peekable();
            if items.peek().is_none() {
                visit(Key::of(&Bson::Undefined));
            }
            items.filter_map(Key::of_raw).for_each(visit);
        }
        (RawBsonRef::Array(items), Some(_)) => {
            let mut items = items.into_iter().flatten().peekable();
            if items.peek().is_none() {
                visit(Key::of(&Bson::Null));
            }
            items.for_each(|item| sorted_values(item, path, visit));
        }
        (RawBsonRef::Document(document), Some(path)) => {
            let (name, rest) = match path.split_once('.') {
                Some((name, rest)) => (name, Some(rest)),
                None => (path, None),
            };
            match document.get(name) {
                Ok(Some(value)) => sorted_values(value, rest, visit),
                _ => visit(Key::of(&Bson::Null)),
            }
        }
        (_, Some(_)) => visit(Key::of(&Bson::Null)),
        (value, None) => Key::of_raw(value).into_iter().for_each(visit),
    }
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    #[test]
    fn paths_lead_through_documents_and_arrays() {
        let stored = rawdoc! {
            "a": 1, "list": [2, 3], "lines": [{ "product": "x" }, 5, { "product": ["y", "z"] }],
            "outer": { "inner": "deep" },
        };
        let values = |path| {
            let mut values = Vec::new();
            visit_values(&stored, path, &mut |value| values.push(format!("{value:?}")));
            values.len()
        };
        assert_eq!(values("a"), 1);
        assert_eq!(values("list"), 2);
        assert_eq!(values("lines.product"), 3);
        assert_eq!(values("outer.inner"), 1);
        assert_eq!(values("outer.other"), 0);
        assert_eq!(values("a.b"), 0);
    }

    #[test]
    fn arrays_are_sorted_by_their_least_or_greatest_element() {
        let low = rawdoc! { "_id": 1, "n": [1, 9] };
        let middle = rawdoc! { "_id": 2, "n": 5 };
        let none = rawdoc! { "_id": 3 };
        let keys = |document, descending| sort_keys(document, &[("n".to_owned(), descending)]);
        assert!(keys(&low, false) < keys(&middle, false));
        assert!(keys(&low, true) < keys(&middle, true));
        assert!(keys(&none, false) < keys(&low, false));
        assert!(keys(&low, true) < keys(&none, true));
    }
}
