//! `$setWindowFields`.

use std::marker::PhantomData;

use bson::{Document as BsonDocument, doc};

use super::super::assign::{self, Windowed};
use super::super::{IntoExpr, Pipeline};
use crate::error::Result;
use crate::model::Embedded;
use crate::sort::Sort;

impl<M, D> Pipeline<M, D> {
    /// Gives fields of the output `O` values computed from the documents around each one, and keeps
    /// the other fields: `$setWindowFields`.
    ///
    /// # Errors
    /// As [`add_fields`](Self::add_fields).
    ///
    /// Source: [`$setWindowFields`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/setWindowFields/).
    ///
    /// ```
    /// use odm::aggregate::{Bound, WindowFn, Windows};
    /// use odm::{Accumulator, Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Sale { #[serde(rename = "_id")] id: i32, state: String, quantity: i32 }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct Ranked {
    ///     state: String,
    ///     quantity: i32,
    ///     rank: i32,
    /// }
    ///
    /// let (p, o) = (Sale::fields(), Ranked::fields());
    /// let pipeline = Pipeline::new().set_window_fields::<Ranked>(
    ///     Windows::new().partition_by(p.state()).sort_by(p.quantity().desc()),
    ///     [o.rank().over(WindowFn::rank())],
    /// );
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$setWindowFields": { "partitionBy": "$state", "sortBy": { "quantity": -1 }, "#,
    ///         r#""output": { "rank": { "$rank": {} } } } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn set_window_fields<O: Embedded>(
        self,
        windows: Windows<D>,
        values: impl IntoIterator<Item = Windowed<D, O>>,
    ) -> Pipeline<M, O> {
        let values = assign::document(values.into_iter().map(|value| value.entry));
        let stage = values.and_then(|values| {
            self.beside("", Ok(values.clone()), O::SHAPE)?;
            let mut arguments = windows.arguments?;
            arguments.insert("output", values);
            Ok(doc! { "$setWindowFields": arguments })
        });
        self.stage_into(stage)
    }
}

/// How [`Pipeline::set_window_fields`] lays out the documents.
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct Windows<D> {
    pub(super) arguments: Result<BsonDocument>,
    marker: PhantomData<fn() -> D>,
}

impl<D> Windows<D> {
    /// One partition, without an order.
    pub fn new() -> Self {
        Self { arguments: Ok(BsonDocument::new()), marker: PhantomData }
    }

    /// A partition for each value of the expression.
    pub fn partition_by(mut self, value: impl IntoExpr<D>) -> Self {
        let value = value.into_expr().into_bson();
        self.arguments = self.arguments.and_then(|mut arguments| {
            arguments.insert("partitionBy", value?);
            Ok(arguments)
        });
        self
    }

    /// The order within a partition, which ranks and windows of a part of it need.
    pub fn sort_by(mut self, sort: Sort<D>) -> Self {
        self.arguments = self.arguments.and_then(|mut arguments| {
            arguments.insert("sortBy", sort.into_document()?);
            Ok(arguments)
        });
        self
    }
}

impl<D> Default for Windows<D> {
    fn default() -> Self {
        Self::new()
    }
}
