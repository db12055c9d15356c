//! Element operators: whether a field is there, whether it is null, and of which type it is.
//!
//! | | field missing | null | a value |
//! |---|---|---|---|
//! | `is_none()` | matches | matches | |
//! | `is_null()` | | matches | |
//! | `is_missing()` | matches | | |
//! | `exists(true)` | | matches | matches |
//! | `ne(None)` | | | matches |
//!
//! Source: [element query operators](https://www.mongodb.com/docs/manual/reference/operator/query-element/).

use bson::{Bson, doc};

use super::Filter;
use crate::model::Kind;
use crate::path::{FieldType, Path, Queryable};

/// A type of BSON, or all numbers, as `$type` takes it.
///
/// Source: [BSON types](https://www.mongodb.com/docs/manual/reference/bson-types/).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BsonType {
    /// 64-bit floating point number.
    Double,
    /// UTF-8 string.
    String,
    /// Embedded document.
    Object,
    /// Array.
    Array,
    /// Binary data, UUIDs among it.
    BinData,
    /// Undefined, which old drivers wrote.
    Undefined,
    /// ObjectId.
    ObjectId,
    /// Boolean.
    Bool,
    /// Date.
    Date,
    /// Null.
    Null,
    /// Regular expression.
    Regex,
    /// Reference to another document, which old drivers wrote; a `DBRef` is an object.
    DbPointer,
    /// JavaScript code.
    JavaScript,
    /// Symbol, which old drivers wrote.
    Symbol,
    /// JavaScript code with a scope.
    JavaScriptWithScope,
    /// 32-bit integer.
    Int,
    /// The server's internal timestamp.
    Timestamp,
    /// 64-bit integer.
    Long,
    /// 128-bit decimal.
    Decimal,
    /// The value below all others.
    MinKey,
    /// The value above all others.
    MaxKey,
    /// Any of `Double`, `Int`, `Long` and `Decimal`.
    Number,
}

impl BsonType {
    /// The manual's alias of the type.
    #[must_use]
    pub const fn alias(self) -> &'static str {
        match self {
            Self::Double => Kind::Double.alias(),
            Self::String => Kind::String.alias(),
            Self::Object => Kind::Document.alias(),
            Self::Array => Kind::Array.alias(),
            Self::BinData => Kind::Binary.alias(),
            Self::Undefined => "undefined",
            Self::ObjectId => Kind::ObjectId.alias(),
            Self::Bool => Kind::Bool.alias(),
            Self::Date => Kind::Date.alias(),
            Self::Null => "null",
            Self::Regex => Kind::Regex.alias(),
            Self::DbPointer => "dbPointer",
            Self::JavaScript => Kind::JavaScript.alias(),
            Self::Symbol => "symbol",
            Self::JavaScriptWithScope => "javascriptWithScope",
            Self::Int => Kind::Int.alias(),
            Self::Timestamp => Kind::Timestamp.alias(),
            Self::Long => Kind::Long.alias(),
            Self::Decimal => Kind::Decimal.alias(),
            Self::MinKey => Kind::MinKey.alias(),
            Self::MaxKey => Kind::MaxKey.alias(),
            Self::Number => "number",
        }
    }
}

impl From<BsonType> for Vec<BsonType> {
    fn from(one: BsonType) -> Self {
        vec![one]
    }
}

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

    /// The stored value is of the type, or of one of the types: `$type`. Of an array, the array
    /// itself or an element of it. Without types nothing matches.
    ///
    /// It finds what a model does not expect: text in a field that is now a number, say.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// use odm::filter::BsonType;
    /// let votes = Post::fields().votes();
    /// let filter = votes.is_type(BsonType::String);
    /// assert_eq!(filter.to_string(), r#"{ "votes": { "$type": "string" } }"#);
    /// let filter = !votes.is_type([BsonType::Number, BsonType::Null]);
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "votes": { "$not": { "$type": ["number", "null"] } } }"#,
    /// );
    /// ```
    pub fn is_type(&self, types: impl Into<Vec<BsonType>>) -> Filter<M>
    where
        C: FieldType,
        V: Queryable,
    {
        let aliases: Vec<_> = types.into().into_iter().map(BsonType::alias).collect();
        let condition = match aliases.as_slice() {
            [] => doc! { "$in": [] },
            [one] => doc! { "$type": *one },
            several => doc! { "$type": several },
        };
        Filter::condition(&self.name, Ok(condition.into()))
    }
}
