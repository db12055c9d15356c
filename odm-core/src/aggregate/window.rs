//! Window functions: a value computed from the documents around each one.
//!
//! Source: [`$setWindowFields`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/setWindowFields/).

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use super::{Accumulator, DateUnit, IntoExpr};
use crate::error::Result;

/// A function over a window of documents: an [`Accumulator`], or one of those below.
///
/// The window is the whole partition unless [`documents`](Self::documents) or
/// [`range`](Self::range) says less.
#[must_use = "a window function does nothing until a stage takes it"]
pub struct WindowFn<M> {
    document: Result<Document>,
    marker: PhantomData<fn() -> M>,
}

/// Where a window begins or ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// At the border of the partition.
    Unbounded,
    /// At the document itself.
    Current,
    /// So far from the document itself: before it if negative.
    Offset(f64),
}

impl<M> WindowFn<M> {
    /// The position of the document by the stage's sort, from 1; equal ones share one, and leave a
    /// gap: `$rank`.
    pub fn rank() -> Self {
        Self::without_arguments("$rank")
    }

    /// The position of the document by the stage's sort, from 1; equal ones share one, without a
    /// gap: `$denseRank`.
    pub fn dense_rank() -> Self {
        Self::without_arguments("$denseRank")
    }

    /// The number of the document in its partition, from 1: `$documentNumber`.
    pub fn document_number() -> Self {
        Self::without_arguments("$documentNumber")
    }

    /// The value of the document that stands `by` places further, or before if it is negative;
    /// `default` where there is none: `$shift`.
    pub fn shift(value: impl IntoExpr<M>, by: i32, default: impl IntoExpr<M>) -> Self {
        Self::named(
            "$shift",
            [
                ("output", value.into_expr().into_bson()),
                ("by", Ok(by.into())),
                ("default", default.into_expr().into_bson()),
            ],
        )
    }

    /// The exponential moving average, in which the last `n` documents weigh most:
    /// `$expMovingAvg`.
    pub fn exp_moving_avg(value: impl IntoExpr<M>, n: u32) -> Self {
        let n = Ok(Bson::Int64(n.into()));
        Self::named("$expMovingAvg", [("input", value.into_expr().into_bson()), ("N", n)])
    }

    /// The exponential moving average with a weight of the document itself, between 0 and 1:
    /// `$expMovingAvg`.
    pub fn exp_moving_avg_alpha(value: impl IntoExpr<M>, alpha: f64) -> Self {
        let alpha = Ok(Bson::Double(alpha));
        Self::named("$expMovingAvg", [("input", value.into_expr().into_bson()), ("alpha", alpha)])
    }

    /// How fast the value changes, for each unit of the date that the stage sorts by; without a
    /// unit, of the number: `$derivative`.
    pub fn derivative(value: impl IntoExpr<M>, unit: Option<DateUnit>) -> Self {
        Self::by_unit("$derivative", value, unit)
    }

    /// The area under the value: `$integral`.
    pub fn integral(value: impl IntoExpr<M>, unit: Option<DateUnit>) -> Self {
        Self::by_unit("$integral", value, unit)
    }

    /// The covariance of two values that are all there are: `$covariancePop`.
    pub fn covariance_pop(a: impl IntoExpr<M>, b: impl IntoExpr<M>) -> Self {
        Self::of("$covariancePop", super::Expr::array([a.into_expr(), b.into_expr()]).into_bson())
    }

    /// The covariance of two values that are a sample: `$covarianceSamp`.
    pub fn covariance_samp(a: impl IntoExpr<M>, b: impl IntoExpr<M>) -> Self {
        Self::of("$covarianceSamp", super::Expr::array([a.into_expr(), b.into_expr()]).into_bson())
    }

    /// Null and missing values filled along a line between those around: `$linearFill`. From
    /// MongoDB 5.3.
    pub fn linear_fill(value: impl IntoExpr<M>) -> Self {
        Self::of("$linearFill", value.into_expr().into_bson())
    }

    /// Null and missing values filled by the last that was there: `$locf`. From MongoDB 5.2.
    pub fn locf(value: impl IntoExpr<M>) -> Self {
        Self::of("$locf", value.into_expr().into_bson())
    }

    /// The window by places: from one document to another.
    ///
    /// ```
    /// # use odm::aggregate::{Bound, WindowFn};
    /// # use odm::{Accumulator, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Day { #[serde(rename = "_id")] id: i32, sales: i32 }
    /// let sum: WindowFn<Day> = Accumulator::sum(Day::fields().sales()).into();
    /// let so_far = sum.documents(Bound::Unbounded, Bound::Current);
    /// assert_eq!(
    ///     so_far.to_string(),
    ///     r#"{ "$sum": "$sales", "window": { "documents": ["unbounded", "current"] } }"#,
    /// );
    /// ```
    pub fn documents(self, from: Bound, to: Bound) -> Self {
        let place = |bound| match bound {
            Bound::Offset(offset) => Bson::Int64(offset as i64),
            bound => value(bound),
        };
        self.window(doc! { "documents": [place(from), place(to)] })
    }

    /// The window by the value that the stage sorts by: those whose value is so far away. Of dates
    /// a unit is needed.
    pub fn range(self, from: Bound, to: Bound, unit: Option<DateUnit>) -> Self {
        let mut window = doc! { "range": [value(from), value(to)] };
        if let Some(unit) = unit {
            window.insert("unit", unit.as_str());
        }
        self.window(window)
    }

    /// The function as it is sent.
    ///
    /// # Errors
    /// The error that a value or path in it had.
    pub fn into_document(self) -> Result<Document> {
        self.document
    }

    fn window(self, window: Document) -> Self {
        Self::from_result(self.document.map(|mut document| {
            document.insert("window", window);
            document
        }))
    }

    fn by_unit(operator: &'static str, value: impl IntoExpr<M>, unit: Option<DateUnit>) -> Self {
        let mut arguments = vec![("input", value.into_expr().into_bson())];
        arguments.extend(unit.map(|unit| ("unit", Ok(unit.as_str().into()))));
        Self::named(operator, arguments)
    }

    fn without_arguments(operator: &'static str) -> Self {
        Self::of(operator, Ok(Document::new().into()))
    }

    fn of(operator: &'static str, argument: Result<Bson>) -> Self {
        Self::from_result(argument.map(|argument| doc! { operator: argument }))
    }

    fn named(
        operator: &'static str,
        arguments: impl IntoIterator<Item = (&'static str, Result<Bson>)>,
    ) -> Self {
        Accumulator::<M>::named(operator, arguments).into()
    }

    fn from_result(document: Result<Document>) -> Self {
        Self { document, marker: PhantomData }
    }
}

fn value(bound: Bound) -> Bson {
    match bound {
        Bound::Unbounded => "unbounded".into(),
        Bound::Current => "current".into(),
        Bound::Offset(offset) => offset.into(),
    }
}

impl<M> From<Accumulator<M>> for WindowFn<M> {
    fn from(accumulator: Accumulator<M>) -> Self {
        Self::from_result(accumulator.into_document())
    }
}

impl<M> fmt::Debug for WindowFn<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WindowFn").field(&self.document).finish()
    }
}

impl<M> fmt::Display for WindowFn<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.document {
            Ok(document) => write!(f, "{document}"),
            Err(error) => write!(f, "invalid window function: {error}"),
        }
    }
}
