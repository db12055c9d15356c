//! `Ref<T>`: the id of a document of another model, and the document once it was loaded.

use std::any::{Any, type_name};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;

use bson::Bson;
use bson::spec::ElementType;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::state::State;
use super::{Place, Reference, Shared, Slot, Visit};
use crate::codec::{RawBuffer, RawValue};
use crate::error::{Error, Result};
use crate::model::{Document, Kind, Model};
use crate::path::{FieldType, IntoKey, Nest, Path};
use crate::view::View;

/// A type of keys that references can hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key that a reference holds",
    note = "the `_id` of the model that is referred to must be a plain value or an `Embedded` type that is `Clone` and `PartialEq`"
)]
pub trait RefId:
    FieldType<Key = Self> + Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync
{
}
impl<T> RefId for T where
    T: FieldType<Key = Self> + Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync
{
}

/// The key of a [`Ref`] that holds the `_id` of its target.
#[derive(Debug, Clone, Copy)]
pub enum ById {}

/// What a reference to a `T` holds: its `_id` ([`ById`]), or another unique key of this type.
pub trait RefKey<T: Document>: 'static {
    /// The type of the key.
    type Value: 'static;

    /// Whether it is the `_id`.
    const IS_ID: bool;
}

impl<T: Document> RefKey<T> for ById {
    type Value = <T::Id as FieldType>::Key;
    const IS_ID: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: Document, K: RefId> RefKey<T> for K {
    type Value = K;
    const IS_ID: bool = false;
}

/// A reference to a document of model `T`, stored as its `_id`, or as another unique key.
///
/// It is in one of these states: not loaded, loaded, missing (looked for and not there), or failed
/// (there, and cannot be read; only where the lookup was asked to
/// [go on](super::Lookup::skip_errors)). The key is known in each, and is what is stored, whatever
/// the state. Nothing loads by itself: ask for it with [`Find::lookup`](crate::action::Find::lookup).
///
/// To a human-readable format such as JSON it is the document where it is loaded, else the key.
///
/// Two references are equal if their keys are; their order is that of the keys.
///
/// ```
/// # use odm::prelude::*;
/// # use odm::Ref;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct User { #[serde(rename = "_id")] id: String }
/// let author: Ref<User> = Ref::new("alex");
/// assert_eq!(author.id(), "alex");
/// assert!(author.get().is_none() && !author.is_missing());
/// ```
///
/// Another key than `_id` has its type as the second parameter, and the field says which it is:
///
/// ```
/// # use odm::prelude::*;
/// # use odm::Ref;
/// # use odm::bson::oid::ObjectId;
/// #[derive(serde::Serialize, serde::Deserialize, Document)]
/// struct Group {
///     #[serde(rename = "_id")]
///     id: ObjectId,
///     #[odm(unique)]
///     group_id: i32,
///     name: String,
/// }
/// #[derive(serde::Serialize, serde::Deserialize, Document)]
/// struct Contact {
///     #[serde(rename = "_id")]
///     id: ObjectId,
///     #[odm(references(group_id))]
///     group_ids: Vec<Ref<Group, i32>>,
/// }
/// ```
///
/// Source: [database references](https://www.mongodb.com/docs/manual/reference/database-references/#manual-references).
pub struct Ref<T: Document, K: RefKey<T> = ById> {
    key: K::Value,
    state: State,
    marker: PhantomData<fn() -> T>,
}

impl<T: Document, K: RefKey<T>> Ref<T, K>
where
    K::Value: RefId,
{
    /// A reference to the document with this key. Nothing is read.
    pub fn new(key: impl IntoKey<K::Value>) -> Self {
        Self { key: key.into_key(), state: State::NotLoaded, marker: PhantomData }
    }

    /// The key of the document: its `_id`, unless the reference is by another.
    #[must_use]
    pub fn id(&self) -> &K::Value {
        &self.key
    }

    /// The document, if it was loaded.
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        self.state.get()
    }

    /// The document, or why it is not there.
    ///
    /// # Errors
    /// [`ErrorKind::NotLoaded`](crate::ErrorKind::NotLoaded) if no lookup named the reference, or
    /// one with a filter that the document does not meet;
    /// [`ErrorKind::Missing`](crate::ErrorKind::Missing) if one did and no document has the key;
    /// [`ErrorKind::Decode`](crate::ErrorKind::Decode) if the lookup was asked to skip errors, and
    /// the document could not be read.
    pub fn try_get(&self) -> Result<&T> {
        self.state.try_get().map_err(|error| self.context(error))
    }

    /// The view of the document that a lookup with a
    /// [projection](super::Lookup::project) has loaded.
    #[must_use]
    pub fn view<V: View<Of = T>>(&self) -> Option<&V> {
        match &self.state {
            State::Loaded(document) => super::state::view_of(document),
            _ => None,
        }
    }

    fn context(&self, error: Error) -> Error {
        error.with_model(T::MODEL.name).with_id(K::Value::encode(&self.key).ok())
    }

    /// Whether the document was loaded, whole or as a view.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.state.is_loaded()
    }

    /// Whether the document was looked for and is not there.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.state.is_missing()
    }
}

impl<T: Document, K: RefKey<T>> Slot for Ref<T, K>
where
    K::Value: RefId,
{
    fn target(&self) -> &'static Model {
        T::MODEL
    }

    fn key(&self) -> Result<Option<Bson>> {
        K::Value::encode(&self.key).map(Some)
    }

    fn fill(&mut self, found: &[Shared], failed: &[Error]) {
        self.state = State::of(found, failed);
    }
}

impl<T: Document, K: RefKey<T>> Nest for Ref<T, K> {
    type Via<V: 'static> = V;
}

impl<T: Document, K: RefKey<T>> FieldType for Ref<T, K>
where
    K::Value: RefId,
{
    type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
    type Key = K::Value;
    const KIND: Kind = K::Value::KIND;
    const REFERENCE: Option<Reference> = Some(Reference::new(|| T::MODEL, Place::One, K::IS_ID));

    fn encode(key: &K::Value) -> Result<Bson> {
        K::Value::encode(key)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        K::Value::read_raw(value).map(Self::new)
    }

    fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
        self.key.write_raw(out)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        if path.is_empty() {
            visit(self);
        }
    }
}

impl<T: Document, K: RefKey<T, Value: Clone>> Clone for Ref<T, K> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), state: self.state.clone(), marker: PhantomData }
    }
}

impl<T: Document, K: RefKey<T, Value: PartialEq>> PartialEq for Ref<T, K> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T: Document, K: RefKey<T, Value: Eq>> Eq for Ref<T, K> {}

impl<T: Document, K: RefKey<T, Value: PartialOrd>> PartialOrd for Ref<T, K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.key.partial_cmp(&other.key)
    }
}

impl<T: Document, K: RefKey<T, Value: Ord>> Ord for Ref<T, K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl<T: Document, K: RefKey<T, Value: Hash>> Hash for Ref<T, K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl<T: Document, K: RefKey<T, Value: fmt::Debug>> fmt::Debug for Ref<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ref({:?}, {})", self.key, self.state.as_str())
    }
}

/// Whether the (de)serializer with errors of type `E` is that of the bson crate. Some of its
/// serializers call themselves human-readable, and yet what they write is stored.
pub(super) fn is_bson<E>() -> bool {
    type_name::<E>() == type_name::<bson::error::Error>()
}

impl<T: Document, K: RefKey<T>> Serialize for Ref<T, K>
where
    K::Value: RefId,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let for_people = serializer.is_human_readable() && !is_bson::<S::Error>();
        match self.get() {
            // From the document the `_id` alone can be read back, and no other key.
            Some(document) if for_people && K::IS_ID => document.serialize(serializer),
            _ => self.key.serialize(serializer),
        }
    }
}

impl<'de, T: Document, K: RefKey<T>> Deserialize<'de> for Ref<T, K>
where
    K::Value: RefId,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let is_stored = is_bson::<D::Error>() || !deserializer.is_human_readable();
        if is_stored || !K::IS_ID {
            return K::Value::deserialize(deserializer).map(Self::new);
        }
        // What people read may be the document in place of its id.
        let value = Bson::deserialize(deserializer)?;
        if value.as_document().is_none_or(|document| !document.contains_key("_id")) {
            let key: K::Value = bson::deserialize_from_bson(value).map_err(D::Error::custom)?;
            return Ok(Self::new(key));
        }
        let document: T = bson::deserialize_from_bson(value).map_err(D::Error::custom)?;
        // The key is the `_id`, so the types are the same.
        let id = document.id().and_then(|id| (id as &dyn Any).downcast_ref::<K::Value>());
        let key = id.cloned().ok_or_else(|| D::Error::custom("a document without `_id`"))?;
        Ok(Self { key, state: State::Loaded(Arc::new(document)), marker: PhantomData })
    }
}
