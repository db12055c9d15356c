//! Field update operators.
//!
//! Source: [field update operators](https://www.mongodb.com/docs/manual/reference/operator/update-field/).

use super::Update;
use crate::path::{Delta, Direct, FieldType, IntoKey, Number, Path, Updatable};

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

    /// Multiplies by the factor: `$mul`. A missing field becomes 0.
    ///
    /// The factor is sent in the width that the field is stored in. A product beyond that width is
    /// stored wider by the server, as with [`inc`](Path::inc), and cannot be read afterwards.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Product { #[serde(rename = "_id")] id: i32, price: f64 }
    /// let update = Product::fields().price().mul(1.5);
    /// assert_eq!(update.to_string(), r#"{ "$mul": { "price": 1.5 } }"#);
    /// ```
    pub fn mul<D>(&self, factor: D) -> Update<M>
    where
        C: Number,
        V: Updatable,
        D: Delta<C::Amount>,
    {
        Update::operator("$mul", &self.name, factor.encode())
    }

    /// Sets the value if it is less than the stored one: `$min`. A missing field is set.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Game { #[serde(rename = "_id")] id: i32, low: i64, high: i64 }
    /// let g = Game::fields();
    /// let update = g.low().min(150) + g.high().max(950);
    /// assert_eq!(update.to_string(), r#"{ "$min": { "low": 150 }, "$max": { "high": 950 } }"#);
    /// ```
    pub fn min<K>(&self, value: K) -> Update<M>
    where
        C: FieldType,
        V: Updatable,
        K: IntoKey<C::Key>,
    {
        Update::operator("$min", &self.name, C::encode(&value.into_key()))
    }

    /// Sets the value if it is greater than the stored one: `$max`. A missing field is set.
    pub fn max<K>(&self, value: K) -> Update<M>
    where
        C: FieldType,
        V: Updatable,
        K: IntoKey<C::Key>,
    {
        Update::operator("$max", &self.name, C::encode(&value.into_key()))
    }

    /// Sets the value if an upsert inserts the document, and changes nothing otherwise:
    /// `$setOnInsert`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Page { #[serde(rename = "_id")] id: String, views: i64, title: String }
    /// let p = Page::fields();
    /// let update = p.views().inc(1) + p.title().set_on_insert("untitled");
    /// assert_eq!(
    ///     update.to_string(),
    ///     r#"{ "$inc": { "views": 1 }, "$setOnInsert": { "title": "untitled" } }"#,
    /// );
    /// ```
    pub fn set_on_insert<K>(&self, value: K) -> Update<M>
    where
        C: FieldType,
        V: Updatable,
        K: IntoKey<C::Key>,
    {
        Update::operator("$setOnInsert", &self.name, C::encode(&value.into_key()))
    }
}

impl<M, C> Path<M, C, Direct> {
    /// Moves the value to another field of the same type, whose value is lost: `$rename`. Nothing
    /// happens where the field is missing.
    ///
    /// A field that is neither an `Option` nor has a default cannot be read afterwards. Elements of
    /// arrays cannot be renamed. To rename a field of every document for good, declare a new
    /// schema version.
    ///
    /// Source: [`$rename`](https://www.mongodb.com/docs/manual/reference/operator/update/rename/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Patron { #[serde(rename = "_id")] id: i32, phone: Option<String>, mobile: Option<String> }
    /// let p = Patron::fields();
    /// let update = p.phone().rename(&p.mobile());
    /// assert_eq!(update.to_string(), r#"{ "$rename": { "phone": "mobile" } }"#);
    /// ```
    pub fn rename(&self, to: &Self) -> Update<M>
    where
        C: FieldType,
    {
        let to = to.name.checked().map(|to| to.to_owned().into());
        Update::operator("$rename", &self.name, to)
    }
}
