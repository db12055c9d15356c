//! `Ref<T>`: the id of a document of another model, and the document once it was loaded.

use std::any::type_name;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use bson::Bson;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Shared, Slot, Visit};
use crate::codec::RawValue;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, Kind};
use crate::path::{FieldType, Nest, Path};

/// An id type that references can hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the id that a reference holds",
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

/// A reference to a document of model `T`, stored as its `_id`.
///
/// It is in one of three states: not loaded, loaded, or missing (looked for and not there). The id
/// is known in each, and is what is stored, whatever the state. Nothing loads by itself: ask for it
/// with [`Find::lookup`](crate::action::Find::lookup).
///
/// To a human-readable format such as JSON it is the document where it is loaded, else the id.
///
/// Two references are equal if their ids are.
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
/// Source: [database references](https://www.mongodb.com/docs/manual/reference/database-references/#manual-references).
pub struct Ref<T: Document> {
    id: T::Id,
    state: State,
    marker: PhantomData<fn() -> T>,
}

#[derive(Clone)]
enum State {
    NotLoaded,
    Loaded(Shared),
    Missing,
}

impl<T: Document<Id: RefId>> Ref<T> {
    /// A reference to the document with this `_id`. Nothing is read.
    pub fn new(id: impl crate::path::IntoKey<T::Id>) -> Self {
        Self { id: id.into_key(), state: State::NotLoaded, marker: PhantomData }
    }

    /// The `_id` of the document.
    #[must_use]
    pub fn id(&self) -> &T::Id {
        &self.id
    }

    /// The document, if it was loaded.
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        match &self.state {
            State::Loaded(document) => document.downcast_ref(),
            State::NotLoaded | State::Missing => None,
        }
    }

    /// The document, or why it is not there.
    ///
    /// # Errors
    /// [`ErrorKind::NotLoaded`] if no lookup named the reference, [`ErrorKind::Missing`] if one
    /// did and no document has the id.
    pub fn try_get(&self) -> Result<&T> {
        self.get().ok_or_else(|| {
            let (kind, message) = match self.state {
                State::Missing => (ErrorKind::Missing, "a lookup found no document with the id"),
                _ => (ErrorKind::NotLoaded, "no lookup asked for it"),
            };
            let id = T::Id::encode(&self.id).ok();
            Error::new(kind, message).with_model(T::MODEL.name).with_id(id)
        })
    }

    /// Whether the document was loaded.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        matches!(self.state, State::Loaded(_))
    }

    /// Whether the document was looked for and is not there.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.state, State::Missing)
    }
}

impl<T: Document<Id: RefId>> Slot for Ref<T> {
    fn id(&self) -> Result<Bson> {
        T::Id::encode(&self.id)
    }

    fn fill(&mut self, target: Option<&Shared>) {
        self.state = match target {
            Some(document) => State::Loaded(document.clone()),
            None => State::Missing,
        };
    }
}

impl<T: Document> Nest for Ref<T> {
    type Via<V: 'static> = V;
}

impl<T: Document<Id: RefId>> FieldType for Ref<T> {
    type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
    type Key = T::Id;
    const KIND: Kind = T::Id::KIND;

    fn encode(key: &T::Id) -> Result<Bson> {
        T::Id::encode(key)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        T::Id::read_raw(value).map(Self::new)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        if path.is_empty() {
            visit(self);
        }
    }
}

impl<T: Document<Id: Clone>> Clone for Ref<T> {
    fn clone(&self) -> Self {
        Self { id: self.id.clone(), state: self.state.clone(), marker: PhantomData }
    }
}

impl<T: Document<Id: PartialEq>> PartialEq for Ref<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T: Document<Id: Eq>> Eq for Ref<T> {}

impl<T: Document<Id: Hash>> Hash for Ref<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl<T: Document<Id: fmt::Debug>> fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::NotLoaded => "not loaded",
            State::Loaded(_) => "loaded",
            State::Missing => "missing",
        };
        write!(f, "Ref({:?}, {state})", self.id)
    }
}

/// Whether the (de)serializer with errors of type `E` is that of the bson crate. Some of its
/// serializers call themselves human-readable, and yet what they write is stored.
fn is_bson<E>() -> bool {
    type_name::<E>() == type_name::<bson::error::Error>()
}

impl<T: Document<Id: RefId>> Serialize for Ref<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let for_people = serializer.is_human_readable() && !is_bson::<S::Error>();
        match self.get() {
            Some(document) if for_people => document.serialize(serializer),
            _ => self.id.serialize(serializer),
        }
    }
}

impl<'de, T: Document<Id: RefId>> Deserialize<'de> for Ref<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if is_bson::<D::Error>() || !deserializer.is_human_readable() {
            return T::Id::deserialize(deserializer).map(Self::new);
        }
        // What people read may be the document in place of its id.
        let value = Bson::deserialize(deserializer)?;
        if value.as_document().is_none_or(|document| !document.contains_key("_id")) {
            let id: T::Id = bson::deserialize_from_bson(value).map_err(D::Error::custom)?;
            return Ok(Self::new(id));
        }
        let document: T = bson::deserialize_from_bson(value).map_err(D::Error::custom)?;
        let id = document.id().cloned();
        let id = id.ok_or_else(|| D::Error::custom("a document without `_id`"))?;
        let state = State::Loaded(std::sync::Arc::new(document));
        Ok(Self { id, state, marker: PhantomData })
    }
}
