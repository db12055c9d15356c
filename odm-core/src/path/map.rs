//! Maps with string keys: fields stored as documents whose names are data.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use bson::Bson;
use serde::Serialize;

use super::{FieldType, IntoKey, Nest, Path};
use crate::codec::{RawValue, encode_value};
use crate::error::Result;
use crate::model::Kind;
use crate::relation::Visit;

/// A field type that is stored as a document with names that are data.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a map",
    label = "`key` needs a map with `String` keys",
    note = "a field of an embedded document is a method of its path: `p.address().city()`"
)]
pub trait Map: FieldType {
    /// The type of the values.
    type Value: FieldType;
}

impl<T: 'static, S: 'static> Nest for HashMap<String, T, S> {
    type Via<V: 'static> = V;
}

impl<T: FieldType + Serialize, S: BuildHasher + Default + 'static> FieldType
    for HashMap<String, T, S>
{
    type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
    type Key = Self;
    const KIND: Kind = Kind::Document;

    fn encode(key: &Self) -> Result<Bson> {
        encode_value(key)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        let mut fields = value.fields()?;
        let mut map = Self::default();
        while let Some((key, value)) = fields.next_field() {
            map.insert(key.to_owned(), T::read_raw(value)?);
        }
        fields.is_whole().then_some(map)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        let value = path.split_first().and_then(|(key, rest)| Some((self.get_mut(*key)?, rest)));
        value.into_iter().for_each(|(value, rest)| value.visit_refs(rest, visit));
    }
}

#[diagnostic::do_not_recommend]
impl<T: FieldType + Serialize, S: BuildHasher + Default + 'static> Map for HashMap<String, T, S> {
    type Value = T;
}

impl<T: 'static> Nest for BTreeMap<String, T> {
    type Via<V: 'static> = V;
}

impl<T: FieldType + Serialize> FieldType for BTreeMap<String, T> {
    type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
    type Key = Self;
    const KIND: Kind = Kind::Document;

    fn encode(key: &Self) -> Result<Bson> {
        encode_value(key)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        let mut fields = value.fields()?;
        let mut map = Self::default();
        while let Some((key, value)) = fields.next_field() {
            map.insert(key.to_owned(), T::read_raw(value)?);
        }
        fields.is_whole().then_some(map)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        let value = path.split_first().and_then(|(key, rest)| Some((self.get_mut(*key)?, rest)));
        value.into_iter().for_each(|(value, rest)| value.visit_refs(rest, visit));
    }
}

#[diagnostic::do_not_recommend]
impl<T: FieldType + Serialize> Map for BTreeMap<String, T> {
    type Value = T;
}

impl<M: 'static, C: 'static, V: 'static> Path<M, C, V> {
    /// The value under one key of the map.
    ///
    /// A key that is empty, begins with `$` or holds a `.` cannot be part of a path: the action
    /// that uses the path returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # use std::collections::HashMap;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Page { #[serde(rename = "_id")] id: i32, views: HashMap<String, i64> }
    /// let update = Page::fields().views().key("en").inc(1);
    /// assert_eq!(update.to_string(), r#"{ "$inc": { "views.en": 1 } }"#);
    /// ```
    #[must_use]
    pub fn key<T>(&self, key: impl IntoKey<String>) -> T::Path<M, T, V>
    where
        T: FieldType,
        C: Map<Value = T>,
    {
        Path::new(self.name.key(&key.into_key())).into()
    }
}
