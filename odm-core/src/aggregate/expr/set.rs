//! Set operators: arrays without regard to order and repeats.
//!
//! Source: [set expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#set-expression-operators).

use super::{Expr, IntoExpr};

impl<M> Expr<M> {
    /// Whether both arrays have the same elements: `$setEquals`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String> }
    /// assert_eq!(
    ///     Post::fields().tags().expr().set_equals(["a", "b"]).to_string(),
    ///     r#"{ "$setEquals": ["$tags", [{ "$literal": "a" }, { "$literal": "b" }]] }"#,
    /// );
    /// ```
    pub fn set_equals(self, other: impl IntoExpr<M>) -> Self {
        self.with("$setEquals", [other.into_expr().bson])
    }

    /// The elements that are in both arrays: `$setIntersection`.
    pub fn set_intersection(self, other: impl IntoExpr<M>) -> Self {
        self.joined("$setIntersection", other.into_expr().bson)
    }

    /// The elements that are in at least one of the arrays: `$setUnion`.
    pub fn set_union(self, other: impl IntoExpr<M>) -> Self {
        self.joined("$setUnion", other.into_expr().bson)
    }

    /// The elements of this array that the other lacks: `$setDifference`.
    pub fn set_difference(self, other: impl IntoExpr<M>) -> Self {
        self.with("$setDifference", [other.into_expr().bson])
    }

    /// Whether the other array has all elements of this one: `$setIsSubset`.
    pub fn set_is_subset(self, other: impl IntoExpr<M>) -> Self {
        self.with("$setIsSubset", [other.into_expr().bson])
    }

    /// Whether no element of the array is false, null, zero or missing: `$allElementsTrue`.
    pub fn all_elements_true(self) -> Self {
        self.with("$allElementsTrue", [])
    }

    /// Whether an element of the array is none of false, null, zero and missing: `$anyElementTrue`.
    pub fn any_element_true(self) -> Self {
        self.with("$anyElementTrue", [])
    }
}
