//! Comparison operators. They compare type and value, in the order of BSON types.
//!
//! Source: [comparison expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#comparison-expression-operators).

use super::{Expr, IntoExpr};

impl<M> Expr<M> {
    /// Equal: `$eq`. A missing value is not equal to null.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Budget { #[serde(rename = "_id")] id: i32, spent: i64, budget: i64 }
    /// let p = Budget::fields();
    /// assert_eq!(
    ///     p.spent().expr().gt(p.budget()).to_string(),
    ///     r#"{ "$gt": ["$spent", "$budget"] }"#,
    /// );
    /// ```
    pub fn eq(self, other: impl IntoExpr<M>) -> Self {
        self.with("$eq", [other.into_expr().bson])
    }

    /// Not equal: `$ne`.
    pub fn ne(self, other: impl IntoExpr<M>) -> Self {
        self.with("$ne", [other.into_expr().bson])
    }

    /// Greater: `$gt`.
    pub fn gt(self, other: impl IntoExpr<M>) -> Self {
        self.with("$gt", [other.into_expr().bson])
    }

    /// Greater or equal: `$gte`.
    pub fn gte(self, other: impl IntoExpr<M>) -> Self {
        self.with("$gte", [other.into_expr().bson])
    }

    /// Less: `$lt`.
    pub fn lt(self, other: impl IntoExpr<M>) -> Self {
        self.with("$lt", [other.into_expr().bson])
    }

    /// Less or equal: `$lte`.
    pub fn lte(self, other: impl IntoExpr<M>) -> Self {
        self.with("$lte", [other.into_expr().bson])
    }

    /// -1, 0 or 1, as this is less, equal or greater: `$cmp`.
    pub fn cmp(self, other: impl IntoExpr<M>) -> Self {
        self.with("$cmp", [other.into_expr().bson])
    }
}
