//! The bitwise update operator, on integers.
//!
//! Source: [`$bit`](https://www.mongodb.com/docs/manual/reference/operator/update/bit/).

use bson::doc;

use super::Update;
use crate::path::{Delta, Integer, Path, Updatable};

impl<M, C, V> Path<M, C, V> {
    /// Keeps the bits that the mask has too: `$bit` with `and`. A missing field becomes 0.
    ///
    /// The mask is sent in the width that the field is stored in, so the field keeps it.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct File { #[serde(rename = "_id")] id: i32, mode: i32 }
    /// let update = File::fields().mode().bit_and(0b110);
    /// assert_eq!(update.to_string(), r#"{ "$bit": { "mode": { "and": 6 } } }"#);
    /// ```
    pub fn bit_and<D>(&self, mask: D) -> Update<M>
    where
        C: Integer,
        V: Updatable,
        D: Delta<C::Amount>,
    {
        self.bit("and", mask)
    }

    /// Sets the bits of the mask: `$bit` with `or`. A missing field becomes the mask.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct File { #[serde(rename = "_id")] id: i32, mode: i32 }
    /// let update = File::fields().mode().bit_or(0b001);
    /// assert_eq!(update.to_string(), r#"{ "$bit": { "mode": { "or": 1 } } }"#);
    /// ```
    pub fn bit_or<D>(&self, mask: D) -> Update<M>
    where
        C: Integer,
        V: Updatable,
        D: Delta<C::Amount>,
    {
        self.bit("or", mask)
    }

    /// Turns the bits of the mask over: `$bit` with `xor`. A missing field becomes the mask.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct File { #[serde(rename = "_id")] id: i32, mode: i32 }
    /// let update = File::fields().mode().bit_xor(0b111);
    /// assert_eq!(update.to_string(), r#"{ "$bit": { "mode": { "xor": 7 } } }"#);
    /// ```
    pub fn bit_xor<D>(&self, mask: D) -> Update<M>
    where
        C: Integer,
        V: Updatable,
        D: Delta<C::Amount>,
    {
        self.bit("xor", mask)
    }

    fn bit<A, D: Delta<A>>(&self, operation: &str, mask: D) -> Update<M> {
        let mask = mask.encode().map(|mask| doc! { operation: mask }.into());
        Update::operator("$bit", &self.name, mask)
    }
}
