//! Operators of no group: random numbers, sizes, metadata.
//!
//! Source: [aggregation operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/).

use bson::doc;

use super::{Expr, unary};

impl<M> Expr<M> {
    /// A random number from 0 to below 1, another for each document: `$rand`.
    ///
    /// ```
    /// # use odm::{Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// let dice = (Expr::<Post>::rand() * 6).ceil();
    /// assert_eq!(
    ///     dice.to_string(),
    ///     r#"{ "$ceil": { "$multiply": [{ "$rand": {} }, { "$literal": 6 }] } }"#,
    /// );
    /// ```
    pub fn rand() -> Self {
        Self::raw(doc! { "$rand": {} })
    }

    /// How well the document fits the `$text` query: `$meta`.
    pub fn text_score() -> Self {
        Self::raw(doc! { "$meta": "textScore" })
    }

    /// The values by which an index was used: `$meta`. For looking at queries.
    pub fn index_key() -> Self {
        Self::raw(doc! { "$meta": "indexKey" })
    }

    /// The size of text or binary data in bytes: `$binarySize`.
    pub fn binary_size(self) -> Self {
        self.unary("$binarySize")
    }

    /// The size of a document in bytes, as it is stored: `$bsonSize`.
    pub fn bson_size(self) -> Self {
        self.unary("$bsonSize")
    }

    /// An operator with one argument, by its name, for what is not here by its own.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String }
    /// let hash = Post::fields().title().expr().apply("$toHashedIndexKey");
    /// assert_eq!(hash.to_string(), r#"{ "$toHashedIndexKey": "$title" }"#);
    /// ```
    pub fn apply(self, operator: &str) -> Self {
        Self::from_result(unary(operator, self.bson))
    }
}
