//! Comparison operators.
//!
//! Source: [comparison query operators](https://www.mongodb.com/docs/manual/reference/operator/query-comparison/).

use bson::{Bson, Document, doc};

use super::{Filter, equal_to, is_condition};
use crate::error::Result;
use crate::path::{FieldType, IntoKey, Path, Queryable};

impl<M, C, V> Path<M, C, V> {
    /// Equal to the value: `$eq`. `None` matches null and missing alike.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, author: String }
    /// let filter = Post::fields().author().eq("alex");
    /// assert_eq!(filter.to_string(), r#"{ "author": "alex" }"#);
    /// ```
    pub fn eq<K>(&self, value: K) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
        K: IntoKey<C::Key>,
    {
        Filter::condition(&self.name, encode::<C>(value).map(equal_to))
    }

    /// Not equal to the value, or missing: `$ne`.
    pub fn ne<K>(&self, value: K) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
        K: IntoKey<C::Key>,
    {
        let condition = encode::<C>(value).map(|value| match value {
            // The server refuses a regular expression under `$ne`.
            Bson::RegularExpression(_) => doc! { "$not": { "$eq": value } },
            value => doc! { "$ne": value },
        });
        Filter::condition(&self.name, condition.map(Bson::Document))
    }

    /// Greater than the value: `$gt`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: u32 }
    /// let p = Post::fields();
    /// let filter = p.votes().gt(3) & p.votes().lte(10);
    /// assert_eq!(filter.to_string(), r#"{ "votes": { "$gt": 3, "$lte": 10 } }"#);
    /// ```
    pub fn gt<K>(&self, value: K) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
        K: IntoKey<C::Key>,
    {
        self.compare("$gt", encode::<C>(value))
    }

    /// Greater than or equal to the value: `$gte`.
    pub fn gte<K>(&self, value: K) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
        K: IntoKey<C::Key>,
    {
        self.compare("$gte", encode::<C>(value))
    }

    /// Less than the value: `$lt`.
    pub fn lt<K>(&self, value: K) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
        K: IntoKey<C::Key>,
    {
        self.compare("$lt", encode::<C>(value))
    }

    /// Less than or equal to the value: `$lte`.
    pub fn lte<K>(&self, value: K) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
        K: IntoKey<C::Key>,
    {
        self.compare("$lte", encode::<C>(value))
    }

    /// Equal to one of the values: `$in`. Without values nothing matches.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, author: String }
    /// let filter = Post::fields().author().in_(["alex", "calvin"]);
    /// assert_eq!(filter.to_string(), r#"{ "author": { "$in": ["alex", "calvin"] } }"#);
    /// ```
    pub fn in_<K>(&self, values: impl IntoIterator<Item = K>) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
        K: IntoKey<C::Key>,
    {
        let values = encode_all::<C, K>(values);
        Filter::build(&self.name, values, |path, values| one_of(path, values, "$in", "$or"))
    }

    /// Equal to none of the values, or missing: `$nin`. Without values everything matches.
    pub fn nin<K>(&self, values: impl IntoIterator<Item = K>) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
        K: IntoKey<C::Key>,
    {
        let values = encode_all::<C, K>(values);
        Filter::build(&self.name, values, |path, values| one_of(path, values, "$nin", "$nor"))
    }

    fn compare(&self, operator: &str, value: Result<Bson>) -> Filter<M> {
        Filter::condition(&self.name, value.map(|value| doc! { operator: value }.into()))
    }
}

pub(crate) fn encode<C: FieldType>(value: impl IntoKey<C::Key>) -> Result<Bson> {
    C::encode(&value.into_key())
}

pub(crate) fn encode_all<C, K>(values: impl IntoIterator<Item = K>) -> Result<Vec<Bson>>
where
    C: FieldType,
    K: IntoKey<C::Key>,
{
    values.into_iter().map(|value| encode::<C>(value)).collect()
}

/// `$in` or `$nin`; values that it would read as patterns go beside it, each as `$eq`.
fn one_of(path: &str, values: Vec<Bson>, operator: &str, join: &str) -> Document {
    if values.is_empty() && operator == "$nin" {
        // Every document matches, and a write must see that.
        return Document::new();
    }
    let (conditions, plain): (Vec<_>, Vec<_>) = values.into_iter().partition(is_condition);
    if conditions.is_empty() {
        return doc! { path: { operator: plain } };
    }
    let mut parts = vec![doc! { path: { "$in": plain } }];
    parts.extend(conditions.into_iter().map(|value| doc! { path: { "$eq": value } }));
    doc! { join: parts }
}
