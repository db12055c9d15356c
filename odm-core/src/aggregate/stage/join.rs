//! Stages that read other collections: `$lookup`, `$graphLookup`, `$unionWith`.

use std::marker::PhantomData;

use bson::{Bson, Document as BsonDocument, doc};

use super::super::expr::check_variable;
use super::super::pipeline::collection_beside;
use super::super::{Expr, IntoExpr, Pipeline, order};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::model::{Document, Embedded, Model};
use crate::path::{Direct, IntoPath, List, Queryable};

impl<M, D> Pipeline<M, D> {
    /// Fills a list of the output `O` with the documents of another collection that fit, and keeps
    /// the other fields: `$lookup`, a left outer join.
    ///
    /// # Errors
    /// The action returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if a
    /// field of `O`, which is neither the list nor an `Option`, is not there, or if the other
    /// collection is in another database.
    ///
    /// Source: [`$lookup`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/lookup/).
    ///
    /// ```
    /// use odm::aggregate::Lookup;
    /// use odm::{Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # #[odm(collection = "groups")]
    /// # struct Group { #[serde(rename = "_id")] id: i32, group_id: i32, name: String }
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # #[odm(collection = "contacts")]
    /// # struct Contact { #[serde(rename = "_id")] id: i32, name: String, group_ids: Vec<i32> }
    /// # #[derive(Serialize, Deserialize, Embedded)]
    /// # struct GroupName { name: String }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct ContactWithGroups {
    ///     name: String,
    ///     groups: Vec<GroupName>,
    /// }
    ///
    /// let (c, g, o) = (Contact::fields(), Group::fields(), ContactWithGroups::fields());
    /// let pipeline = Pipeline::new().lookup::<ContactWithGroups, _>(
    ///     Lookup::on(c.group_ids(), g.group_id()),
    ///     o.groups(),
    /// );
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$lookup": { "from": "groups", "localField": "group_ids", "#,
    ///         r#""foreignField": "group_id", "as": "groups" } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn lookup<O: Embedded, P>(self, lookup: Lookup<D>, into: P) -> Pipeline<M, O>
    where
        P: IntoPath<O, Value: List, Via = Direct>,
    {
        let stage =
            self.join("$lookup", lookup.from, lookup.arguments, into.into_path().name, O::SHAPE);
        self.stage_into(stage)
    }

    /// Fills a list of the output `O` with the documents of another collection that are reached
    /// step by step, and keeps the other fields: `$graphLookup`.
    ///
    /// The list is in no order; see [`GraphLookup::depth_field`].
    ///
    /// Source: [`$graphLookup`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/graphLookup/).
    ///
    /// ```
    /// use odm::aggregate::GraphLookup;
    /// use odm::{Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # #[odm(collection = "categories")]
    /// # struct Category { #[serde(rename = "_id")] id: String, parent: Option<String> }
    /// # #[derive(Serialize, Deserialize, Embedded)]
    /// # struct Ancestor { #[serde(rename = "_id")] id: String }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct WithAncestors {
    ///     #[serde(rename = "_id")]
    ///     id: String,
    ///     ancestors: Vec<Ancestor>,
    /// }
    ///
    /// let (c, o) = (Category::fields(), WithAncestors::fields());
    /// let pipeline = Pipeline::new().graph_lookup::<WithAncestors, _>(
    ///     GraphLookup::start_with(c.parent(), c.parent(), c.id()).max_depth(9),
    ///     o.ancestors(),
    /// );
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$graphLookup": { "from": "categories", "startWith": "$parent", "#,
    ///         r#""connectFromField": "parent", "connectToField": "_id", "maxDepth": 9, "#,
    ///         r#""as": "ancestors" } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn graph_lookup<O: Embedded, P>(self, lookup: GraphLookup<D>, into: P) -> Pipeline<M, O>
    where
        P: IntoPath<O, Value: List, Via = Direct>,
    {
        let name = into.into_path().name;
        let stage = self.join("$graphLookup", lookup.from, lookup.arguments, name, O::SHAPE);
        self.stage_into(stage)
    }

    /// Adds the documents that a pipeline over another collection yields: `$unionWith`. Both have
    /// one type, so a [`project`](Self::project) on each side often comes first.
    ///
    /// Source: [`$unionWith`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/unionWith/).
    pub fn union_with<F: Document>(self, other: Pipeline<F, D>) -> Self {
        let stage = collection_beside(&self.stages, F::MODEL).and_then(|collection| {
            let pipeline = order::inner("$unionWith", other.into_stages())?;
            Ok(doc! { "$unionWith": { "coll": collection, "pipeline": pipeline } })
        });
        self.stage(stage)
    }

    fn join(
        &self,
        operator: &str,
        from: &Model,
        arguments: Result<BsonDocument>,
        into: crate::path::Name,
        output: &crate::model::Shape,
    ) -> Result<BsonDocument> {
        let mut stage = doc! { "from": collection_beside(&self.stages, from)? };
        stage.extend(arguments?);
        let into = into.checked()?;
        stage.insert("as", into);
        let provided = doc! { into: 1 };
        self.beside("", Ok(provided), output)?;
        Ok(doc! { operator: stage })
    }
}

/// What [`Pipeline::lookup`] joins with documents of type `D`.
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct Lookup<D> {
    from: &'static Model,
    arguments: Result<BsonDocument>,
    marker: PhantomData<fn() -> D>,
}

impl<D> Lookup<D> {
    /// Documents of model `F` where the foreign field is equal to the local one, or to an element of
    /// it. A local field that is null or missing fits foreign ones that are.
    pub fn on<F: Document, L, P>(local: L, foreign: P) -> Self
    where
        L: IntoPath<D, Via: Queryable>,
        P: IntoPath<F, Via: Queryable>,
    {
        let (local, foreign) = (local.into_path().name, foreign.into_path().name);
        let arguments = local
            .checked()
            .and_then(|local| Ok(doc! { "localField": local, "foreignField": foreign.checked()? }));
        Self { from: F::MODEL, arguments, marker: PhantomData }
    }

    /// What a pipeline over documents of model `F` yields. Its expressions reach the local document
    /// by variables, see [`let_`](Self::let_).
    ///
    /// ```
    /// use odm::aggregate::Lookup;
    /// use odm::{Expr, Pipeline, prelude::*};
    /// use bson::doc;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Stock { #[serde(rename = "_id")] id: i32, item: String, instock: i32 }
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Order { #[serde(rename = "_id")] id: i32, ordered: i32, item: String }
    /// let (o, s) = (Order::fields(), Stock::fields());
    /// let enough = s.instock().expr().gte(Expr::var("ordered"));
    /// let lookup = Lookup::on(o.item(), s.item())
    ///     .pipeline(Pipeline::<Stock>::new().raw(doc! { "$match": { "$expr": enough.into_bson()? } }))
    ///     .let_("ordered", o.ordered());
    /// # let lookup: Lookup<Order> = lookup;
    /// # odm::Result::<()>::Ok(())
    /// ```
    pub fn with<F: Document, E>(pipeline: Pipeline<F, E>) -> Self {
        let lookup = Self { from: F::MODEL, arguments: Ok(doc! {}), marker: PhantomData };
        lookup.pipeline(pipeline)
    }

    /// Takes the documents that fit through a pipeline, too. Besides [`on`](Self::on), from MongoDB
    /// 5.0.
    pub fn pipeline<F: Document, E>(self, pipeline: Pipeline<F, E>) -> Self {
        let pipeline = match std::ptr::eq(self.from, F::MODEL) {
            true => order::inner("$lookup", pipeline.into_stages()),
            false => Err(Error::invalid("the pipeline of a lookup is over another model")),
        };
        self.argument("pipeline", pipeline)
    }

    /// A variable of the pipeline, `Expr::var(name)` there, with a value of the local document.
    pub fn let_(mut self, name: &str, value: impl IntoExpr<D>) -> Self {
        let value = check_variable(name).and_then(|()| value.into_expr().into_bson());
        self.arguments = self.arguments.and_then(|mut arguments| {
            let variables = arguments.entry("let".to_owned()).or_insert(doc! {}.into());
            if let Bson::Document(variables) = variables {
                variables.insert(name, value?);
            }
            Ok(arguments)
        });
        self
    }

    fn argument(mut self, name: &str, value: Result<Bson>) -> Self {
        self.arguments = self.arguments.and_then(|mut arguments| {
            arguments.insert(name, value?);
            Ok(arguments)
        });
        self
    }
}

/// What [`Pipeline::graph_lookup`] finds from documents of type `D`.
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct GraphLookup<D> {
    from: &'static Model,
    arguments: Result<BsonDocument>,
    marker: PhantomData<fn() -> D>,
}

impl<D> GraphLookup<D> {
    /// Documents of model `F` whose field `to` is equal to the value; then those whose `to` is equal
    /// to a `from` of these; and so on, each document once.
    pub fn start_with<F: Document, A, B>(value: impl IntoExpr<D>, from: A, to: B) -> Self
    where
        A: IntoPath<F, Via: Queryable>,
        B: IntoPath<F, Via: Queryable>,
    {
        let value: Expr<D> = value.into_expr();
        let (from, to) = (from.into_path().name, to.into_path().name);
        let arguments = value.into_bson().and_then(|value| {
            Ok(doc! {
                "startWith": value,
                "connectFromField": from.checked()?,
                "connectToField": to.checked()?,
            })
        });
        Self { from: F::MODEL, arguments, marker: PhantomData }
    }

    /// The most steps after the first.
    pub fn max_depth(self, depth: u32) -> Self {
        self.argument("maxDepth", Ok(i64::from(depth).into()))
    }

    /// The field of the documents found that gets the number of steps, from 0. A path of the type
    /// that the list holds; the server counts in 64 bits.
    pub fn depth_field<E, P: IntoPath<E, Via = Direct>>(self, field: P) -> Self {
        let field = field.into_path().name.checked().map(Bson::from);
        self.argument("depthField", field)
    }

    /// Only documents that match are found and passed through.
    pub fn restrict_search_with_match<F: Document>(self, filter: Filter<F>) -> Self {
        let filter = match std::ptr::eq(self.from, F::MODEL) {
            true => filter.into_document().map(Bson::Document),
            false => Err(Error::invalid("the filter of a lookup is of another model")),
        };
        self.argument("restrictSearchWithMatch", filter)
    }

    fn argument(mut self, name: &str, value: Result<Bson>) -> Self {
        self.arguments = self.arguments.and_then(|mut arguments| {
            arguments.insert(name, value?);
            Ok(arguments)
        });
        self
    }
}
