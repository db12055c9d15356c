//! Array operators. Those that take a closure are in `element.rs`.
//!
//! Source: [array expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#array-expression-operators).

use bson::Bson;

use super::{Expr, IntoExpr, named};
use crate::sort::Sort;

impl<M> Expr<M> {
    /// The element at a position, from 0, or from -1 at the end: `$arrayElemAt`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String> }
    /// assert_eq!(
    ///     Post::fields().tags().expr().array_elem_at(0).to_string(),
    ///     r#"{ "$arrayElemAt": ["$tags", { "$literal": 0 }] }"#,
    /// );
    /// ```
    pub fn array_elem_at(self, position: impl IntoExpr<M>) -> Self {
        self.with("$arrayElemAt", [position.into_expr().bson])
    }

    /// The first element: `$first`.
    pub fn first(self) -> Self {
        self.unary("$first")
    }

    /// The last element: `$last`.
    pub fn last(self) -> Self {
        self.unary("$last")
    }

    /// The first elements: `$firstN`. From MongoDB 5.2.
    pub fn first_n(self, n: impl IntoExpr<M>) -> Self {
        self.some("$firstN", n)
    }

    /// The last elements: `$lastN`. From MongoDB 5.2.
    pub fn last_n(self, n: impl IntoExpr<M>) -> Self {
        self.some("$lastN", n)
    }

    /// The greatest elements: `$maxN`. From MongoDB 5.2.
    pub fn max_n(self, n: impl IntoExpr<M>) -> Self {
        self.some("$maxN", n)
    }

    /// The least elements: `$minN`. From MongoDB 5.2.
    pub fn min_n(self, n: impl IntoExpr<M>) -> Self {
        self.some("$minN", n)
    }

    fn some(self, operator: &'static str, n: impl IntoExpr<M>) -> Self {
        Self::named(operator, [("n", n.into_expr().bson), ("input", self.bson)])
    }

    /// The elements of both arrays: `$concatArrays`.
    pub fn concat_arrays(self, other: impl IntoExpr<M>) -> Self {
        self.joined("$concatArrays", other.into_expr().bson)
    }

    /// Whether this is an element of the array: `$in`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, author: String, voters: Vec<String> }
    /// let p = Post::fields();
    /// assert_eq!(
    ///     p.author().expr().in_(p.voters()).to_string(),
    ///     r#"{ "$in": ["$author", "$voters"] }"#,
    /// );
    /// ```
    pub fn in_(self, array: impl IntoExpr<M>) -> Self {
        self.with("$in", [array.into_expr().bson])
    }

    /// The position of the first element that is equal to the value, from 0, or -1:
    /// `$indexOfArray`.
    pub fn index_of_array(self, value: impl IntoExpr<M>) -> Self {
        self.with("$indexOfArray", [value.into_expr().bson])
    }

    /// Whether it is an array: `$isArray`.
    pub fn is_array(self) -> Self {
        self.with("$isArray", [])
    }

    /// The integers from `start` to before `end`, each `step` further: `$range`.
    pub fn range(start: impl IntoExpr<M>, end: impl IntoExpr<M>, step: impl IntoExpr<M>) -> Self {
        start.into_expr().with("$range", [end.into_expr().bson, step.into_expr().bson])
    }

    /// The elements from last to first: `$reverseArray`.
    pub fn reverse_array(self) -> Self {
        self.unary("$reverseArray")
    }

    /// How many elements there are: `$size`. A value that is no array is an error of the server.
    pub fn size(self) -> Self {
        self.unary("$size")
    }

    /// The first elements, or with a negative number the last: `$slice`.
    pub fn slice(self, n: impl IntoExpr<M>) -> Self {
        self.with("$slice", [n.into_expr().bson])
    }

    /// Some elements from a position on, which counts from the end if it is negative: `$slice`.
    pub fn slice_from(self, position: impl IntoExpr<M>, n: impl IntoExpr<M>) -> Self {
        self.with("$slice", [position.into_expr().bson, n.into_expr().bson])
    }

    /// The elements from the least to the greatest: `$sortArray`. From MongoDB 5.2.
    pub fn sort_array_asc(self) -> Self {
        Self::named("$sortArray", [("input", self.bson), ("sortBy", Ok(Bson::Int32(1)))])
    }

    /// The elements from the greatest to the least: `$sortArray`. From MongoDB 5.2.
    pub fn sort_array_desc(self) -> Self {
        Self::named("$sortArray", [("input", self.bson), ("sortBy", Ok(Bson::Int32(-1)))])
    }

    /// Embedded documents in the order of their fields: `$sortArray`. From MongoDB 5.2.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Comment { who: String, likes: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, comments: Vec<Comment> }
    /// let by_likes = Comment::fields().likes().desc();
    /// assert_eq!(
    ///     Post::fields().comments().expr().sort_array(by_likes).to_string(),
    ///     r#"{ "$sortArray": { "input": "$comments", "sortBy": { "likes": -1 } } }"#,
    /// );
    /// ```
    pub fn sort_array<E>(self, by: Sort<E>) -> Self {
        let by = by.into_document().map(Bson::Document);
        Self::named("$sortArray", [("input", self.bson), ("sortBy", by)])
    }

    /// The array whose first element is the array of all first elements, and so on: `$zip`.
    pub fn zip<E: IntoExpr<M>>(arrays: impl IntoIterator<Item = E>) -> Self {
        let arrays = Self::array(arrays).bson;
        Self::from_result(named("$zip", vec![("inputs", arrays)]))
    }

    /// The sum of an array's numbers: `$sum`.
    pub fn sum(self) -> Self {
        self.unary("$sum")
    }

    /// The mean of an array's numbers: `$avg`.
    pub fn avg(self) -> Self {
        self.unary("$avg")
    }

    /// The greatest element of an array: `$max`.
    pub fn max(self) -> Self {
        self.unary("$max")
    }

    /// The least element of an array: `$min`.
    pub fn min(self) -> Self {
        self.unary("$min")
    }

    /// The standard deviation of an array's numbers, which are all there are: `$stdDevPop`.
    pub fn std_dev_pop(self) -> Self {
        self.unary("$stdDevPop")
    }

    /// The standard deviation of an array's numbers, which are a sample: `$stdDevSamp`.
    pub fn std_dev_samp(self) -> Self {
        self.unary("$stdDevSamp")
    }

    /// The median of an array's numbers, approximately: `$median`. From MongoDB 7.0.
    pub fn median(self) -> Self {
        let method = Ok(Bson::from("approximate"));
        Self::named("$median", [("input", self.bson), ("method", method)])
    }

    /// Percentiles of an array's numbers, given from 0 to 1, approximately: `$percentile`. From
    /// MongoDB 7.0.
    pub fn percentile(self, p: impl IntoIterator<Item = f64>) -> Self {
        let p: Vec<_> = p.into_iter().map(Bson::Double).collect();
        let method = Ok(Bson::from("approximate"));
        let arguments = [("input", self.bson), ("p", Ok(p.into())), ("method", method)];
        Self::named("$percentile", arguments)
    }
}

impl<M> Expr<M> {
    /// The greatest of several values: `$max`.
    pub fn max_of<E: IntoExpr<M>>(values: impl IntoIterator<Item = E>) -> Self {
        Self::over_all("$max", values)
    }

    /// The least of several values: `$min`.
    pub fn min_of<E: IntoExpr<M>>(values: impl IntoIterator<Item = E>) -> Self {
        Self::over_all("$min", values)
    }
}
