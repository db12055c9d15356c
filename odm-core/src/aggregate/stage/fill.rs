//! Stages that fill gaps: `$densify`, `$fill`.

use std::marker::PhantomData;

use bson::{Bson, Document as BsonDocument, doc};

use super::super::{DateUnit, IntoExpr, Pipeline};
use crate::error::Result;
use crate::path::{Direct, IntoPath};
use crate::sort::Sort;

impl<M, D> Pipeline<M, D> {
    /// Adds documents where values of a field are missing in a series: `$densify`. They have only
    /// that field, and those of the partition. From MongoDB 5.1.
    ///
    /// Source: [`$densify`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/densify/).
    ///
    /// ```
    /// use odm::aggregate::Densify;
    /// use odm::{DateUnit, Pipeline, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Reading { #[serde(rename = "_id")] id: i32, at: bson::DateTime, value: Option<f64> }
    /// let at = Reading::fields().at();
    /// let pipeline = Pipeline::new().densify(Densify::full(at, 1).unit(DateUnit::Hour));
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$densify": { "field": "at", "range": { "step": 1, "bounds": "full", "#,
    ///         r#""unit": "hour" } } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn densify(self, densify: Densify<D>) -> Self {
        let stage = densify.arguments.map(|mut arguments| {
            arguments.insert("range", densify.range);
            doc! { "$densify": arguments }
        });
        self.stage(stage)
    }

    /// Gives fields that are null or missing a value: `$fill`. From MongoDB 5.3.
    ///
    /// Source: [`$fill`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/fill/).
    ///
    /// ```
    /// use odm::aggregate::{Fill, FillMethod};
    /// use odm::{Pipeline, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Reading { #[serde(rename = "_id")] id: i32, at: bson::DateTime, value: Option<f64> }
    /// let p = Reading::fields();
    /// let fill = Fill::new().sort_by(p.at().asc()).method(p.value(), FillMethod::Linear);
    /// assert_eq!(
    ///     Pipeline::new().fill(fill).to_string(),
    ///     concat!(
    ///         r#"[{ "$fill": { "sortBy": { "at": 1 }, "#,
    ///         r#""output": { "value": { "method": "linear" } } } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn fill(self, fill: Fill<D>) -> Self {
        let stage = fill.arguments.and_then(|mut arguments| {
            arguments.insert("output", fill.output?);
            Ok(doc! { "$fill": arguments })
        });
        self.stage(stage)
    }
}

/// The series of [`Pipeline::densify`].
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct Densify<D> {
    arguments: Result<BsonDocument>,
    range: BsonDocument,
    marker: PhantomData<fn() -> D>,
}

impl<D> Densify<D> {
    /// From the least to the greatest value of the field in all documents.
    pub fn full<P: IntoPath<D, Via = Direct>>(field: P, step: impl Into<Bson>) -> Self {
        Self::new(field, step, "full".into())
    }

    /// From the least to the greatest value of the field in each partition.
    pub fn partition<P: IntoPath<D, Via = Direct>>(field: P, step: impl Into<Bson>) -> Self {
        Self::new(field, step, "partition".into())
    }

    /// From one value to before another, both numbers or dates.
    pub fn between<P, B>(field: P, step: impl Into<Bson>, from: B, to: B) -> Self
    where
        P: IntoPath<D, Via = Direct>,
        B: Into<Bson>,
    {
        Self::new(field, step, Bson::Array(vec![from.into(), to.into()]))
    }

    fn new<P: IntoPath<D, Via = Direct>>(field: P, step: impl Into<Bson>, bounds: Bson) -> Self {
        let field = field.into_path();
        let arguments = field.name.checked().map(|field| doc! { "field": field });
        let range = doc! { "step": step.into(), "bounds": bounds };
        Self { arguments, range, marker: PhantomData }
    }

    /// The unit of the step, where the field holds dates.
    pub fn unit(mut self, unit: DateUnit) -> Self {
        self.range.insert("unit", unit.as_str());
        self
    }

    /// A series for each value of the field, and each combination of values of several.
    pub fn partition_by<P: IntoPath<D, Via = Direct>>(mut self, field: P) -> Self {
        let field = field.into_path();
        self.arguments = self
            .arguments
            .and_then(|arguments| push_name(arguments, "partitionByFields", field.name.checked()?));
        self
    }
}

/// What [`Pipeline::fill`] fills.
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct Fill<D> {
    arguments: Result<BsonDocument>,
    output: Result<BsonDocument>,
    marker: PhantomData<fn() -> D>,
}

/// How a value is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillMethod {
    /// Along a line between the values around it.
    Linear,
    /// The last value that was there.
    Locf,
}

impl<D> Fill<D> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            arguments: Ok(BsonDocument::new()),
            output: Ok(BsonDocument::new()),
            marker: PhantomData,
        }
    }

    /// The order of the documents, which both methods need.
    pub fn sort_by(mut self, sort: Sort<D>) -> Self {
        self.arguments = self.arguments.and_then(|mut arguments| {
            arguments.insert("sortBy", sort.into_document()?);
            Ok(arguments)
        });
        self
    }

    /// Fills within the documents of one value of the field, and of each combination of several.
    pub fn partition_by<P: IntoPath<D, Via = Direct>>(mut self, field: P) -> Self {
        let field = field.into_path();
        self.arguments = self
            .arguments
            .and_then(|arguments| push_name(arguments, "partitionByFields", field.name.checked()?));
        self
    }

    /// Fills the field by a method.
    pub fn method<P: IntoPath<D, Via = Direct>>(self, field: P, method: FillMethod) -> Self {
        let method = match method {
            FillMethod::Linear => "linear",
            FillMethod::Locf => "locf",
        };
        self.output(field, Ok(doc! { "method": method }))
    }

    /// Fills the field with a value.
    pub fn value<P: IntoPath<D, Via = Direct>>(self, field: P, value: impl IntoExpr<D>) -> Self {
        let value = value.into_expr().into_bson();
        self.output(field, value.map(|value| doc! { "value": value }))
    }

    fn output<P: IntoPath<D, Via = Direct>>(mut self, field: P, by: Result<BsonDocument>) -> Self {
        let field = field.into_path();
        self.output = self.output.and_then(|mut output| {
            output.insert(field.name.checked()?, by?);
            Ok(output)
        });
        self
    }
}

impl<D> Default for Fill<D> {
    fn default() -> Self {
        Self::new()
    }
}

fn push_name(mut arguments: BsonDocument, list: &str, name: &str) -> Result<BsonDocument> {
    let names = arguments.entry(list.to_owned()).or_insert_with(|| Bson::Array(Vec::new()));
    if let Bson::Array(names) = names {
        names.push(name.into());
    }
    Ok(arguments)
}
