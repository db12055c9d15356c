//! The version element of stored documents: written right after `_id`, removed before serde looks.

use std::borrow::Cow;

use bson::{RawBsonRef, RawDocument, RawDocumentBuf};

use super::RawValue;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Label, Version};

/// Puts the version right after `_id`, or first where there is no `_id` in front: the server moves
/// `_id` before it.
pub(super) fn insert(raw: RawDocumentBuf, version: &Version) -> Result<RawDocumentBuf> {
    let mut bytes = raw.into_bytes();
    let at = end_of_id(&bytes);
    bytes.splice(at..at, element(version));
    let length = i32::try_from(bytes.len())
        .map_err(|_| Error::new(ErrorKind::Encode, "the document is above 2 GiB"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    RawDocumentBuf::from_bytes(bytes)
        .map_err(|error| Error::new(ErrorKind::Encode, "malformed document").with_source(error))
}

/// The version element of a stored document: its place and value.
#[derive(Debug)]
pub(crate) struct VersionElement<'a> {
    at: usize,
    size: usize,
    pub(crate) value: RawBsonRef<'a>,
}

/// Finds the version: the second element, unless a write-back put it elsewhere.
pub(crate) fn find<'a>(raw: &'a RawDocument, field: &str) -> Option<VersionElement<'a>> {
    match RawValue::of_document(raw).second(field) {
        Some((at, size, value)) => Some(VersionElement { at, size, value }),
        None => search(raw, field),
    }
}

fn search<'a>(raw: &'a RawDocument, field: &str) -> Option<VersionElement<'a>> {
    let mut at = 4;
    for element in raw.iter_elements() {
        let element = element.ok()?;
        let size = 2 + element.key().as_str().len() + element.size();
        if element.key().as_str() == field {
            let value = element.value().unwrap_or(RawBsonRef::Undefined);
            return Some(VersionElement { at, size, value });
        }
        at += size;
    }
    None
}

/// The document without its version, which serde must not see.
pub(crate) fn remove<'a>(
    raw: &'a RawDocument,
    element: Option<&VersionElement<'a>>,
) -> Result<Cow<'a, RawDocument>> {
    match element {
        Some(element) => without(raw, element.at, element.size).map(Cow::Owned),
        None => Ok(Cow::Borrowed(raw)),
    }
}

fn without(raw: &RawDocument, at: usize, size: usize) -> Result<RawDocumentBuf> {
    let mut bytes = Vec::with_capacity(raw.as_bytes().len() - size);
    bytes.extend_from_slice(&raw.as_bytes()[..at]);
    bytes.extend_from_slice(&raw.as_bytes()[at + size..]);
    // The length shrinks, so it still fits.
    let length = bytes.len() as i32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    RawDocumentBuf::from_bytes(bytes)
        .map_err(|error| Error::new(ErrorKind::Decode, "malformed document").with_source(error))
}

/// Where `_id` ends, if it is the first element; else where the first element begins.
fn end_of_id(bytes: &[u8]) -> usize {
    const START: usize = 4;
    let Ok(raw) = RawDocument::from_bytes(bytes) else {
        return START;
    };
    match raw.iter_elements().next() {
        Some(Ok(first)) if first.key().as_str() == "_id" => START + 2 + "_id".len() + first.size(),
        _ => START,
    }
}

/// The bytes of the version as a BSON element.
fn element(version: &Version) -> Vec<u8> {
    let mut element = Vec::with_capacity(version.field.len() + 16);
    let (element_type, value) = match version.label {
        Label::Number(number) => (0x10, number.to_le_bytes().to_vec()),
        Label::Text(text) => {
            let mut value = ((text.len() + 1) as i32).to_le_bytes().to_vec();
            value.extend_from_slice(text.as_bytes());
            value.push(0);
            (0x02, value)
        }
    };
    element.push(element_type);
    element.extend_from_slice(version.field.as_bytes());
    element.push(0);
    element.extend_from_slice(&value);
    element
}
