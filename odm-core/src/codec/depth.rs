//! A guard against documents nested so deeply that decoding them would exhaust the stack.

use bson::raw::RawIter;
use bson::spec::ElementType;
use bson::{Bson, RawBsonRef, RawDocument};

use crate::error::{Error, ErrorKind, Result};

/// The deepest nesting that is decoded. The server itself takes no document that is deeper.
///
/// Source: the manual's [limits](https://www.mongodb.com/docs/manual/reference/limits/#mongodb-limit-Nested-Depth-for-BSON-Documents).
const MAX_DEPTH: usize = 200;

/// An embedded document takes at least its type, an empty name, its length and its end.
const MIN_BYTES_PER_LEVEL: usize = 7;

/// Refuses a document that is nested more deeply than [`MAX_DEPTH`].
///
/// Small documents cannot be, so they cost one comparison.
pub(super) fn check(raw: &RawDocument) -> Result<()> {
    check_below(raw, 0)
}

/// The same for a document that lies in `depth` others.
pub(super) fn check_below(raw: &RawDocument, depth: usize) -> Result<()> {
    let limit = MAX_DEPTH.saturating_sub(depth);
    if raw.as_bytes().len() <= limit * MIN_BYTES_PER_LEVEL || !is_deeper(raw, limit) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Decode, format!("nested more than {MAX_DEPTH} levels deep")))
}

/// A stored value that is not nested too deeply to be converted.
pub(crate) fn shallow(value: RawBsonRef<'_>) -> Option<Bson> {
    let nested = match value {
        RawBsonRef::Document(document) => Some(document),
        RawBsonRef::Array(array) => Some(RawDocument::from_bytes(array.as_bytes()).ok()?),
        RawBsonRef::JavaScriptCodeWithScope(code) => Some(code.scope),
        _ => None,
    };
    match nested.map(check) {
        Some(Err(_)) => None,
        Some(Ok(())) | None => Bson::try_from(value).ok(),
    }
}

/// Walks the document without recursion. Malformed elements end their level: the decoder reports
/// them better.
fn is_deeper(raw: &RawDocument, limit: usize) -> bool {
    let mut levels = vec![raw.iter_elements()];
    while let Some(level) = levels.last_mut() {
        match level.next() {
            Some(Ok(element)) => levels.extend(nested(&element)),
            Some(Err(_)) | None => drop(levels.pop()),
        }
        if levels.len() > limit {
            return true;
        }
    }
    false
}

fn nested<'a>(element: &bson::raw::RawElement<'a>) -> Option<RawIter<'a>> {
    if !matches!(
        element.element_type(),
        ElementType::EmbeddedDocument | ElementType::Array | ElementType::JavaScriptCodeWithScope
    ) {
        return None;
    }
    match element.value().ok()? {
        RawBsonRef::Document(document) => Some(document.iter_elements()),
        RawBsonRef::Array(array) => {
            RawDocument::from_bytes(array.as_bytes()).ok().map(RawDocument::iter_elements)
        }
        RawBsonRef::JavaScriptCodeWithScope(code) => Some(code.scope.iter_elements()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bson::{RawDocumentBuf, rawdoc};

    use super::*;

    fn nested_to(depth: usize) -> RawDocumentBuf {
        (1..depth).fold(rawdoc! { "x": 1 }, |inner, _| rawdoc! { "s": "abc", "d": inner })
    }

    #[test]
    fn levels_are_those_of_documents_and_arrays() {
        for depth in [1, 2, 50] {
            assert!(is_deeper(&nested_to(depth), depth - 1));
            assert!(!is_deeper(&nested_to(depth), depth));
        }
        let arrays = rawdoc! { "a": [[[{ "b": 1 }]]] };
        assert!(is_deeper(&arrays, 4) && !is_deeper(&arrays, 5));
    }

    #[test]
    fn the_limit_itself_passes_and_one_more_does_not() {
        assert!(check(&nested_to(MAX_DEPTH)).is_ok());
        assert!(check(&nested_to(MAX_DEPTH + 1)).is_err());
        assert!(check(&nested_to(10_000)).is_err());
    }
}
