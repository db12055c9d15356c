//! The chain of versions, from the first to the current one.

use std::borrow::Cow;

use bson::{RawBsonRef, RawDocument, RawDocumentBuf};

use super::WriteBack;
use crate::codec::{self, RawValue, VersionElement};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, Label, Model, Version};

/// What stands before the first version: no document is of it.
#[derive(Debug, Clone, Copy)]
pub enum First {}

/// A struct that old documents may be read as: a document model, or [`First`].
pub trait Ancestor: Sized {
    /// The model; `None` for [`First`].
    const MODEL: Option<&'static Model>;

    /// The document as the struct writes it; `None` where a value has no BSON form.
    #[doc(hidden)]
    fn encode_old(&self) -> Option<RawDocumentBuf>;

    /// Reads a document that was found to have this version element, and takes it to this struct.
    /// With what it was first read as; `None` if no version of the chain is the one found.
    ///
    /// # Errors
    /// The document does not fit the struct of its version, or a step of the chain failed.
    #[doc(hidden)]
    fn read_at(stored: &Stored<'_>) -> Result<Option<(Self, Found)>>;
}

impl Ancestor for First {
    const MODEL: Option<&'static Model> = None;

    fn read_at(_: &Stored<'_>) -> Result<Option<(Self, Found)>> {
        Ok(None)
    }

    fn encode_old(&self) -> Option<RawDocumentBuf> {
        match *self {}
    }
}

impl<T: Document> Ancestor for T {
    const MODEL: Option<&'static Model> = Some(T::MODEL);

    fn read_at(stored: &Stored<'_>) -> Result<Option<(Self, Found)>> {
        if is_own(T::MODEL, stored.version()) {
            let found = Found { model: T::MODEL, encoded: None };
            return stored.read_as().map(|value| Some((value, found)));
        }
        let Some((previous, mut found)) = T::Previous::read_at(stored)? else { return Ok(None) };
        found.keep(&previous);
        let upgraded = T::upgrade(previous).map_err(|error| match error.kind() {
            ErrorKind::Migrate => error.at_step(T::Previous::MODEL.map(|m| m.name), T::MODEL.name),
            _ => error,
        })?;
        Ok(Some((upgraded, found)))
    }

    fn encode_old(&self) -> Option<RawDocumentBuf> {
        self.encode().ok()
    }
}

/// The struct that a stored document was first read as.
#[derive(Debug)]
pub struct Found {
    pub(super) model: &'static Model,
    /// The document as that struct writes it, once a step has left it: what a step does not touch is
    /// not written back, even where the struct writes it otherwise than it was stored.
    pub(super) encoded: Option<RawDocumentBuf>,
}

impl Found {
    fn keep(&mut self, old: &impl Ancestor) {
        if self.encoded.is_none() {
            self.encoded = old.encode_old();
        }
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

    /// The document as a struct of its own version.
    fn read_as<T: Document>(&self) -> Result<T> {
        match T::read_raw(RawValue::of_document(self.raw)) {
            Some(value) => Ok(value),
            None => T::decode_current(&self.as_serde_sees_it(T::MODEL)?),
        }
    }

    pub(super) fn version(&self) -> Option<RawBsonRef<'a>> {
        self.element.as_ref().map(|element| element.value)
    }

    /// Serde passes over the version as over any field that it does not know; only where unknown
    /// fields are refused or collected is it worth a copy to take it out.
    #[cold]
    fn as_serde_sees_it(&self, model: &Model) -> Result<Cow<'a, RawDocument>> {
        match model.shape.strict || model.shape.is_open() {
            true => self.unversioned(),
            false => Ok(Cow::Borrowed(self.raw)),
        }
    }

    fn unversioned(&self) -> Result<Cow<'a, RawDocument>> {
        codec::without_version(self.raw, self.element.as_ref())
    }
}

/// A document as it was read, and what brings the stored one up to it.
pub(crate) struct Read<T> {
    pub(crate) value: T,
    pub(crate) write_back: Option<Box<WriteBack>>,
}

/// Reads a stored document as a `T`, whatever it is read for.
pub(crate) type ReadFn<T> = fn(&RawDocument) -> Result<Read<T>>;

/// Reads a stored document of any version of the chain.
pub(crate) fn read<T: Document>(raw: &RawDocument) -> Result<Read<T>> {
    read_chain(raw).map_err(|error| codec::of_document(error, raw, T::MODEL))
}

/// What brings a stored document of an older version to a value, in one change; `None` where it is
/// of the current version, or no update can do that.
pub(crate) fn bring_up<T: Document>(raw: &RawDocument, value: &T) -> Result<Option<WriteBack>> {
    let Some(version) = &T::MODEL.version else { return Ok(None) };
    let found = T::read_at(&Stored::new(raw, version));
    Ok(match found.map_err(|error| codec::of_document(error, raw, T::MODEL))? {
        Some((_, found)) if !std::ptr::eq(found.model, T::MODEL) => {
            WriteBack::plan(raw, value, &found)
        }
        _ => None,
    })
}

fn read_chain<T: Document>(raw: &RawDocument) -> Result<Read<T>> {
    let Some(version) = &T::MODEL.version else {
        let value = match T::read_raw(RawValue::of_document(raw)) {
            Some(value) => value,
            None => T::decode_current(raw)?,
        };
        return Ok(Read { value, write_back: None });
    };
    let stored = Stored::new(raw, version);
    // The usual case, without what a chain of versions hands on.
    if is_own(T::MODEL, stored.version()) {
        return stored.read_as().map(|value| Read { value, write_back: None });
    }
    let (value, found) = T::read_at(&stored)?.ok_or_else(|| unknown(stored.version(), version))?;
    let write_back = match std::ptr::eq(found.model, T::MODEL) {
        true => None,
        false => WriteBack::plan(raw, &value, &found).map(Box::new),
    };
    Ok(Read { value, write_back })
}

/// A part of a stored document, which must be of the current version; without the version where
/// serde must not see it.
pub(crate) fn current<'a>(
    raw: &'a RawDocument,
    model: &Model,
    is_strict: bool,
) -> Result<Cow<'a, RawDocument>> {
    let Some(version) = &model.version else { return Ok(Cow::Borrowed(raw)) };
    let stored = Stored::new(raw, version);
    match is_own(model, stored.version()) {
        true if is_strict => return stored.unversioned(),
        true => return Ok(Cow::Borrowed(raw)),
        false => {}
    }
    let mut older = (model.previous)();
    while let Some(model) = older {
        if is_own(model, stored.version()) {
            let message = format!(
                "a view reads documents of the current version {} alone: read this one whole, which \
                 upgrades it, or migrate it first",
                version.label
            );
            return Err(Error::new(ErrorKind::OlderVersion, message).with_path(version.field));
        }
        older = (model.previous)();
    }
    Err(unknown(stored.version(), version))
}

/// Whether a stored document is of the model's own version.
pub(crate) fn is_current(raw: &RawDocument, model: &Model) -> bool {
    model.version.as_ref().is_none_or(|version| is_own(model, Stored::new(raw, version).version()))
}

/// Whether a document with this version element is of the model itself. A document without one is
/// of the first version.
pub(super) fn is_own(model: &Model, found: Option<RawBsonRef<'_>>) -> bool {
    let found = found.filter(|found| !matches!(found, RawBsonRef::Null));
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
    let found = match found.map(codec::shallow) {
        Some(Some(found)) => found.to_string(),
        Some(None) => "a malformed value".to_owned(),
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
