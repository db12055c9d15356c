//! The chain of versions, from the first to the current one.

use bson::{Bson, RawBsonRef, RawDocument};

use super::WriteBack;
use crate::codec::{self, VersionElement};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, Label, Model, Version};

/// What stands before the first version: no document is of it.
#[derive(Debug, Clone, Copy)]
pub enum First {}

/// A struct that old documents may be read as: a document model, or [`First`].
pub trait Ancestor: Sized {
    /// The model; `None` for [`First`].
    const MODEL: Option<&'static Model>;

    /// Reads a document that was found to have this version element, and takes it to this struct.
    /// With the model that it was stored as; `None` if no version of the chain is the one found.
    ///
    /// # Errors
    /// The document does not fit the struct of its version, or a step of the chain failed.
    #[doc(hidden)]
    fn read_at(stored: &Stored<'_>) -> Result<Option<(Self, &'static Model)>>;
}

impl Ancestor for First {
    const MODEL: Option<&'static Model> = None;

    fn read_at(_: &Stored<'_>) -> Result<Option<(Self, &'static Model)>> {
        Ok(None)
    }
}

impl<T: Document> Ancestor for T {
    const MODEL: Option<&'static Model> = Some(T::MODEL);

    fn read_at(stored: &Stored<'_>) -> Result<Option<(Self, &'static Model)>> {
        if is_own(T::MODEL, stored.version()) {
            // Serde passes over the version as over any field that it does not know; only where
            // unknown fields are refused or collected is it worth a copy to take it out.
            let stored = match T::MODEL.shape.strict || T::MODEL.shape.is_open() {
                true => stored.unversioned()?,
                false => std::borrow::Cow::Borrowed(stored.raw),
            };
            return codec::decode_shape(&stored, T::MODEL.shape)
                .map(|value| Some((value, T::MODEL)));
        }
        let Some((previous, found)) = T::Previous::read_at(stored)? else { return Ok(None) };
        let upgraded = T::upgrade(previous).map_err(|error| match error.kind() {
            ErrorKind::Migrate => error.at_step(T::Previous::MODEL.map(|m| m.name), T::MODEL.name),
            _ => error,
        })?;
        Ok(Some((upgraded, found)))
    }
}

/// A stored document and where its version element is.
#[derive(Debug)]
pub struct Stored<'a> {
    raw: &'a RawDocument,
    element: Option<VersionElement<'a>>,
}

impl<'a> Stored<'a> {
    pub(crate) fn new(raw: &'a RawDocument, version: &Version) -> Self {
        Self { raw, element: codec::find_version(raw, version.field) }
    }

    pub(super) fn version(&self) -> Option<RawBsonRef<'a>> {
        self.element.as_ref().map(|element| element.value)
    }

    fn unversioned(&self) -> Result<std::borrow::Cow<'a, RawDocument>> {
        codec::without_version(self.raw, self.element.as_ref())
    }
}

/// A document as it was read, and what brings the stored one up to it.
pub(crate) struct Read<T> {
    pub(crate) value: T,
    pub(crate) write_back: Option<WriteBack>,
}

/// Reads a stored document as a `T`, whatever it is read for.
pub(crate) type ReadFn<T> = fn(&RawDocument) -> Result<Read<T>>;

/// Reads a stored document of any version of the chain.
pub(crate) fn read<T: Document>(raw: &RawDocument) -> Result<Read<T>> {
    read_chain(raw).map_err(|error| codec::of_document(error, raw, T::MODEL))
}

fn read_chain<T: Document>(raw: &RawDocument) -> Result<Read<T>> {
    let Some(version) = &T::MODEL.version else {
        return read_plain(raw, T::MODEL);
    };
    let stored = Stored::new(raw, version);
    let (value, found) = T::read_at(&stored)?.ok_or_else(|| unknown(stored.version(), version))?;
    let write_back = match std::ptr::eq(found, T::MODEL) {
        true => None,
        false => WriteBack::plan(raw, &value, found)?,
    };
    Ok(Read { value, write_back })
}

/// Reads a document that has no version.
pub(crate) fn read_plain<T: serde::de::DeserializeOwned>(
    raw: &RawDocument,
    model: &Model,
) -> Result<Read<T>> {
    codec::decode_shape(raw, model.shape).map(|value| Read { value, write_back: None })
}

/// Whether a document with this version element is of the model itself. A document without one is
/// of the first version.
pub(super) fn is_own(model: &Model, found: Option<RawBsonRef<'_>>) -> bool {
    match (&model.version, found) {
        (None, None) => true,
        (Some(version), Some(found)) => version.label.matches(found),
        (Some(_), None) => (model.previous)().is_none(),
        (None, Some(_)) => false,
    }
}

/// A version that no struct of the chain has.
pub(super) fn unknown(found: Option<RawBsonRef<'_>>, version: &Version) -> Error {
    let kind = match (version.label, found.and_then(number)) {
        (Label::Number(own), Some(found)) if found > i64::from(own) => ErrorKind::NewerVersion,
        _ => ErrorKind::UnknownVersion,
    };
    let found = match found.map(Bson::try_from) {
        Some(Ok(found)) => found.to_string(),
        Some(Err(_)) => "a malformed value".to_owned(),
        None => "none".to_owned(),
    };
    let message = format!("found {found}, this program knows {}", version.label);
    Error::new(kind, message).with_path(version.field)
}

fn number(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int32(number) => Some(number.into()),
        RawBsonRef::Int64(number) => Some(number),
        RawBsonRef::Double(number) if number.fract() == 0.0 => Some(number as i64),
        _ => None,
    }
}
