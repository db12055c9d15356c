//! Stages that change the form of each document.

use bson::{Bson, Document as BsonDocument, doc};

use super::super::assign::{self, Assigned, Faceted};
use super::super::{IntoExpr, Pipeline};
use crate::error::Result;
use crate::model::{Embedded, Shape};
use crate::path::{Direct, IntoPath};

impl<M, D> Pipeline<M, D> {
    /// Makes each document one of type `O`: `$project`. Fields that are not given a value are taken
    /// over by their names.
    ///
    /// # Errors
    /// The action returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if a
    /// field of `O`, which is no `Option`, is neither given a value nor there already.
    ///
    /// Source: [`$project`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/project/).
    ///
    /// ```
    /// use odm::{Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Sale { #[serde(rename = "_id")] id: i32, item: String, price: f64, quantity: i32 }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct Position {
    ///     item: String,
    ///     total: f64,
    /// }
    ///
    /// let (p, o) = (Sale::fields(), Position::fields());
    /// let pipeline = Pipeline::new()
    ///     .project::<Position>([o.total().is(p.price() * p.quantity())])
    ///     .sort(o.total().desc());
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$project": { "item": 1, "total": { "$multiply": ["$price", "$quantity"] }, "#,
    ///         r#""_id": 0 } }, { "$sort": { "total": -1 } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn project<O: Embedded>(
        self,
        values: impl IntoIterator<Item = Assigned<D, O>>,
    ) -> Pipeline<M, O> {
        let values = assign::document(values.into_iter().map(|value| value.entry));
        let stage = values.and_then(|values| project(values, self.stages.shape, O::SHAPE));
        self.stage_into(stage)
    }

    /// Gives fields values, beside those that are there, and makes each document one of type `O`:
    /// `$addFields`. See [`set`](Self::set) to keep the type.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    ///
    /// Source: [`$addFields`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/addFields/).
    pub fn add_fields<O: Embedded>(
        self,
        values: impl IntoIterator<Item = Assigned<D, O>>,
    ) -> Pipeline<M, O> {
        let values = assign::document(values.into_iter().map(|value| value.entry));
        let stage = self.beside("$addFields", values, O::SHAPE);
        self.stage_into(stage)
    }

    /// Gives fields of the documents values, and keeps their type: `$set`.
    ///
    /// Source: [`$set`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/set/).
    ///
    /// ```
    /// # use odm::{Pipeline, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// let votes = Post::fields().votes();
    /// let pipeline = Pipeline::<Post>::new().set([votes.is(votes.expr() * 2)]);
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     r#"[{ "$set": { "votes": { "$multiply": ["$votes", { "$literal": 2 }] } } }]"#,
    /// );
    /// ```
    pub fn set(self, values: impl IntoIterator<Item = Assigned<D, D>>) -> Self {
        let values = assign::document(values.into_iter().map(|value| value.entry));
        self.stage(values.map(|values| doc! { "$set": values }))
    }

    /// Removes a field, and keeps the type: `$unset`. A field that is no `Option` is then missing
    /// when the document is read; [`project`](Self::project) says a type without it.
    ///
    /// Source: [`$unset`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/unset/).
    pub fn unset<P: IntoPath<D>>(self, path: P) -> Self {
        let path = path.into_path();
        self.stage(path.name.checked().map(|path| doc! { "$unset": path }))
    }

    /// Puts the value of an expression, a document, in place of each document: `$replaceRoot`.
    ///
    /// Source: [`$replaceRoot`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/replaceRoot/).
    ///
    /// ```
    /// # use odm::{Pipeline, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Comment { who: String }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, comments: Vec<Comment> }
    /// let p = Post::fields();
    /// let comments = Pipeline::new().unwind(p.comments()).replace_root::<Comment>(p.comments());
    /// assert_eq!(
    ///     comments.to_string(),
    ///     r#"[{ "$unwind": "$comments" }, { "$replaceRoot": { "newRoot": "$comments" } }]"#,
    /// );
    /// ```
    pub fn replace_root<O: Embedded>(self, root: impl IntoExpr<D>) -> Pipeline<M, O> {
        let root = root.into_expr().into_bson();
        self.stage_into(root.map(|root| doc! { "$replaceRoot": { "newRoot": root } }))
    }

    /// As [`replace_root`](Self::replace_root), by its other name: `$replaceWith`.
    ///
    /// Source: [`$replaceWith`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/replaceWith/).
    pub fn replace_with<O: Embedded>(self, root: impl IntoExpr<D>) -> Pipeline<M, O> {
        let root = root.into_expr().into_bson();
        self.stage_into(root.map(|root| doc! { "$replaceWith": root }))
    }

    /// One document whose lists are filled by pipelines of their own, all over the same documents:
    /// `$facet`. The closure gets the begin of such a pipeline.
    ///
    /// The document may not be above 16 MB.
    ///
    /// Source: [`$facet`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/facet/).
    ///
    /// ```
    /// use odm::{Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String>, votes: i32 }
    /// # #[derive(Serialize, Deserialize, Embedded)]
    /// # struct Id { #[serde(rename = "_id")] id: i32 }
    /// # #[derive(Serialize, Deserialize, Embedded)]
    /// # struct TagCount { #[serde(rename = "_id")] tag: String, count: i32 }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct Front {
    ///     best: Vec<Id>,
    ///     tags: Vec<TagCount>,
    /// }
    ///
    /// let (p, o) = (Post::fields(), Front::fields());
    /// let pipeline = Pipeline::new().facet::<Front, _>(|posts| {
    ///     let best = posts.clone().sort(p.votes().desc()).limit(3).project([]);
    ///     let tags = posts.unwind(p.tags()).sort_by_count(p.tags());
    ///     [o.best().facet(best), o.tags().facet(tags)]
    /// });
    /// # assert!(pipeline.to_string().contains("$sortByCount"), "{pipeline}");
    /// ```
    pub fn facet<O: Embedded, I>(self, facets: impl FnOnce(Pipeline<D, D>) -> I) -> Pipeline<M, O>
    where
        I: IntoIterator<Item = Faceted<D, O>>,
    {
        let facets = assign::flat(facets(self.branch()).into_iter().map(|facet| facet.entry));
        let stage = facets.and_then(|facets| {
            assign::check_provided(O::SHAPE, |name| facets.contains_key(name))?;
            Ok(doc! { "$facet": facets })
        });
        self.stage_into(stage)
    }

    /// How many documents there are, in one document with this field; no document where there are
    /// none: `$count`.
    ///
    /// Source: [`$count`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/count/).
    pub fn count<O: Embedded, P: IntoPath<O, Via = Direct>>(self, field: P) -> Pipeline<M, O> {
        let field = field.into_path();
        let stage = field.name.checked().and_then(|field| {
            assign::check_provided(O::SHAPE, |name| name == field)?;
            Ok(doc! { "$count": field })
        });
        self.stage_into(stage)
    }

    /// A stage that leaves the fields that are there: those and its own are what `output` needs.
    pub(super) fn beside(
        &self,
        operator: &str,
        values: Result<BsonDocument>,
        output: &Shape,
    ) -> Result<BsonDocument> {
        let values = values?;
        let there = self.stages.shape;
        assign::check_provided(output, |name| {
            there.is_open() || there.has_name(name) || assign::has_field(&values, name)
        })?;
        Ok(doc! { operator: values })
    }
}

fn project(values: BsonDocument, from: &Shape, output: &Shape) -> Result<BsonDocument> {
    let is_there = |name: &str| from.is_open() || from.has_name(name);
    assign::check_provided(output, |name| is_there(name) || assign::has_field(&values, name))?;
    let mut projection = BsonDocument::new();
    for field in output.all_fields() {
        let mut names = std::iter::once(&field.name).chain(field.aliases);
        if assign::has_field(&values, field.name) {
            let of_field =
                values.iter().filter(|(key, _)| key.split('.').next() == Some(field.name));
            projection.extend(of_field.map(|(key, value)| (key.clone(), value.clone())));
        } else if let Some(name) = names.find(|name| is_there(name)) {
            projection.insert(*name, 1);
        }
    }
    // What no declared field takes: the path of a flattened map.
    for (key, value) in values {
        projection.entry(key).or_insert(value);
    }
    if output.is_open() && projection.is_empty() {
        return Err(crate::Error::invalid("a projection into a type of any fields needs values"));
    }
    if !projection.contains_key("_id") && !output.has_name("_id") {
        projection.insert("_id", Bson::Int32(0));
    }
    Ok(doc! { "$project": projection })
}
