//! Boolean operators: `&` (`$and`), `|` (`$or`), `!` (`$not`).
//!
//! Source: [boolean expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#boolean-expression-operators).

use std::ops::{BitAnd, BitOr, Not};

use bson::{Bson, doc};

use super::{Expr, IntoExpr};

impl<M> Expr<M> {
    /// Whether all of the expressions are true: `$and`. Without any, true.
    ///
    /// ```
    /// # use odm::{Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, open: bool, read: bool }
    /// let p = Post::fields();
    /// assert_eq!(
    ///     Expr::and([p.open(), p.read()]).to_string(),
    ///     r#"{ "$and": ["$open", "$read"] }"#,
    /// );
    /// ```
    pub fn and<E: IntoExpr<M>>(expressions: impl IntoIterator<Item = E>) -> Self {
        Self::over_all("$and", expressions)
    }

    /// Whether at least one of the expressions is true: `$or`. Without any, false.
    pub fn or<E: IntoExpr<M>>(expressions: impl IntoIterator<Item = E>) -> Self {
        Self::over_all("$or", expressions)
    }

    pub(super) fn over_all<E: IntoExpr<M>>(
        operator: &'static str,
        expressions: impl IntoIterator<Item = E>,
    ) -> Self {
        let array = Self::array(expressions).bson;
        Self::from_result(array.map(|array| Bson::Document(doc! { operator: array })))
    }
}

impl<M, E: IntoExpr<M>> BitAnd<E> for Expr<M> {
    type Output = Self;

    /// Whether both are true: `$and`.
    fn bitand(self, other: E) -> Self {
        self.joined("$and", other.into_expr().bson)
    }
}

impl<M, E: IntoExpr<M>> BitOr<E> for Expr<M> {
    type Output = Self;

    /// Whether at least one is true: `$or`.
    fn bitor(self, other: E) -> Self {
        self.joined("$or", other.into_expr().bson)
    }
}

impl<M> Not for Expr<M> {
    type Output = Self;

    /// Whether it is false, null, zero or missing: `$not`.
    fn not(self) -> Self {
        self.with("$not", [])
    }
}
