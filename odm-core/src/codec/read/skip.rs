//! Values that nobody asks for.

use super::{RawValue, kind, scalar};

/// Whether serde would pass over the value: it looks into it, and fails where it is malformed.
pub(super) fn can_skip(value: RawValue<'_>) -> bool {
    match value.kind {
        kind::INT32
        | kind::INT64
        | kind::DOUBLE
        | kind::NULL
        | kind::OBJECT_ID
        | kind::DATE
        | kind::TIMESTAMP
        | kind::DECIMAL => true,
        kind::BOOL => scalar::boolean(value).is_some(),
        kind::STRING => scalar::text(value).is_some(),
        kind::BINARY => scalar::parts(value).is_some(),
        kind::DOCUMENT => all(value.fields()),
        kind::ARRAY => all(value.items()),
        // Rare: left to serde.
        _ => false,
    }
}

fn all(elements: Option<super::Elements<'_>>) -> bool {
    let Some(mut elements) = elements else { return false };
    while let Some((_, value)) = elements.next_field() {
        if !can_skip(value) {
            return false;
        }
    }
    elements.is_whole()
}
