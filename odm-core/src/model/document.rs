//! The traits that the derives implement.

use bson::spec::ElementType;
use bson::{RawDocument, RawDocumentBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Model, Shape};
use crate::codec::{self, RawBuffer, RawValue};
use crate::error::Result;
use crate::migrate::{self, Ancestor};
use crate::path::FieldType;
use crate::relation::Visit;

/// What serde can write, and read without borrowing: its two traits under one name.
///
/// With the two as supertraits of its own, the compiler would take a model without serde's derives
/// for an attempt at a sealed trait, and advise to use another type.
pub trait Stored: Serialize + DeserializeOwned {}
impl<T: Serialize + DeserializeOwned> Stored for T {}

/// A struct whose values are the documents of a collection.
///
/// Derive it, beside serde's traits; serde's attributes say how the fields are stored, and
/// `#[odm(...)]` says what serde cannot.
///
/// ```
/// use odm::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Serialize, Deserialize, Document)]
/// #[odm(collection = "users")]
/// struct User {
///     #[serde(rename = "_id")]
///     id: String,
///     karma: i64,
/// }
///
/// assert_eq!(User::fields().karma().as_str(), "karma");
/// assert_eq!(<User as odm::Document>::MODEL.collection, "users");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a document model",
    label = "`Document` is not implemented for `{Self}`",
    note = "add `#[derive(Serialize, Deserialize, Document)]` to the struct"
)]
pub trait Document: Stored + Send + Sync + Sized + 'static {
    /// The type of `_id`; where the field is an `Option`, the type of its value.
    type Id: FieldType;

    /// The struct of the schema version before, or [`First`](crate::migrate::First).
    type Previous: Ancestor;

    /// The static description of the model.
    const MODEL: &'static Model;

    /// Whether it declares neither fields nor a collection. Beside the model, which two documents
    /// that refer to each other cannot ask each other for at compile time.
    #[doc(hidden)]
    const IS_DYNAMIC: bool = false;

    /// The value of `_id`, or `None` where an optional one has not been set yet.
    fn id(&self) -> Option<&<Self::Id as FieldType>::Key>;

    /// The document as it is stored: serde's form, with the schema version right after `_id`.
    ///
    /// # Errors
    /// [`ErrorKind::Encode`](crate::ErrorKind::Encode) if a value has no BSON form, such as a
    /// `u64` above `i64::MAX`.
    fn encode(&self) -> Result<RawDocumentBuf> {
        match RawBuffer::document(|out| self.write_raw(out)) {
            Some(raw) => Ok(raw),
            None => codec::encode_document(self, Self::MODEL),
        }
    }

    /// Reads a stored document, of this schema version or an older one of the chain.
    ///
    /// # Errors
    /// [`ErrorKind::Decode`](crate::ErrorKind::Decode) with the path, the expected and the found
    /// type, if the document does not fit the model;
    /// [`ErrorKind::NewerVersion`](crate::ErrorKind::NewerVersion) or
    /// [`ErrorKind::UnknownVersion`](crate::ErrorKind::UnknownVersion) if its schema version is none
    /// of the chain; [`ErrorKind::Migrate`](crate::ErrorKind::Migrate) if a step of it failed.
    fn decode(raw: &RawDocument) -> Result<Self> {
        migrate::read(raw).map(|read| read.value)
    }

    /// Reads a document of this schema version by serde, without a version element that it would not
    /// take.
    #[doc(hidden)]
    fn decode_current(raw: &RawDocument) -> Result<Self> {
        codec::decode_shape(raw, Self::MODEL.shape)
    }

    /// Takes a document of the schema version before to this one: `TryFrom` between the structs.
    ///
    /// # Errors
    /// [`ErrorKind::Migrate`](crate::ErrorKind::Migrate) with the error of the conversion as source.
    #[doc(hidden)]
    fn upgrade(previous: Self::Previous) -> Result<Self>;

    /// Reads a stored document of this schema version without serde; `None` where only serde can
    /// say what it is. The derive writes it.
    #[doc(hidden)]
    fn read_raw(_value: RawValue<'_>) -> Option<Self> {
        None
    }

    /// Writes the document without serde, with its schema version; `None` where only serde can
    /// write it, or say why it cannot be written. The derive writes it.
    #[doc(hidden)]
    fn write_raw(&self, _out: &mut RawBuffer) -> Option<ElementType> {
        None
    }

    /// Takes the fields that the library keeps from another value. The derive writes it.
    #[doc(hidden)]
    fn take_stamps(&mut self, _from: Self) {}

    /// Hands each reference at a path to `visit`. The derive writes it.
    #[doc(hidden)]
    fn visit_refs(&mut self, _path: &[&str], _visit: Visit<'_>) {}
}

/// A struct with declared fields: a document or an embedded document. The derives implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no declared fields",
    label = "not a struct that derives `Document` or `Embedded`",
    note = "a view is of a struct that derives `Document` or `Embedded`"
)]
pub trait Described: 'static {
    /// The fields, as serde stores them.
    const SHAPE: &'static Shape;
}

/// A struct or enum that is stored inside documents.
///
/// Derive it, beside serde's traits. A struct is stored as an embedded document; an enum of unit
/// variants as a string; an internally tagged enum (`#[serde(tag = "kind")]`) as an embedded
/// document with its tag.
///
/// ```
/// use odm::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Serialize, Deserialize, Embedded)]
/// struct Address {
///     city: String,
/// }
///
/// #[derive(Debug, Serialize, Deserialize, Document)]
/// struct Patron {
///     #[serde(rename = "_id")]
///     id: String,
///     address: Address,
/// }
///
/// let filter = Patron::fields().address().city().eq("Faketon");
/// assert_eq!(filter.to_string(), r#"{ "address.city": "Faketon" }"#);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an embedded type",
    label = "`Embedded` is not implemented for `{Self}`",
    note = "add `#[derive(Serialize, Deserialize, Embedded)]` to the type"
)]
pub trait Embedded: Stored + Send + Sync + Sized + 'static {
    /// The fields, as serde stores them.
    const SHAPE: &'static Shape;
}
