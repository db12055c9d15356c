//! Accumulators: one value of the documents of a group.
//!
//! Source: [accumulators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#accumulators---group---bucket---bucketauto---setwindowfields-).

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use super::{Expr, IntoExpr};
use crate::error::Result;
use crate::sort::Sort;

/// A value that the server computes from all documents of a group.
///
/// Used by [`group`](super::Pipeline::group), the buckets, and as a window function.
///
/// ```
/// # use odm::{Accumulator, prelude::*};
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Sale { #[serde(rename = "_id")] id: i32, price: f64, quantity: i32 }
/// let p = Sale::fields();
/// let revenue = Accumulator::sum(p.price() * p.quantity());
/// assert_eq!(revenue.to_string(), r#"{ "$sum": { "$multiply": ["$price", "$quantity"] } }"#);
/// ```
#[must_use = "an accumulator does nothing until a stage takes it"]
pub struct Accumulator<M> {
    document: Result<Document>,
    marker: PhantomData<fn() -> M>,
}

/// Constructors of accumulators with one expression.
macro_rules! of_one {
    ($($method:ident $operator:literal: $doc:literal;)+) => {
        impl<M> Accumulator<M> {$(
            #[doc = $doc]
            pub fn $method(value: impl IntoExpr<M>) -> Self {
                Self::of($operator, value.into_expr().into_bson())
            }
        )+}
    };
}

of_one! {
    sum "$sum": "The sum of the numbers; other values count as 0. `sum(1)` counts the documents: `$sum`.";
    avg "$avg": "The mean of the numbers; null without any: `$avg`.";
    min "$min": "The least value; null and missing ones are passed over: `$min`.";
    max "$max": "The greatest value; null and missing ones are passed over: `$max`.";
    first "$first": "The value of the first document, in the order of the stage before: `$first`.";
    last "$last": "The value of the last document, in the order of the stage before: `$last`.";
    push "$push": "An array of all values: `$push`.";
    add_to_set "$addToSet": "An array of the different values, in no order: `$addToSet`.";
    std_dev_pop "$stdDevPop": "The standard deviation of numbers that are all there are: `$stdDevPop`.";
    std_dev_samp "$stdDevSamp": "The standard deviation of numbers that are a sample: `$stdDevSamp`.";
    merge_objects "$mergeObjects": "One document of the fields of all; later ones win: `$mergeObjects`.";
}

/// Constructors of accumulators that yield several values.
macro_rules! of_some {
    ($($method:ident $operator:literal: $doc:literal;)+) => {
        impl<M> Accumulator<M> {$(
            #[doc = $doc]
            pub fn $method(n: impl IntoExpr<M>, value: impl IntoExpr<M>) -> Self {
                Self::named($operator, [
                    ("n", n.into_expr().into_bson()),
                    ("input", value.into_expr().into_bson()),
                ])
            }
        )+}
    };
}

of_some! {
    first_n "$firstN": "An array of the values of the first documents: `$firstN`. From MongoDB 5.2.";
    last_n "$lastN": "An array of the values of the last documents: `$lastN`. From MongoDB 5.2.";
    max_n "$maxN": "An array of the greatest values: `$maxN`. From MongoDB 5.2.";
    min_n "$minN": "An array of the least values: `$minN`. From MongoDB 5.2.";
}

impl<M> Accumulator<M> {
    /// How many documents there are: `$count`.
    pub fn count() -> Self {
        Self::raw(doc! { "$count": {} })
    }

    /// The value of the first document by a sort of its own: `$top`. From MongoDB 5.2.
    ///
    /// ```
    /// # use odm::{Accumulator, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32, title: String }
    /// let p = Post::fields();
    /// assert_eq!(
    ///     Accumulator::top(p.votes().desc(), p.title()).to_string(),
    ///     r#"{ "$top": { "sortBy": { "votes": -1 }, "output": "$title" } }"#,
    /// );
    /// ```
    pub fn top(sort: Sort<M>, output: impl IntoExpr<M>) -> Self {
        Self::sorted("$top", sort, output, None)
    }

    /// The values of the first documents by a sort of its own: `$topN`. From MongoDB 5.2.
    pub fn top_n(n: impl IntoExpr<M>, sort: Sort<M>, output: impl IntoExpr<M>) -> Self {
        Self::sorted("$topN", sort, output, Some(n.into_expr()))
    }

    /// The value of the last document by a sort of its own: `$bottom`. From MongoDB 5.2.
    pub fn bottom(sort: Sort<M>, output: impl IntoExpr<M>) -> Self {
        Self::sorted("$bottom", sort, output, None)
    }

    /// The values of the last documents by a sort of its own: `$bottomN`. From MongoDB 5.2.
    pub fn bottom_n(n: impl IntoExpr<M>, sort: Sort<M>, output: impl IntoExpr<M>) -> Self {
        Self::sorted("$bottomN", sort, output, Some(n.into_expr()))
    }

    /// The median of the numbers, approximately: `$median`. From MongoDB 7.0.
    pub fn median(value: impl IntoExpr<M>) -> Self {
        let method = Ok(Bson::from("approximate"));
        Self::named("$median", [("input", value.into_expr().into_bson()), ("method", method)])
    }

    /// Percentiles of the numbers, given from 0 to 1, as an array, approximately: `$percentile`.
    /// From MongoDB 7.0.
    pub fn percentile(value: impl IntoExpr<M>, p: impl IntoIterator<Item = f64>) -> Self {
        let p: Vec<_> = p.into_iter().map(Bson::Double).collect();
        let (input, method) = (value.into_expr().into_bson(), Ok(Bson::from("approximate")));
        Self::named("$percentile", [("input", input), ("p", Ok(p.into())), ("method", method)])
    }

    /// Any accumulator in the server's own words, such as `$accumulator`. Nothing is checked or
    /// escaped: never build it from input.
    pub fn raw(accumulator: Document) -> Self {
        Self::from_result(Ok(accumulator))
    }

    /// The accumulator as it is sent.
    ///
    /// # Errors
    /// The error that a value, path or sort in it had.
    pub fn into_document(self) -> Result<Document> {
        self.document
    }

    fn sorted(
        operator: &'static str,
        sort: Sort<M>,
        output: impl IntoExpr<M>,
        n: Option<Expr<M>>,
    ) -> Self {
        let sort = sort.into_document().map(Bson::Document);
        let mut arguments = vec![("sortBy", sort), ("output", output.into_expr().into_bson())];
        arguments.extend(n.map(|n| ("n", n.into_bson())));
        Self::named(operator, arguments)
    }

    fn of(operator: &'static str, argument: Result<Bson>) -> Self {
        Self::from_result(argument.map(|argument| doc! { operator: argument }))
    }

    pub(super) fn named(
        operator: &'static str,
        arguments: impl IntoIterator<Item = (&'static str, Result<Bson>)>,
    ) -> Self {
        let arguments = arguments.into_iter().map(|(name, value)| Ok((name.to_owned(), value?)));
        let arguments: Result<Document> = arguments.collect();
        Self::of(operator, arguments.map(Bson::Document))
    }

    pub(super) fn from_result(document: Result<Document>) -> Self {
        Self { document, marker: PhantomData }
    }
}

impl<M> Clone for Accumulator<M> {
    fn clone(&self) -> Self {
        Self::from_result(self.document.clone())
    }
}

impl<M> fmt::Debug for Accumulator<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Accumulator").field(&self.document).finish()
    }
}

impl<M> fmt::Display for Accumulator<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.document {
            Ok(document) => write!(f, "{document}"),
            Err(error) => write!(f, "invalid accumulator: {error}"),
        }
    }
}
