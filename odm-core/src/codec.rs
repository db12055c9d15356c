//! Between Rust values and BSON, always in serde's raw (not human-readable) form, so that a filter
//! finds what an insert stored. Documents are read and written without serde where that gives
//! the same.

mod depth;
mod failure;
pub(crate) mod read;
mod version;
pub(crate) mod write;

pub(crate) use depth::shallow;
pub use read::RawValue;
pub(crate) use version::{VersionElement, find as find_version, remove as without_version};
pub use write::RawBuffer;

use bson::{Bson, Document, RawBsonRef, RawDocument, RawDocumentBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Model, Shape};

/// Encodes one value as it would be stored in a field.
///
/// # Errors
/// [`ErrorKind::Encode`] if the value has no BSON form.
pub fn encode_value<T: Serialize + ?Sized>(value: &T) -> Result<Bson> {
    #[derive(Serialize)]
    struct Wrapper<'a, T: ?Sized> {
        v: &'a T,
    }
    let raw = bson::serialize_to_raw_document_buf(&Wrapper { v: value }).map_err(encode_error)?;
    match raw.get("v").map_err(encode_error)? {
        Some(value) => Bson::try_from(value).map_err(encode_error),
        None => Err(Error::new(ErrorKind::Encode, "serde wrote no value")),
    }
}

/// Decodes one value as it is stored in a field.
pub(crate) fn decode_value<T: DeserializeOwned>(value: Bson) -> bson::error::Result<T> {
    #[derive(serde::Deserialize)]
    struct Wrapper<T> {
        v: T,
    }
    let raw = RawDocumentBuf::try_from(&bson::doc! { "v": value })?;
    bson::deserialize_from_slice::<Wrapper<T>>(raw.as_bytes()).map(|wrapper| wrapper.v)
}

/// Encodes a whole document by serde, with the version of its model right after `_id`.
#[cold]
pub(crate) fn encode_document<T: Serialize>(value: &T, model: &Model) -> Result<RawDocumentBuf> {
    let raw = bson::serialize_to_raw_document_buf(value)
        .map_err(|error| encode_error(error).with_model(model.name))?;
    match &model.version {
        Some(version) => version::insert(raw, version).map_err(|e| e.with_model(model.name)),
        None => Ok(raw),
    }
}

/// Adds to an error which document of which model it is about.
pub(crate) fn of_document(error: Error, raw: &RawDocument, model: &Model) -> Error {
    error.with_model(model.name).with_id(failure::id_of(raw))
}

/// Decodes a document or part of one that has no version, by serde.
#[cold]
pub(crate) fn decode_shape<T: DeserializeOwned>(raw: &RawDocument, shape: &Shape) -> Result<T> {
    depth::check(raw)?;
    bson::deserialize_from_slice(raw.as_bytes())
        .map_err(|error| failure::explain::<T>(error, raw, shape))
}

/// Decodes a document of any form, exactly as it is.
pub(crate) fn decode_document(raw: &RawDocument) -> Result<Document> {
    depth::check(raw)?;
    Document::try_from(raw).map_err(|error| {
        let path = error.key.clone().unwrap_or_default();
        let reason = error.message.clone().unwrap_or_else(|| error.kind.to_string());
        Error::new(ErrorKind::Decode, reason).with_path(path).with_source(error)
    })
}

/// The bytes of a value, with its type.
pub(crate) fn element_bytes(value: RawBsonRef<'_>) -> Vec<u8> {
    let mut element = RawDocumentBuf::new();
    element.append(bson::raw::cstr!(""), value);
    element.into_bytes()
}

pub(crate) fn encode_error(error: bson::error::Error) -> Error {
    let path = error.key.clone().unwrap_or_default();
    let message = match (&error.kind, &error.message) {
        (bson::error::ErrorKind::TooLargeUnsignedInteger { n, .. }, _) => {
            format!("{n} is above {}, the largest 64-bit integer of BSON", i64::MAX)
        }
        (_, Some(message)) => message.clone(),
        (kind, None) => kind.to_string(),
    };
    Error::new(ErrorKind::Encode, message).with_path(path).with_source(error)
}
