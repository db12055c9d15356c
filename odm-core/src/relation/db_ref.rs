//! `DbRef<T>`: a reference that names the collection of its document.

use std::fmt;
use std::ops::Deref;

use bson::spec::ElementType;
use bson::{Bson, Document as BsonDocument};
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::reference::{RefId, is_bson};
use super::{ById, Namespace, Place, Ref, RefKey, Reference, Shared, Slot, Visit};
use crate::codec::{self, RawBuffer, RawValue, read, write};
use crate::error::{Error, Result};
use crate::model::{Document, Kind, Model};
use crate::path::{FieldType, IntoKey, Nest, Path};
use crate::private;

/// A reference stored as a DBRef: `{ $ref: "users", $id: "alex" }`, with `$db` where it leads into
/// another database.
///
/// It is a [`Ref`] by its methods. Use it for data that has DBRefs, or where a field leads into
/// several collections (see [`Embedded`](crate::Embedded)); else a [`Ref`] is shorter, and joined
/// faster. A plain id in its place is read too, and written back as the plain id that it was. Fields
/// beside `$ref`, `$id` and `$db` are kept.
///
/// `DbRef` without a parameter leads to documents of any form, in any collection.
///
/// ```
/// # use odm::prelude::*;
/// use odm::DbRef;
/// use odm::bson::{self, doc};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Debug, PartialEq, Serialize, Deserialize, Document)]
/// struct User {
///     #[serde(rename = "_id")]
///     id: String,
/// }
/// #[derive(Debug, PartialEq, Serialize, Deserialize, Document)]
/// struct Post {
///     #[serde(rename = "_id")]
///     id: i32,
///     author: DbRef<User>,
///     about: DbRef,
/// }
/// let post = Post { id: 1, author: DbRef::new("alex"), about: DbRef::to("places", 7) };
/// let stored = doc! {
///     "_id": 1,
///     "author": { "$ref": "users", "$id": "alex" },
///     "about": { "$ref": "places", "$id": 7 },
/// };
/// assert_eq!(bson::serialize_to_document(&post)?, stored);
/// assert_eq!(bson::deserialize_from_document::<Post>(stored)?, post);
/// # Ok::<(), bson::error::Error>(())
/// ```
///
/// Source: [DBRefs](https://www.mongodb.com/docs/manual/reference/database-references/#dbrefs).
pub struct DbRef<T: Document = BsonDocument> {
    reference: Ref<T>,
    form: Form,
}

/// How a reference is stored.
#[derive(Debug, Clone, PartialEq)]
enum Form {
    /// The id alone.
    Id,
    DbRef {
        collection: String,
        database: Option<String>,
        /// Fields of programs that keep more in a DBRef.
        rest: BsonDocument,
    },
}

impl<T: Document<Id: RefId>> DbRef<T>
where
    ById: RefKey<T, Value = T::Id>,
{
    /// A reference to the document of the model with this `_id`. Nothing is read.
    pub fn new(id: impl IntoKey<T::Id>) -> Self {
        const { private::assert_declared(T::MODEL) };
        Self::in_namespace(T::MODEL.collection, T::MODEL.database.map(str::to_owned), id)
    }

    fn in_namespace(collection: &str, database: Option<String>, id: impl IntoKey<T::Id>) -> Self {
        let collection = collection.to_owned();
        let form = Form::DbRef { collection, database, rest: BsonDocument::new() };
        Self { reference: Ref::new(id), form }
    }

    /// The same reference, into this database.
    #[must_use]
    pub fn in_database(mut self, name: impl Into<String>) -> Self {
        match &mut self.form {
            Form::DbRef { database, .. } => *database = Some(name.into()),
            Form::Id => {
                let (collection, database) = (T::MODEL.collection.to_owned(), Some(name.into()));
                self.form = Form::DbRef { collection, database, rest: BsonDocument::new() };
            }
        }
        self
    }

    /// The collection that it leads to.
    #[must_use]
    pub fn collection(&self) -> &str {
        match &self.form {
            Form::DbRef { collection, .. } => collection,
            Form::Id => T::MODEL.collection,
        }
    }

    /// The database that it names, if it names one.
    #[must_use]
    pub fn database(&self) -> Option<&str> {
        match &self.form {
            Form::DbRef { database, .. } => database.as_deref(),
            Form::Id => None,
        }
    }

    fn to_bson(&self) -> Result<Bson> {
        let id = T::Id::encode(self.reference.id())?;
        let Form::DbRef { collection, database, rest } = &self.form else { return Ok(id) };
        let mut document = BsonDocument::new();
        document.insert("$ref", collection);
        document.insert("$id", id);
        if let Some(database) = database {
            document.insert("$db", database);
        }
        document.extend(rest.clone());
        Ok(document.into())
    }

    fn from_bson(value: Bson, of_people: bool) -> Result<Self, String> {
        let document = match value {
            Bson::Document(document) if document.contains_key("$ref") => document,
            value if of_people => {
                let reference = bson::deserialize_from_bson(value).map_err(|e| e.to_string())?;
                return Ok(Self { reference, form: Form::Id });
            }
            id => {
                let id: T::Id = codec::decode_value(id).map_err(|error| error.to_string())?;
                return Ok(Self { reference: Ref::new(id), form: Form::Id });
            }
        };
        let mut rest = document;
        let Some(Bson::String(collection)) = rest.remove("$ref") else {
            return Err("the `$ref` of a DBRef is not a string".to_owned());
        };
        let expected = T::MODEL.collection;
        if !expected.is_empty() && collection != expected {
            return Err(format!("a DBRef into `{collection}`, expected one into `{expected}`"));
        }
        let database = match rest.remove("$db") {
            None | Some(Bson::Null) => None,
            Some(Bson::String(database)) => Some(database),
            Some(_) => return Err("the `$db` of a DBRef is not a string".to_owned()),
        };
        let id = rest.remove("$id").ok_or("a DBRef without `$id`")?;
        let id: T::Id = match of_people {
            true => bson::deserialize_from_bson(id).map_err(|error| error.to_string())?,
            false => codec::decode_value(id).map_err(|error| error.to_string())?,
        };
        Ok(Self { reference: Ref::new(id), form: Form::DbRef { collection, database, rest } })
    }
}

impl DbRef {
    /// A reference to a document of any form.
    pub fn to(collection: &str, id: impl Into<Bson>) -> Self {
        let id: Bson = id.into();
        Self::in_namespace(collection, None, id)
    }
}

impl<T: Document> Deref for DbRef<T> {
    type Target = Ref<T>;

    fn deref(&self) -> &Ref<T> {
        &self.reference
    }
}

impl<T: Document<Id: RefId>> Slot for DbRef<T> {
    fn target(&self) -> &'static Model {
        T::MODEL
    }

    fn key(&self) -> Result<Option<Bson>> {
        Slot::key(&self.reference)
    }

    fn namespace(&self) -> Option<Namespace> {
        let Form::DbRef { collection, database, .. } = &self.form else { return None };
        let is_declared = *collection == T::MODEL.collection
            && database.as_deref().is_none_or(|name| Some(name) == T::MODEL.database);
        (!is_declared)
            .then(|| Namespace { database: database.clone(), collection: collection.clone() })
    }

    fn fill(&mut self, found: &[Shared], failed: &[Error]) {
        self.reference.fill(found, failed);
    }
}

impl<T: Document> Nest for DbRef<T> {
    type Via<V: 'static> = V;
}

impl<T: Document<Id: RefId>> FieldType for DbRef<T> {
    type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
    type Key = Self;
    const KIND: Kind = Kind::Any;
    const REFERENCE: Option<Reference> = match T::IS_DYNAMIC {
        true => None,
        false => Some(Reference::new(|| T::MODEL, Place::One, true).db_ref()),
    };

    fn encode(key: &Self) -> Result<Bson> {
        key.to_bson()
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        read::by_serde(value)
    }

    fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
        write::by_serde(self, out)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        if path.is_empty() {
            visit(self);
        }
    }
}

impl<T: Document<Id: RefId>> Serialize for DbRef<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let for_people = serializer.is_human_readable() && !is_bson::<S::Error>();
        let Form::DbRef { collection, database, rest } = &self.form else {
            return self.reference.serialize(serializer);
        };
        if for_people && self.reference.is_loaded() {
            return self.reference.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("$ref", collection)?;
        map.serialize_entry("$id", self.reference.id())?;
        if let Some(database) = database {
            map.serialize_entry("$db", database)?;
        }
        for (name, value) in rest {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, T: Document<Id: RefId>> Deserialize<'de> for DbRef<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let of_people = deserializer.is_human_readable() && !is_bson::<D::Error>();
        let value = Bson::deserialize(deserializer)?;
        Self::from_bson(value, of_people).map_err(D::Error::custom)
    }
}

impl<T: Document<Id: Clone>> Clone for DbRef<T>
where
    Ref<T>: Clone,
{
    fn clone(&self) -> Self {
        Self { reference: self.reference.clone(), form: self.form.clone() }
    }
}

/// Equal if they lead to the same document.
impl<T: Document<Id: RefId>> PartialEq for DbRef<T> {
    fn eq(&self, other: &Self) -> bool {
        self.reference == other.reference && self.namespace() == other.namespace()
    }
}

impl<T: Document> fmt::Debug for DbRef<T>
where
    Ref<T>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Id => write!(f, "DbRef({:?})", self.reference),
            Form::DbRef { collection, database: None, .. } => {
                write!(f, "DbRef({collection}, {:?})", self.reference)
            }
            Form::DbRef { collection, database: Some(database), .. } => {
                write!(f, "DbRef({database}.{collection}, {:?})", self.reference)
            }
        }
    }
}
