//! Field update operators.
//!
//! Source: [field update operators](https://www.mongodb.com/docs/manual/reference/operator/update-field/).

use super::Update;
use crate::path::{Delta, FieldType, IntoKey, Number, Path, Updatable};

impl<M, C, V> Path<M, C, V> {
    /// Sets the value: `$set`. A missing field, or document on the way to it, is created.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String }
    /// let update = Post::fields().title().set("Too big to fail");
    /// assert_eq!(update.to_string(), r#"{ "$set": { "title": "Too big to fail" } }"#);
    /// ```
    pub fn set<K>(&self, value: K) -> Update<M>
    where
        C: FieldType,
        V: Updatable,
        K: IntoKey<C::Key>,
    {
        Update::operator("$set", &self.name, C::encode(&value.into_key()))
    }

    /// Removes the field: `$unset`. At an array's position the element becomes null.
    ///
    /// A field that is neither an `Option` nor has a default cannot be read afterwards.
    pub fn unset(&self) -> Update<M>
    where
        C: FieldType,
        V: Updatable,
    {
        Update::operator("$unset", &self.name, Ok(true.into()))
    }

    /// Adds the amount, which may be negative: `$inc`. A missing field becomes the amount.
    ///
    /// The amount is sent in the width that the field is stored in.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Book { #[serde(rename = "_id")] id: i32, available: u32 }
    /// let update = Book::fields().available().inc(-1);
    /// assert_eq!(update.to_string(), r#"{ "$inc": { "available": -1 } }"#);
    /// ```
    pub fn inc<D>(&self, amount: D) -> Update<M>
    where
        C: Number,
        V: Updatable,
        D: Delta<C::Amount>,
    {
        Update::operator("$inc", &self.name, amount.encode())
    }
}
