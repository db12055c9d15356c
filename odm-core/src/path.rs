//! Typed paths: where a value lies in a document, with the types that say what may be done there.
//!
//! The derive gives each model a `fields()` whose methods return paths. A [`Path`] makes filters
//! (in [`filter`](crate::filter)), updates (in [`update`](crate::update)) and sort keys.

mod array;
mod array_filters;
mod class;
mod coded;
mod dynamic;
pub mod geo;
mod into;
mod key;
mod list;
mod map;
mod name;
mod nullable;
mod number;
mod types;
mod wrappers;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

pub(crate) use array_filters::ArrayFilters;
pub use class::{Bits, Geospatial, Integral, Newtype, Text};
pub use coded::{Coded, Coding, Opaque};
pub use dynamic::dynamic;
pub use into::IntoPath;
pub use key::IntoKey;
pub use list::List;
pub use map::Map;
pub(crate) use name::Name;
pub use name::Relates;
pub use nullable::{Nullable, null_as_empty};
pub use number::{Delta, Integer, Number};
pub use types::Dated;

use bson::spec::ElementType;

use crate::codec::read::Fields;
use crate::codec::{RawBuffer, RawValue};
use crate::error::Result;
use crate::model::{Field, Kind, Names, Shape};
use crate::relation::{Inverse, Reference, Relation, Visit};

/// How a path goes through arrays: not at all, so it names one value.
#[derive(Debug, Clone, Copy)]
pub enum Direct {}

/// The path goes through an array without naming a position: it means any element.
#[derive(Debug, Clone, Copy)]
pub enum InArray {}

/// The path goes through an array by a positional operator, which only updates understand.
#[derive(Debug, Clone, Copy)]
pub enum Positional {}

/// The path goes to the values of a map, whatever their keys, which only lookups understand.
#[derive(Debug, Clone, Copy)]
pub enum InMap {}

/// Paths that a filter, a sort or an index may name.
#[diagnostic::on_unimplemented(
    message = "a positional path cannot be used in a filter, a sort or an index",
    label = "this path is for updates",
    note = "`.matched()`, `.all_elements()` and `.filtered(…)` are for updates; a filter names the array itself, or one element by `.at(0)`"
)]
pub trait Queryable: 'static {}
#[diagnostic::do_not_recommend]
impl Queryable for Direct {}
#[diagnostic::do_not_recommend]
impl Queryable for InArray {}

/// Paths that an update may name.
#[diagnostic::on_unimplemented(
    message = "this path goes through an array, and an update must say which element",
    label = "of which element?",
    note = "name the element before the field: `.at(0)` by position, `.matched()` for the one that the filter matched, `.all_elements()` for each, `.filtered(…)` for those that meet a condition"
)]
pub trait Updatable: 'static {}
#[diagnostic::do_not_recommend]
impl Updatable for Direct {}
#[diagnostic::do_not_recommend]
impl Updatable for Positional {}

/// What a type does to the paths below it: arrays turn them into [`InArray`] ones.
pub trait Nest: 'static {
    /// How paths below a field of this type go through arrays, given how the path to it does.
    type Via<V: 'static>: 'static;

    /// Whether a value of this type may be absent, so that what lies below it is absent too: null,
    /// or an array without elements.
    const NULLABLE: bool = false;
}

/// A type that a field of a model can have.
///
/// Implemented for Rust's and BSON's value types, `Option`, `Box`, lists and maps of them, and by
/// the derives. Any other serde type becomes one by `#[serde(with = "…")]` or `#[odm(opaque)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no declared form in BSON",
    label = "not a type that a field can have",
    note = "a struct or enum of your own: add `#[derive(Serialize, Deserialize, Embedded)]` to it",
    note = "a chrono type (serde stores it as a string): use `bson::DateTime`, or add `#[serde(with = \"bson::serde_helpers::datetime::FromChrono04DateTime\")]`",
    note = "`uuid::Uuid` (serde stores it with the wrong subtype): use `bson::Uuid`, or add `#[serde(with = \"bson::serde_helpers::uuid_1::AsBinary\")]`",
    note = "any other serde type: add `#[odm(opaque)]` to the field, and it is stored as serde makes it"
)]
pub trait FieldType: Nest + Sized {
    /// The type of paths to such a field: [`Path`], or the derive's, which has the nested fields.
    type Path<M: 'static, C: 'static, V: 'static>: From<Path<M, C, V>>;

    /// What filters and updates take; the type itself, except for references.
    type Key: 'static;

    /// The BSON type; of an `Option`, that of its value.
    const KIND: Kind;

    /// The BSON type of the keys of an index on the field: of a list, that of its elements.
    const INDEXED: Kind = Self::KIND;

    /// Whether null is a value of the type.
    const OPTIONAL: bool = false;

    /// Whether serde functions say how the value is written, and not its type.
    #[doc(hidden)]
    const IS_CODED: bool = false;

    /// The reference that a field of the type holds.
    const REFERENCE: Option<Reference> = None;

    /// The stored names of the fields of an embedded document.
    const NAMES: &'static Names = &Names::NONE;

    /// What the table of a model's fields says of the type. The derive reads it.
    #[doc(hidden)]
    const FIELD: Field = Field::of::<Self>();

    /// Encodes a value as it is stored.
    ///
    /// # Errors
    /// [`ErrorKind::Encode`](crate::ErrorKind::Encode) if the value has no BSON form.
    fn encode(key: &Self::Key) -> Result<bson::Bson>;

    /// Reads a stored value without serde: just what serde would make of it, or `None`, and then
    /// serde decodes the whole document. A type that serde alone can read says `by_serde(value)`.
    #[doc(hidden)]
    fn read_raw(_value: RawValue<'_>) -> Option<Self> {
        None
    }

    /// The value of a field that is not stored, where serde has one.
    #[doc(hidden)]
    fn read_missing() -> Option<Self> {
        None
    }

    /// Reads the field at this position. The derive calls it.
    #[doc(hidden)]
    fn read_field(fields: &mut Fields<'_>, position: usize) -> Option<Self> {
        match fields.field(position)? {
            Some(value) => Self::read_raw(value),
            None => Self::read_missing(),
        }
    }

    /// Reads the field at this position, and then `None` if it is not stored: of a field with a
    /// default. The derive calls it.
    #[doc(hidden)]
    fn read_stored(fields: &mut Fields<'_>, position: usize) -> Option<Option<Self>> {
        match fields.field(position)? {
            Some(value) => Self::read_raw(value).map(Some),
            None => Some(None),
        }
    }

    /// Writes the value without serde: just what serde would write of it, and its type; or `None`,
    /// and then serde writes the whole document.
    #[doc(hidden)]
    fn write_raw(&self, _out: &mut RawBuffer) -> Option<ElementType> {
        None
    }

    /// Writes a field, whose name has a null byte before and after it. Whether it was written. The
    /// derive calls it.
    #[doc(hidden)]
    fn write_field(&self, name: &str, out: &mut RawBuffer) -> bool {
        let at = out.name(name);
        let written = self.write_raw(out);
        out.typed(at, written)
    }

    /// The same for a field whose type serde is not asked how to write.
    #[doc(hidden)]
    fn write_key(_key: &Self::Key, _name: &str, _out: &mut RawBuffer) -> bool {
        false
    }

    /// Hands each reference at the path below this value to `visit`.
    #[doc(hidden)]
    fn visit_refs(&mut self, _path: &[&str], _visit: Visit<'_>) {}

    /// The fields of an embedded document, or of the elements of a list of them.
    #[must_use]
    fn shape() -> Option<&'static Shape> {
        None
    }

    /// The fields of the values of a map of embedded documents.
    #[must_use]
    fn values() -> Option<&'static Shape> {
        None
    }
}

/// The declared type at the root of a model's paths. It has no operators of its own.
#[derive(Debug)]
pub struct Whole<T>(PhantomData<fn() -> T>);

impl<T: 'static> Nest for Whole<T> {
    type Via<V: 'static> = V;
}

/// The declared type of a flattened field. It has no operators: its fields stand in its place.
#[derive(Debug)]
pub struct Flat<T>(PhantomData<fn() -> T>);

impl<T: 'static> Nest for Flat<T> {
    type Via<V: 'static> = V;
}

/// A place in the documents of model `M` that holds a `T`.
///
/// `V` says how the path goes through arrays ([`Direct`], [`InArray`], [`Positional`]) and so
/// decides whether filters and updates may use it. A field named like an operator wins over it;
/// the operator stays reachable as `Path::size(&p.comments(), 3)`.
pub struct Path<M, T, V = Direct> {
    pub(crate) name: Name,
    model: PhantomData<fn() -> M>,
    value: PhantomData<fn() -> (T, V)>,
}

impl<M, T, V> Path<M, T, V> {
    pub(crate) fn new(name: Name) -> Self {
        Self { name, model: PhantomData, value: PhantomData }
    }

    fn retyped<U>(self) -> Path<M, U, V> {
        Path::new(self.name)
    }

    /// The path in stored names, as the server knows it: `comments.who`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.name.as_str()
    }
}

impl<M: 'static, C: 'static> Path<M, C> {
    /// The root of a model's paths. The derive calls it.
    #[doc(hidden)]
    #[must_use]
    pub fn root() -> Self {
        Self::new(Name::from(Cow::Borrowed("")))
    }
}

impl<M: 'static, C: Nest, V: 'static> Path<M, C, V> {
    /// The path to a field of this one. The derive calls it.
    #[doc(hidden)]
    #[must_use]
    pub fn child<T: FieldType>(&self, name: &'static str) -> T::Path<M, T, C::Via<V>> {
        Path::new(self.name.child(name, C::NULLABLE)).into()
    }

    /// The path to a field that refers by another key than `_id`. The derive calls it.
    #[doc(hidden)]
    #[must_use]
    pub fn keyed<T: FieldType>(
        &self,
        name: &'static str,
        key: &'static str,
    ) -> T::Path<M, T, C::Via<V>> {
        let name = self.name.child(name, C::NULLABLE).relating(Relates::Key(key));
        Path::new(name).into()
    }

    /// The path to a field that is not stored, for what refers back. The derive calls it.
    #[doc(hidden)]
    #[must_use]
    pub fn inverse<T: Relation>(
        &self,
        name: &'static str,
        inverse: fn() -> Inverse,
    ) -> Path<M, T, C::Via<V>> {
        Path::new(self.name.child(name, C::NULLABLE).relating(Relates::Inverse(inverse)))
    }

    /// The same place, seen as what one variant of an enum holds there. The derive calls it.
    #[doc(hidden)]
    #[must_use]
    pub fn variant<T: FieldType>(&self) -> T::Path<M, T, C::Via<V>> {
        self.within::<T>().retyped().into()
    }

    /// The paths to the fields of a flattened field. The derive calls it.
    #[doc(hidden)]
    #[must_use]
    pub fn flatten<T: FieldType>(&self) -> T::Path<M, Flat<T>, C::Via<V>> {
        self.within().into()
    }

    /// The same place, seen as something whose fields stand there. The derive calls it for the
    /// variants of enums.
    #[doc(hidden)]
    #[must_use]
    pub fn within<T>(&self) -> Path<M, Flat<T>, C::Via<V>> {
        Path::new(self.name.clone())
    }
}

impl<M, T, V> Clone for Path<M, T, V> {
    fn clone(&self) -> Self {
        Self::new(self.name.clone())
    }
}

impl<M, T, V> fmt::Debug for Path<M, T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Path").field(&self.as_str()).finish()
    }
}

impl<M, T, V> fmt::Display for Path<M, T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
