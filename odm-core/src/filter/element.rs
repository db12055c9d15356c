//! Element operators: whether a field is there, and whether it is null.
//!
//! | | field missing | null | a value |
//! |---|---|---|---|
//! | `is_none()` | matches | matches | |
//! | `is_null()` | | matches | |
//! | `is_missing()` | matches | | |
//! | `exists(true)` | | matches | matches |
//!
//! Source: [element query operators](https://www.mongodb.com/docs/manual/reference/operator/query-element/).

use bson::{Bson, doc};

use super::Filter;
use crate::path::{FieldType, Path, Queryable};

impl<M, C, V> Path<M, C, V> {
    /// The field is there, null or not (`true`), or is not there (`false`): `$exists`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: i32, email: Option<String> }
    /// let filter = User::fields().email().exists(true);
    /// assert_eq!(filter.to_string(), r#"{ "email": { "$exists": true } }"#);
    /// ```
    pub fn exists(&self, exists: bool) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
    {
        Filter::condition(&self.name, Ok(doc! { "$exists": exists }.into()))
    }

    /// The field is not there.
    pub fn is_missing(&self) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
    {
        self.exists(false)
    }

    /// The field is there and null: `$type`.
    pub fn is_null(&self) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
    {
        Filter::condition(&self.name, Ok(doc! { "$type": "null" }.into()))
    }

    /// The field is null or not there: what an `Option` reads as `None`.
    pub fn is_none(&self) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
    {
        Filter::condition(&self.name, Ok(Bson::Null))
    }
}
