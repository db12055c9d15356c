//! What generated code names. Not part of the public interface.

pub use std::convert::From;
pub use std::default::Default;
pub use std::ops::Deref;
pub use std::option::Option::{self, None, Some};
pub use std::primitive::{bool, str};
pub use std::result::Result;
pub use std::string::String;
pub use std::vec::Vec;

pub use bson::Bson;
pub use bson::spec::ElementType;
pub use serde::{Deserializer, Serializer};
pub use std::mem::offset_of;

pub use crate::aggregate::{Expr, IntoExpr};
pub use crate::codec::read::{
    Decoding, Fields, Reader, by_serde, decoded_field, decoded_stored, opaque_field, opaque_stored,
};
pub use crate::codec::write::{Writer, by_serde as write_by_serde};
pub use crate::codec::{RawBuffer, RawValue, encode_value};
pub use crate::filter::Filter;
pub use crate::index::Index;
pub use crate::migrate::{Ancestor, First};
pub use crate::model::{
    Concerns, Described, Document, Embedded, Field, Kind, Label, Model, Names, Shape, Stamps,
    Variant, Version, revision, stamp,
};
pub use crate::path::{
    Coded, Coding, Direct, FieldType, Flat, IntoKey, IntoPath, List, Nest, Newtype, Opaque, Path,
    Queryable, Whole,
};
pub use crate::relation::{
    Inverse, InverseField, Reference, ReferencedBy, Referrer, Relation, Rule,
};
pub use crate::view::{Part, Selection, Single, View, ViewField, shown, shown_coded};

use crate::model::is_equal;

/// The result of encoding a value.
pub type Encoded = crate::Result<Bson>;

/// What a walk over references calls for each.
pub type Visit<'a> = crate::relation::Visit<'a>;

/// The result of a step from one schema version to the next.
pub type Upgraded<T> = crate::Result<T>;

/// The step from one schema version to the next, by `From` or `TryFrom`.
#[diagnostic::on_unimplemented(
    message = "there is no step from `{Old}` to `{Self}`",
    label = "`{Old}` cannot be turned into `{Self}`",
    note = "write `impl From<{Old}> for {Self}`, or `impl TryFrom<{Old}> for {Self}` where it can fail: old documents are upgraded by it"
)]
pub trait StepFrom<Old>: Sized {
    /// Takes the step.
    ///
    /// # Errors
    /// [`ErrorKind::Migrate`](crate::ErrorKind::Migrate) with the conversion's error as source.
    fn step(old: Old) -> Upgraded<Self>;
}

#[diagnostic::do_not_recommend]
impl<Old, New> StepFrom<Old> for New
where
    New: TryFrom<Old, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    fn step(old: Old) -> Upgraded<Self> {
        New::try_from(old).map_err(|error| {
            let error = error.into();
            crate::Error::new(crate::ErrorKind::Migrate, error.to_string()).with_boxed_source(error)
        })
    }
}

/// Whether the version follows the one before: the next number, or any label after another. A
/// struct without a version counts as 1.
#[must_use]
pub const fn follows(model: &Model, previous: &Model) -> bool {
    let Some(version) = &model.version else { return false };
    let previous = match &previous.version {
        Some(previous) if !is_equal(version.field, previous.field) => return false,
        Some(previous) => previous.label,
        None => Label::Number(1),
    };
    match (version.label, previous) {
        (Label::Number(number), Label::Number(previous)) => number == previous + 1,
        (Label::Text(text), Label::Text(previous)) => !is_equal(text, previous),
        _ => true,
    }
}

/// Refuses a model that declares no collection, at compile time.
pub const fn assert_declared(model: &Model) {
    assert!(
        !model.collection.is_empty(),
        "`bson::Document` declares no collection: use `collection_named::<bson::Document>(name)`"
    );
}

/// What a computed field of a view of model `M` is.
///
/// # Errors
/// Those of the expression.
pub fn computed<M, P, E>(fields: &P, compute: impl FnOnce(&P) -> E) -> Encoded
where
    E: crate::aggregate::IntoExpr<M>,
{
    compute(fields).into_expr().into_bson()
}

/// The path, which names one value.
pub const fn single<M, C, V: Single>(path: &Path<M, C, V>) -> &Path<M, C, V> {
    path
}

/// Whether the field of this name in Rust is stored under this name.
#[must_use]
pub const fn is_stored_as(shape: &Shape, rust_name: &str, name: &str) -> bool {
    let mut i = 0;
    while i < shape.fields.len() {
        let field = &shape.fields[i];
        if is_equal(field.rust_name, rust_name) && !field.flatten {
            return is_equal(field.name, name);
        }
        i += 1;
    }
    // The compiler tells of a field that is not there, or that has no name.
    true
}

/// Whether a field that holds a reference, if it does, holds an `_id`.
#[must_use]
pub const fn is_by_id(reference: Option<Reference>) -> bool {
    match reference {
        Some(reference) => reference.is_by_id,
        None => true,
    }
}

/// Whether a field holds a DBRef.
#[must_use]
pub const fn is_db_ref(reference: Option<Reference>) -> bool {
    match reference {
        Some(reference) => reference.is_db_ref,
        None => false,
    }
}

/// Whether a struct has a field of this name in Rust that is stored under a name of its own.
#[must_use]
pub const fn has_field(shape: &Shape, rust_name: &str) -> bool {
    field_of(shape, rust_name).is_some()
}

/// Whether a field can tell elements apart. The compiler tells of a field that is not there.
#[must_use]
pub const fn is_key(shape: &Shape, rust_name: &str) -> bool {
    match field_of(shape, rust_name) {
        Some(field) => {
            let is_exact = matches!(
                field.kind,
                Kind::String | Kind::ObjectId | Kind::Int | Kind::Long | Kind::Date | Kind::Binary
            );
            is_exact && !field.optional && !field.skippable
        }
        None => true,
    }
}

const fn field_of<'a>(shape: &'a Shape, rust_name: &str) -> Option<&'a Field> {
    let mut i = 0;
    while i < shape.fields.len() {
        let field = &shape.fields[i];
        if is_equal(field.rust_name, rust_name) && !field.flatten {
            return Some(field);
        }
        i += 1;
    }
    None
}

/// The name under which a field is stored; empty if there is none, of which the compiler tells.
#[must_use]
pub const fn stored_name(shape: &Shape, rust_name: &str) -> &'static str {
    let mut i = 0;
    while i < shape.fields.len() {
        if is_equal(shape.fields[i].rust_name, rust_name) {
            return shape.fields[i].name;
        }
        i += 1;
    }
    ""
}

/// Whether no two documents share the field's value. The compiler tells of a field that is not there.
#[must_use]
pub const fn is_unique(shape: &Shape, rust_name: &str) -> bool {
    let mut i = 0;
    while i < shape.fields.len() {
        if is_equal(shape.fields[i].rust_name, rust_name) {
            return shape.fields[i].unique;
        }
        i += 1;
    }
    true
}

/// A field whose value is a key of this type.
#[diagnostic::on_unimplemented(
    message = "the key is not of the type that the reference holds",
    label = "the reference holds `{K}`, and this field is `{Self}`",
    note = "the second parameter of `Ref<Model, Key>` is the type of the key"
)]
pub trait KeyOf<K> {}
#[diagnostic::do_not_recommend]
impl<K, C: FieldType<Key = K>> KeyOf<K> for C {}

/// Asks whether a reference holds what is at the path.
pub const fn holds_key<R: Relation, C: KeyOf<R::Key>>(_path: &Path<R::Target, C>) {}

/// Types of an optional `_id`, which the driver generates where it is `None`.
#[diagnostic::on_unimplemented(
    message = "an optional `_id` is generated as an ObjectId, and `{Self}` is not one",
    label = "not an ObjectId",
    note = "declare `_id` as `Option<ObjectId>`, or as `{Self}` and set it before the insert"
)]
pub trait Generated {}
#[diagnostic::do_not_recommend]
impl Generated for bson::oid::ObjectId {}

/// Asks whether an optional `_id` can be generated.
pub const fn is_generated<T: Generated>() {}

/// Whether such a field can be the `_id`: the server takes no array and no regular expression, and
/// an optional `_id` must be declared by that name, so that the derive sees it.
#[must_use]
pub const fn is_id(field: &Field) -> bool {
    !field.optional && !matches!(field.kind, Kind::Array | Kind::Regex)
}

/// Whether such a field can be flattened: it is stored as a document.
#[must_use]
pub const fn is_document(field: &Field) -> bool {
    matches!(field.kind, Kind::Document | Kind::Any)
}

/// Whether such a field is a list whose elements are stored in the document.
#[must_use]
pub const fn is_own_list(field: &Field) -> bool {
    matches!(field.kind, Kind::Array) && field.reference.is_none()
}

/// Whether a document is read as its declaration says, and not by hand.
///
/// The bound says less than is needed: where serde's derives are missing, that is an error already.
#[inline]
#[must_use]
pub fn is_derived_document<T: Document>(reader: &Reader) -> bool {
    reader.is_struct::<T>()
}

/// Whether an embedded document is read as its declaration says, and not by hand.
#[inline]
#[must_use]
pub fn is_derived<T: Embedded>(reader: &Reader) -> bool {
    reader.is_struct::<T>()
}

/// The position of the variant that is stored; `None` where only serde can say.
#[must_use]
pub fn variant<T: Embedded>(reader: &Reader, value: RawValue<'_>) -> Option<usize> {
    reader.variant::<T>(value)
}

/// Reads an embedded value by serde.
#[must_use]
pub fn embedded_by_serde<T: Embedded>(value: RawValue<'_>) -> Option<T> {
    by_serde(value)
}

/// Begins the bytes of a document; `None` where only serde can write it.
#[inline]
#[must_use]
pub fn open_document<T: Document>(
    writer: &Writer,
    document: &T,
    out: &mut RawBuffer,
) -> Option<usize> {
    writer.open(document, T::MODEL.shape, out)
}

/// Begins the bytes of an embedded document; `None` where only serde can write it.
#[inline]
#[must_use]
pub fn open<T: Embedded>(writer: &Writer, value: &T, out: &mut RawBuffer) -> Option<usize> {
    writer.open(value, T::SHAPE, out)
}

/// Writes the element that holds the schema version. Whether there is one.
#[must_use]
pub fn write_version(model: &Model, out: &mut RawBuffer) -> bool {
    model.version.as_ref().is_some_and(|version| out.version(version))
}

/// Writes a variant; `None` where only serde can write the enum.
#[must_use]
pub fn write_variant<T: Embedded>(
    writer: &Writer,
    variants: &[(T, &'static str)],
    position: usize,
    out: &mut RawBuffer,
) -> Option<ElementType> {
    writer.variant(variants, position, out)
}

/// Writes an embedded value by serde.
#[must_use]
pub fn write_embedded<T: Embedded>(value: &T, out: &mut RawBuffer) -> Option<ElementType> {
    write_by_serde(value, out)
}

/// Encodes an embedded value as it would be stored in a field.
///
/// # Errors
/// As [`encode_value`].
pub fn encode_embedded<T: Embedded>(value: &T) -> Encoded {
    encode_value(value)
}
