//! Maps with string keys: fields stored as documents whose names are data.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use bson::Bson;
use bson::spec::ElementType;
use serde::Serialize;

use super::{FieldType, InMap, IntoKey, Nest, Path};
use crate::codec::{RawBuffer, RawValue, encode_value, write};
use crate::error::Result;
use crate::model::{Kind, Shape};
use crate::relation::{MAP_VALUES, Place, Reference, Visit};

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
    const REFERENCE: Option<Reference> = Reference::at(T::REFERENCE, Place::Map);

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

    fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
        write::map(self, out)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        match path.split_first() {
            Some((key, rest)) if *key != MAP_VALUES => {
                let value = self.get_mut(*key);
                value.into_iter().for_each(|value| value.visit_refs(rest, visit));
            }
            of_all => {
                let rest = of_all.map_or(&[][..], |(_, rest)| rest);
                self.values_mut().for_each(|value| value.visit_refs(rest, visit));
            }
        }
    }

    fn values() -> Option<&'static Shape> {
        T::shape()
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
    const REFERENCE: Option<Reference> = Reference::at(T::REFERENCE, Place::Map);

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

    fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
        write::map(self, out)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        match path.split_first() {
            Some((key, rest)) if *key != MAP_VALUES => {
                let value = self.get_mut(*key);
                value.into_iter().for_each(|value| value.visit_refs(rest, visit));
            }
            of_all => {
                let rest = of_all.map_or(&[][..], |(_, rest)| rest);
                self.values_mut().for_each(|value| value.visit_refs(rest, visit));
            }
        }
    }

    fn values() -> Option<&'static Shape> {
        T::shape()
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

    /// The values of the map, whatever their keys, to be followed by a lookup. No filter or update
    /// can name them.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # use odm::Ref;
    /// # use std::collections::HashMap;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: String }
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Desk { clerk: Ref<User> }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Office { #[serde(rename = "_id")] id: i32, desks: HashMap<String, Desk> }
    /// # fn example(offices: Collection<Office>) {
    /// let find = offices.find(Filter::new()).lookup(Office::fields().desks().values().clerk());
    /// # let _ = find;
    /// # }
    /// ```
    #[must_use]
    pub fn values<T>(&self) -> T::Path<M, T, InMap>
    where
        T: FieldType,
        C: Map<Value = T>,
    {
        Path::new(self.name.values()).into()
    }
}
