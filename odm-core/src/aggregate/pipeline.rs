//! A pipeline: stages in their order, with the type that documents have at the end.

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document as BsonDocument, RawDocument};
use serde::de::DeserializeOwned;

use super::order;
use crate::codec;
use crate::error::{Error, Result};
use crate::migrate::{self, Read, ReadFn};
use crate::model::{Document, Embedded, Field, Model, Shape};

/// The stages of an aggregation over documents of model `M`, which yields documents of type `D`.
///
/// Stages that keep the form of the documents (`match_`, `sort`, `limit` …) keep `D`; those that
/// change it take the new type, whose fields are checked: a field that nothing provides is an error
/// before anything is sent. After them, filters, sorts and expressions are those of the new type.
///
/// An error in a stage, or in the order of stages, is kept and returned by the action.
///
/// Stages see documents as they are stored. A pipeline that ends in whole documents of `M` upgrades
/// old ones as [`find`](crate::Collection::find) does, in memory; what computes on fields of
/// documents of an older schema version computes on the old fields.
///
/// ```
/// use odm::prelude::*;
/// use odm::{Accumulator, Pipeline};
/// use serde::{Deserialize, Serialize};
///
/// # #[derive(Serialize, Deserialize, Document)]
/// # struct Sale { #[serde(rename = "_id")] id: i32, item: String, price: f64, quantity: i32 }
/// #[derive(Serialize, Deserialize, Embedded)]
/// struct Revenue {
///     #[serde(rename = "_id")]
///     item: String,
///     total: f64,
/// }
///
/// let (p, r) = (Sale::fields(), Revenue::fields());
/// let pipeline = Pipeline::new()
///     .match_(p.quantity().gt(0))
///     .group::<Revenue>(
///         p.item(),
///         [r.total().accumulate(Accumulator::sum(p.price() * p.quantity()))],
///     )
///     .sort(r.total().desc());
/// assert_eq!(
///     pipeline.to_string(),
///     concat!(
///         r#"[{ "$match": { "quantity": { "$gt": 0 } } }, "#,
///         r#"{ "$group": { "_id": "$item", "total": { "$sum": { "$multiply": ["$price", "$quantity"] } } } }, "#,
///         r#"{ "$sort": { "total": -1 } }]"#,
///     ),
/// );
/// ```
///
/// Source: [aggregation pipeline](https://www.mongodb.com/docs/manual/core/aggregation-pipeline/).
#[must_use = "a pipeline does nothing until an action takes it"]
pub struct Pipeline<M, D = M> {
    pub(super) stages: Stages,
    pub(crate) read: ReadFn<D>,
    marker: PhantomData<fn() -> M>,
}

/// What is said of the documents of a pipeline below its types.
#[derive(Debug, Clone)]
pub(super) struct Stages {
    pub(super) documents: Result<Vec<BsonDocument>>,
    /// The model that the documents come from, where the pipeline began with one.
    pub(super) model: Option<&'static Model>,
    /// The fields of the documents at the end.
    pub(super) shape: &'static Shape,
}

/// Any field may be there.
static OPEN: Shape = Shape::new("", "", &[Field::of::<BsonDocument>().flatten()]);

impl<M: Document> Pipeline<M> {
    /// The pipeline without stages: it yields the documents of the collection.
    pub fn new() -> Self {
        let model = M::MODEL;
        let stages = Stages { documents: Ok(Vec::new()), model: Some(model), shape: model.shape };
        Self { stages, read: migrate::read, marker: PhantomData }
    }
}

impl<M: Document> Default for Pipeline<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M, D> Pipeline<M, D> {
    /// A stage in the server's own words.
    ///
    /// Only its place among the others is checked; nothing is escaped: never build it from input.
    /// Where it changes the form of the documents, [`typed`](Self::typed) says the new type.
    ///
    /// ```
    /// # use odm::{Pipeline, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// use bson::doc;
    /// let pipeline = Pipeline::<Post>::new().raw(doc! { "$indexStats": {} }).typed_as::<bson::Document>();
    /// # let _ = pipeline;
    /// ```
    pub fn raw(self, stage: BsonDocument) -> Self {
        self.stage(Ok(stage))
    }

    /// Says what documents are from here on, without a stage: after [`raw`](Self::raw) or
    /// [`unwind`](Self::unwind).
    pub fn typed<O: Embedded>(mut self) -> Pipeline<M, O> {
        self.stages.shape = O::SHAPE;
        self.with_read(read_embedded)
    }

    /// Says that documents are whole documents of another model from here on, without a stage.
    /// Old ones are upgraded when they are read.
    pub fn typed_document<O: Document>(mut self) -> Pipeline<M, O> {
        self.stages.shape = O::MODEL.shape;
        self.with_read(migrate::read)
    }

    /// Reads the documents as any type that serde can: for `bson::Document` and types without
    /// paths.
    pub fn typed_as<O: DeserializeOwned>(mut self) -> Pipeline<M, O> {
        self.stages.shape = &OPEN;
        self.with_read(read_any)
    }

    /// The stages as they are sent.
    ///
    /// # Errors
    /// The first error of a stage; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument)
    /// where a stage cannot stand at its place.
    pub fn into_stages(self) -> Result<Vec<BsonDocument>> {
        let stages = self.stages.documents?;
        order::check(&stages)?;
        Ok(stages)
    }

    /// Adds a stage, or its error.
    pub(super) fn stage(mut self, stage: Result<BsonDocument>) -> Self {
        self.stages.add(stage);
        self
    }

    /// Adds a stage after which documents have another type.
    pub(super) fn stage_into<O: Embedded>(self, stage: Result<BsonDocument>) -> Pipeline<M, O> {
        self.stage(stage).typed()
    }

    /// An empty pipeline over the documents that come out of this one.
    pub(super) fn branch(&self) -> Pipeline<D, D> {
        let stages = Stages { documents: Ok(Vec::new()), ..self.stages.clone() };
        Pipeline { stages, read: self.read, marker: PhantomData }
    }

    fn with_read<O>(self, read: ReadFn<O>) -> Pipeline<M, O> {
        Pipeline { stages: self.stages, read, marker: PhantomData }
    }
}

impl Stages {
    fn add(&mut self, stage: Result<BsonDocument>) {
        match (&mut self.documents, stage) {
            (Ok(stages), Ok(stage)) => stages.push(stage),
            (Ok(_), Err(error)) => self.documents = Err(error),
            (Err(_), _) => {}
        }
    }
}

impl<M, D> Clone for Pipeline<M, D> {
    fn clone(&self) -> Self {
        Self { stages: self.stages.clone(), read: self.read, marker: PhantomData }
    }
}

impl<M, D> fmt::Debug for Pipeline<M, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pipeline").field(&self.stages.documents).finish()
    }
}

impl<M, D> fmt::Display for Pipeline<M, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stages.documents {
            Ok(stages) => {
                let stages = stages.iter().cloned().map(Bson::Document).collect();
                write!(f, "{}", Bson::Array(stages))
            }
            Err(error) => write!(f, "invalid pipeline: {error}"),
        }
    }
}

fn read_embedded<O: Embedded>(raw: &RawDocument) -> Result<Read<O>> {
    codec::decode_shape(raw, O::SHAPE).map(|value| Read { value, write_back: None })
}

fn read_any<O: DeserializeOwned>(raw: &RawDocument) -> Result<Read<O>> {
    codec::decode_shape(raw, &OPEN).map(|value| Read { value, write_back: None })
}

/// The collection of another model, which must be in the same database.
pub(super) fn collection_beside(stages: &Stages, other: &Model) -> Result<&'static str> {
    let database = stages.model.map(|model| model.database);
    if other.collection.is_empty() {
        let message = format!("`{}` declares no collection that a stage could name", other.name);
        return Err(Error::invalid(message));
    }
    match database {
        Some(database) if database != other.database => Err(Error::invalid(format!(
            "`{}` is in another database, and a stage reaches only collections of its own",
            other.name
        ))),
        _ => Ok(other.collection),
    }
}
