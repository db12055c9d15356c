//! Updates by a pipeline: stages that compute new values from the stored ones.
//!
//! Source: [updates with aggregation pipeline](https://www.mongodb.com/docs/manual/tutorial/update-documents-with-aggregation-pipeline/).

use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use super::{Modification, Update};
use crate::aggregate::IntoExpr;
use crate::error::Result;
use crate::path::{Direct, FieldType, Path};

impl<M> Update<M> {
    /// An update by a pipeline, which computes new values from the stored ones.
    ///
    /// The stages run one after the other: each sees what those before it have done. Plain values
    /// are literals, whatever they hold. A pipeline cannot be joined with operators; two of them
    /// joined by `+` run one after the other.
    ///
    /// What an upsert by a pipeline inserts is not checked: its expressions see no fields but those
    /// of the filter.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Order { #[serde(rename = "_id")] id: i32, qty: i32, price: i32, total: i32, note: Option<String> }
    /// let o = Order::fields();
    /// let update = Update::pipeline(|stages| {
    ///     stages.set(&o.total(), o.qty() * o.price()).set(&o.note(), "$5 off").unset(&o.note())
    /// });
    /// assert_eq!(
    ///     update.to_string(),
    ///     concat!(
    ///         r#"[{ "$set": { "total": { "$multiply": ["$qty", "$price"] } } }, "#,
    ///         r#"{ "$set": { "note": { "$literal": "$5 off" } } }, { "$unset": ["note"] }]"#,
    ///     ),
    /// );
    /// ```
    pub fn pipeline(stages: impl FnOnce(UpdatePipeline<M>) -> UpdatePipeline<M>) -> Self {
        let empty = UpdatePipeline { stages: Ok(Vec::new()), marker: PhantomData };
        Self::from_result(stages(empty).stages.map(Modification::Pipeline))
    }

    /// Any update pipeline in the server's own words.
    ///
    /// It may hold `$set` (`$addFields`), `$unset` (`$project`) and `$replaceWith`
    /// (`$replaceRoot`), and may change neither `_id` nor the schema version. Nothing else in it is
    /// checked, and nothing is escaped: a string that begins with `$` is a path. Never build it
    /// from input.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Order { #[serde(rename = "_id")] id: i32, qty: i32, price: i32, total: i32 }
    /// use bson::doc;
    /// let total = doc! { "$set": { "total": { "$multiply": ["$qty", "$price"] } } };
    /// let update: Update<Order> = Update::raw_pipeline([total]);
    /// # let _ = update;
    /// ```
    pub fn raw_pipeline(stages: impl IntoIterator<Item = Document>) -> Self {
        Self::from_result(Ok(Modification::Pipeline(stages.into_iter().collect())))
    }
}

/// The stages of [`Update::pipeline`].
#[must_use = "give the stages back to `Update::pipeline`"]
#[derive(Debug)]
pub struct UpdatePipeline<M> {
    stages: Result<Vec<Document>>,
    marker: PhantomData<fn() -> M>,
}

impl<M> UpdatePipeline<M> {
    /// Sets a field to the value of an expression: `$set`. An expression without a value, such as
    /// the path of a missing field, removes the field.
    ///
    /// The server computes the type: see that it is the field's.
    pub fn set<C: FieldType>(self, path: &Path<M, C, Direct>, value: impl IntoExpr<M>) -> Self {
        let value = value.into_expr().into_bson();
        self.stage(path.name.checked().and_then(|path| {
            Ok(doc! { "$set": { path: value.map_err(|error| error.with_path(path))? } })
        }))
    }

    /// Sets several fields in one stage, from the values as they were before it: `$set`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Pair { #[serde(rename = "_id")] id: i32, a: i32, b: i32 }
    /// let p = Pair::fields();
    /// let swap = Update::pipeline(|stages| {
    ///     stages.set_together(|set| set.set(&p.a(), p.b()).set(&p.b(), p.a()))
    /// });
    /// assert_eq!(swap.to_string(), r#"[{ "$set": { "a": "$b", "b": "$a" } }]"#);
    /// ```
    pub fn set_together(self, fields: impl FnOnce(Self) -> Self) -> Self {
        let fields = fields(Self { stages: Ok(Vec::new()), marker: PhantomData });
        self.stage(fields.stages.and_then(join_sets))
    }

    /// Removes a field: `$unset`.
    ///
    /// A field that is neither an `Option` nor has a default cannot be read afterwards.
    pub fn unset<C: FieldType>(self, path: &Path<M, C, Direct>) -> Self {
        self.stage(path.name.checked().map(|path| doc! { "$unset": [path] }))
    }

    /// Puts the value of an expression, a document, in place of the document: `$replaceWith`. The
    /// `_id` stays, and so does the schema version.
    pub fn replace_with(self, document: impl IntoExpr<M>) -> Self {
        let document = document.into_expr().into_bson();
        self.stage(document.map(|document| doc! { "$replaceWith": document }))
    }

    fn stage(self, stage: Result<Document>) -> Self {
        let stages = self.stages.and_then(|mut stages| {
            stages.push(stage?);
            Ok(stages)
        });
        Self { stages, ..self }
    }
}

/// Makes one `$set` of several.
fn join_sets(stages: Vec<Document>) -> Result<Document> {
    let mut joined = Document::new();
    for mut stage in stages {
        let Some(Bson::Document(fields)) = stage.remove("$set") else {
            return Err(crate::Error::invalid("only `set` can be part of one stage"));
        };
        super::conflict::check(&doc! { "$set": joined.clone() }, &doc! { "$set": fields.clone() })?;
        joined.extend(fields);
    }
    Ok(doc! { "$set": joined })
}
