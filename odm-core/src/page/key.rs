//! The value by which the server sorts a document.

use bson::{Bson, RawBsonRef, RawDocument};

use crate::codec;
use crate::error::{Error, ErrorKind, Result};

/// The value at a path of a stored document: null where there is none, as the server sorts it.
pub(super) fn value_at(raw: &RawDocument, path: &str) -> Result<Bson> {
    let mut value = RawBsonRef::Document(raw);
    for name in path.split('.') {
        let RawBsonRef::Document(document) = value else { break };
        match document.get(name).map_err(|error| malformed(path).with_source(error))? {
            Some(inner) => value = inner,
            None => return Ok(Bson::Null),
        }
        if let RawBsonRef::Array(_) = value {
            let message = "found an array: it has several places in the order, and pages need one";
            return Err(Error::new(ErrorKind::Decode, message).with_path(path));
        }
    }
    codec::shallow(value).map(plain).ok_or_else(|| malformed(path))
}

fn malformed(path: &str) -> Error {
    Error::new(ErrorKind::Decode, "found a malformed value").with_path(path)
}

/// The value in a form that the server takes for equal, and that a filter can hold.
pub(super) fn plain(value: Bson) -> Bson {
    match value {
        Bson::Symbol(text) => Bson::String(text),
        Bson::Decimal128(number) if is_nan(number) => Bson::Double(f64::NAN),
        value => value,
    }
}

/// Whether the bits after the sign are those of a NaN.
fn is_nan(number: bson::Decimal128) -> bool {
    let [.., last] = number.bytes();
    last & 0x7C == 0x7C
}
