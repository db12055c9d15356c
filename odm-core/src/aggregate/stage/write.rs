//! Stages that write into a collection: `$merge`, `$out`. They are the last, and yield nothing.

use std::marker::PhantomData;

use bson::{Bson, Document as BsonDocument, doc};

use super::super::pipeline::collection_beside;
use super::super::{Pipeline, order};
use crate::error::{Error, Result};
use crate::model::{Document, Model};
use crate::path::{Direct, IntoPath};

impl<M, D> Pipeline<M, D> {
    /// Writes the documents into a collection, beside what is there: `$merge`. The last stage;
    /// awaiting then yields no documents.
    ///
    /// What is written is not checked against the model, and no guard of its schema version holds.
    ///
    /// Source: [`$merge`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/merge/).
    ///
    /// ```
    /// use odm::aggregate::{Merge, WhenMatched, WhenNotMatched};
    /// use odm::{Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Sale { #[serde(rename = "_id")] id: i32, total: i32 }
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # #[odm(collection = "totals")]
    /// # struct Total { #[serde(rename = "_id")] id: i32, total: i32 }
    /// let merge = Merge::into::<Total>()
    ///     .when_matched(WhenMatched::Replace)
    ///     .when_not_matched(WhenNotMatched::Insert);
    /// assert_eq!(
    ///     Pipeline::<Sale>::new().merge(merge).to_string(),
    ///     concat!(
    ///         r#"[{ "$merge": { "into": "totals", "whenMatched": "replace", "#,
    ///         r#""whenNotMatched": "insert" } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn merge(self, merge: Merge<D>) -> Self {
        let stage = self.collection(merge.into).and_then(|into| {
            let mut stage = doc! { "into": into };
            stage.extend(merge.arguments?);
            Ok(doc! { "$merge": stage })
        });
        self.stage(stage)
    }

    /// Writes the documents into a collection, **in place of all that is there**: `$out`. The last
    /// stage; awaiting then yields no documents.
    ///
    /// Indexes of the collection stay; its documents do not. What is written is not checked against
    /// the model.
    ///
    /// Source: [`$out`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/out/).
    pub fn out<F: Document>(self) -> Self {
        let stage = self.collection(F::MODEL);
        self.stage(stage.map(|stage| doc! { "$out": stage }))
    }

    /// The name of a collection, with its database where that is another.
    fn collection(&self, model: &Model) -> Result<Bson> {
        match model.database {
            Some(database) if !model.collection.is_empty() => {
                Ok(doc! { "db": database, "coll": model.collection }.into())
            }
            _ => collection_beside(&self.stages, model).map(Bson::from),
        }
    }
}

/// Where and how [`Pipeline::merge`] writes documents of type `D`.
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct Merge<D> {
    into: &'static Model,
    arguments: Result<BsonDocument>,
    marker: PhantomData<fn() -> D>,
}

/// What becomes of a document that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenMatched {
    /// Its fields are overwritten by those of the new one; others stay. The default.
    Merge,
    /// The new one takes its place.
    Replace,
    /// It stays.
    KeepExisting,
    /// The aggregation fails; what was written until then stays.
    Fail,
}

/// What becomes of a document that is not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenNotMatched {
    /// It is inserted. The default.
    Insert,
    /// It is left out.
    Discard,
    /// The aggregation fails; what was written until then stays.
    Fail,
}

impl<D> Merge<D> {
    /// Into the collection of this model.
    pub fn into<F: Document>() -> Self {
        let arguments = Ok(BsonDocument::new());
        Self { into: F::MODEL, arguments, marker: PhantomData }
    }

    /// The field by which documents are found to be the same, in place of `_id`; several for their
    /// combination. The collection needs a unique index on them.
    pub fn on<P: IntoPath<D, Via = Direct>>(mut self, field: P) -> Self {
        let field = field.into_path();
        self.arguments = self.arguments.and_then(|mut arguments| {
            let fields = arguments.entry("on".to_owned()).or_insert(Bson::Array(Vec::new()));
            if let Bson::Array(fields) = fields {
                fields.push(field.name.checked()?.into());
            }
            Ok(arguments)
        });
        self
    }

    /// What becomes of a document that is there already.
    pub fn when_matched(self, action: WhenMatched) -> Self {
        let action = match action {
            WhenMatched::Merge => "merge",
            WhenMatched::Replace => "replace",
            WhenMatched::KeepExisting => "keepExisting",
            WhenMatched::Fail => "fail",
        };
        self.argument("whenMatched", Ok(action.into()))
    }

    /// Changes a document that is there already by the stages of a pipeline (`set`, `unset`,
    /// `project`, `replace_root`), in which `Expr::var("new")` is the new one.
    pub fn when_matched_update<F: Document, E>(self, pipeline: Pipeline<F, E>) -> Self {
        let pipeline = match std::ptr::eq(self.into, F::MODEL) {
            true => order::inner("$merge", pipeline.into_stages()),
            false => Err(Error::invalid("the pipeline of a merge is over another model")),
        };
        self.argument("whenMatched", pipeline)
    }

    /// What becomes of a document that is not there yet.
    pub fn when_not_matched(self, action: WhenNotMatched) -> Self {
        let action = match action {
            WhenNotMatched::Insert => "insert",
            WhenNotMatched::Discard => "discard",
            WhenNotMatched::Fail => "fail",
        };
        self.argument("whenNotMatched", Ok(action.into()))
    }

    fn argument(mut self, name: &str, value: Result<Bson>) -> Self {
        self.arguments = self.arguments.and_then(|mut arguments| {
            arguments.insert(name, value?);
            Ok(arguments)
        });
        self
    }
}
