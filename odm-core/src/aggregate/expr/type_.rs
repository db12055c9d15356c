//! Type operators.
//!
//! Source: [type expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#type-expression-operators).

use bson::Bson;

use super::{Expr, literal};
use crate::model::Kind;

impl<M> Expr<M> {
    /// The value as another type: `$convert`. See [`on_error`](Self::on_error) and
    /// [`on_null`](Self::on_null).
    ///
    /// ```
    /// # use odm::{model::Kind, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Item { #[serde(rename = "_id")] id: i32, size: String }
    /// let size = Item::fields().size().expr().convert(Kind::Int).on_error(0);
    /// assert_eq!(
    ///     size.to_string(),
    ///     concat!(
    ///         r#"{ "$convert": { "input": "$size", "to": { "$literal": "int" }, "#,
    ///         r#""onError": { "$literal": 0 } } }"#,
    ///     ),
    /// );
    /// ```
    pub fn convert(self, to: Kind) -> Self {
        let to = Ok(literal(Bson::from(to.alias())));
        Self::named("$convert", [("input", self.bson), ("to", to)])
    }

    /// The BSON type as text, `"missing"` where there is no value: `$type`.
    pub fn type_(self) -> Self {
        self.unary("$type")
    }

    /// Whether it is a number: `$isNumber`.
    pub fn is_number(self) -> Self {
        self.unary("$isNumber")
    }

    /// As a boolean: `$toBool`.
    pub fn to_bool(self) -> Self {
        self.unary("$toBool")
    }

    /// As a date: `$toDate`.
    pub fn to_date(self) -> Self {
        self.unary("$toDate")
    }

    /// As a 128-bit decimal: `$toDecimal`.
    pub fn to_decimal(self) -> Self {
        self.unary("$toDecimal")
    }

    /// As a floating point number: `$toDouble`.
    pub fn to_double(self) -> Self {
        self.unary("$toDouble")
    }

    /// As a 32-bit integer: `$toInt`.
    pub fn to_int(self) -> Self {
        self.unary("$toInt")
    }

    /// As a 64-bit integer: `$toLong`.
    pub fn to_long(self) -> Self {
        self.unary("$toLong")
    }

    /// As an ObjectId: `$toObjectId`.
    pub fn to_object_id(self) -> Self {
        self.unary("$toObjectId")
    }

    /// As text: `$toString`. (`to_string` is Rust's, and shows the expression.)
    #[doc(alias = "toString")]
    pub fn to_str(self) -> Self {
        self.unary("$toString")
    }
}
