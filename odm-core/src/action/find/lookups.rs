//! The lookups of a find: which there are, and whether the server joins or batches do.

use bson::{Document as BsonDocument, doc};

use super::{DocumentStream, Find, documents};
use crate::driver::{Batches, Call, FindOptions};
use crate::error::{Error, Result};
use crate::model::Document;
use crate::relation::{
    IntoLookup, LookupStrategy, Node, can_match, guard_of_joins, plan_joins, require,
};

/// What a find looks up, and how.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    nodes: Vec<Node>,
    strategy: LookupStrategy,
}

/// How a find is sent.
pub(super) enum Way {
    /// One aggregation, in which the server joins.
    Join {
        /// Whether batches may do it where a joined document would be too large.
        or_batches: bool,
    },
    /// A find, and one more for each path.
    Batches,
}

impl<M: Document, T: Send + 'static> Find<M, T> {
    /// Loads the documents of a relation, for each document found: those that a reference leads to,
    /// or those that refer back.
    ///
    /// Takes the path of a [`Ref`](crate::Ref), [`DbRef`](crate::DbRef), [`Many`](crate::Many) or
    /// [`One`](crate::One), or of an `Option`, list, set or map of references, also inside of
    /// embedded documents and lists of them; or a [`Lookup`](crate::relation::Lookup), which says
    /// more: a filter, a sort, a limit. Relations of the targets are named on the path:
    /// `p.author().lookup(User::fields().company())`; for several of them, name the path again with
    /// each.
    ///
    /// Order, repeats and positions stay; a reference without a document is missing, with its key.
    /// Both strategies give equal results, on data that nobody changes meanwhile. A related document
    /// that cannot be decoded is the error of the document that it would be loaded into, unless the
    /// lookup [skips errors](crate::relation::Lookup::skip_errors).
    ///
    /// Round trips: none more by `$lookup`; one more for each path by batches, however many
    /// documents are found ([`stream`](Find::stream): for each batch of them). See
    /// [`strategy`](Find::strategy).
    ///
    /// After [`project`](Find::project), the view must have the reference as a field.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use odm::Ref;
    /// # #[derive(Debug, serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: String, name: String }
    /// # #[derive(Debug, serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, author: Ref<User> }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// for post in posts.find(Filter::new()).lookup(Post::fields().author()).await? {
    ///     match post.author.get() {
    ///         Some(author) => println!("by {}", author.name),
    ///         None => println!("by {}, who has left", post.author.id()),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Source: [`$lookup`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/lookup/).
    pub fn lookup(mut self, lookup: impl IntoLookup<M>) -> Self {
        let added = lookup.into_lookup().node.and_then(|node| node.add_to(&mut self.lookups.nodes));
        if let Err(error) = added {
            self.filter = self.filter.and(Err(error));
        }
        self
    }

    /// How the lookups are done; [`LookupStrategy::Auto`] unless set.
    ///
    /// # Errors
    /// The find gives [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the
    /// strategy cannot do what is asked: `$lookup` reaches neither into another database, nor to a
    /// position in a list, nor to the values of a map, and takes no collation; batches do not sort
    /// parents.
    pub fn strategy(mut self, strategy: LookupStrategy) -> Self {
        self.lookups.strategy = strategy;
        self
    }

    /// The lookups by the server, in the find's own round trip: [`LookupStrategy::Lookup`].
    pub fn with_lookup(self) -> Self {
        self.strategy(LookupStrategy::Lookup)
    }

    /// The lookups by one more find for each path: [`LookupStrategy::Batches`].
    pub fn with_batches(self) -> Self {
        self.strategy(LookupStrategy::Batches)
    }

    /// Whether the server joins. An error if it is asked for what it cannot do.
    pub(super) fn way(&self) -> Result<Way> {
        let lookups = &self.lookups;
        if lookups.nodes.is_empty() {
            return Ok(Way::Batches);
        }
        if let Some(projection) = &self.options.projection {
            lookups.nodes.iter().try_for_each(|node| node.check_projected(projection))?;
        }
        let refused = self.refuses_join();
        let decides = lookups.nodes.iter().any(Node::decides);
        match (lookups.strategy, refused) {
            (LookupStrategy::Lookup, None) => Ok(Way::Join { or_batches: false }),
            (LookupStrategy::Auto, None) if decides => Ok(Way::Join { or_batches: false }),
            (LookupStrategy::Auto, None) if self.options.limit == Some(1) => {
                Ok(Way::Join { or_batches: true })
            }
            (LookupStrategy::Lookup, Some(reason)) => {
                let message = format!("`$lookup` cannot do this lookup: {reason}; use batches");
                Err(Error::invalid(message))
            }
            (LookupStrategy::Batches | LookupStrategy::Auto, refused) => {
                match (lookups.sorts_parents(), refused) {
                    (false, _) => Ok(Way::Batches),
                    (true, None) => {
                        Err(Error::invalid("batches do not sort parents: let `$lookup` do it"))
                    }
                    (true, Some(reason)) => {
                        let message =
                            format!("only `$lookup` sorts parents, and cannot here: {reason}");
                        Err(Error::invalid(message))
                    }
                }
            }
        }
    }

    /// Why an aggregation cannot do it, if it cannot.
    fn refuses_join(&self) -> Option<&'static str> {
        let collation = self.call.options_ref().and_then(|options| options.collation.as_ref());
        if collation.is_some_and(|collation| collation.locale != "simple") {
            return Some("keys would be compared by the find's collation");
        }
        if self.filter.as_ref().is_ok_and(|filter| !can_match(filter)) {
            return Some("the find's filter has `$where`, `$near` or `$nearSphere`");
        }
        self.lookups.nodes.iter().find_map(|node| node.refuses(self.call.target()))
    }

    pub(super) async fn open(mut self, extent: documents::Extent) -> Result<DocumentStream<T>> {
        let way = self.way().map_err(|error| self.call.context(error))?;
        let filter = self.filter.map_err(|error| self.call.context(error))?;
        self.lookups.renumber();
        let options = match extent {
            documents::Extent::Whole => self.options.whole(),
            documents::Extent::Batch => self.options,
        };
        let (batches, joins) = self.lookups.send(&self.call, way, filter, options).await?;
        let relations = documents::Relations {
            nodes: self.lookups.nodes,
            resolve: self.resolve,
            joins,
            extent,
        };
        let stream = DocumentStream::new(batches, self.read, relations, self.write_back);
        Ok(stream.parallel(self.parallel_decode))
    }
}

impl Lookups {
    /// Whether the order of the parents depends on what is looked up.
    pub(super) fn sorts_parents(&self) -> bool {
        self.nodes.iter().any(Node::sorts_parents)
    }

    /// Whether it depends on what is looked up which parents are found.
    pub(super) fn has_required(&self) -> bool {
        self.nodes.iter().any(Node::is_required)
    }

    pub(super) fn renumber(&mut self) {
        let mut next = 0;
        self.nodes.iter_mut().for_each(|node| node.renumber(&mut next));
    }

    /// Sends the find. Whether what is looked up comes with the documents.
    async fn send(
        &self,
        call: &Call,
        way: Way,
        filter: BsonDocument,
        options: FindOptions,
    ) -> Result<(Batches, bool)> {
        if let Way::Join { or_batches } = way {
            let pipeline = self.pipeline(filter.clone(), options.clone());
            match call.aggregate(pipeline, options.batch_size).await {
                Err(error) if or_batches && is_too_large(&error) => {}
                sent => return Ok((sent.map_err(explain_size)?, true)),
            }
        }
        let filter = require(call, &self.nodes, filter).await?;
        Ok((call.find(filter, options).await?, false))
    }

    /// The aggregation that finds and joins.
    pub(super) fn pipeline(&self, filter: BsonDocument, options: FindOptions) -> Vec<BsonDocument> {
        let mut pipeline = Vec::new();
        if !filter.is_empty() {
            pipeline.push(doc! { "$match": filter });
        }
        let first = || self.nodes.iter().filter(|node| node.decides());
        pipeline.extend(plan_joins(first()));
        pipeline.extend(first().filter_map(Node::required_stage));
        let mut sort: BsonDocument = first().flat_map(Node::parent_sort_keys).collect();
        sort.extend(options.sort.unwrap_or_default());
        if !sort.is_empty() {
            pipeline.push(doc! { "$sort": sort });
        }
        if let Some(skip) = options.skip.filter(|&skip| skip > 0) {
            pipeline.push(doc! { "$skip": i64::try_from(skip).unwrap_or(i64::MAX) });
        }
        if let Some(limit) = options.limit.filter(|&limit| limit > 0) {
            pipeline.push(doc! { "$limit": limit });
        }
        let mut projection = options.projection;
        if let Some(projection) = &mut projection {
            first().for_each(|node| node.keep_joined(projection));
        }
        pipeline.extend(projection.map(|projection| doc! { "$project": projection }));
        let is_one = options.limit == Some(1) && first().next().is_none();
        pipeline.extend(is_one.then(guard_of_joins));
        pipeline.extend(plan_joins(self.nodes.iter().filter(|node| !node.decides())));
        pipeline.extend((!is_one).then(guard_of_joins));
        pipeline
    }

    /// How many parents there are, where lookups decide that.
    pub(super) async fn count(
        &self,
        call: &Call,
        way: Way,
        filter: BsonDocument,
        limit: Option<u64>,
        skip: Option<u64>,
    ) -> Result<u64> {
        let Way::Join { .. } = way else {
            let filter = require(call, &self.nodes, filter).await?;
            return call.count_documents(filter, limit, skip).await;
        };
        let required = || self.nodes.iter().filter(|node| node.is_required());
        let mut pipeline = vec![doc! { "$match": filter }];
        pipeline.extend(plan_joins(required()));
        pipeline.extend(required().filter_map(Node::required_stage));
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        pipeline.extend(skip.map(|skip| doc! { "$skip": number(skip) }));
        pipeline.extend(limit.map(|limit| doc! { "$limit": number(limit) }));
        pipeline.push(doc! { "$count": "n" });
        let mut batches = call.aggregate(pipeline, None).await?;
        let count = batches.next(|row| {
            let count = row.get_i32("n").map(i64::from).or_else(|_| row.get_i64("n"));
            Ok(count.ok().and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
        });
        Ok(count.await.transpose()?.unwrap_or(0))
    }
}

/// A document with all that is joined to it may be larger than the server can send.
fn is_too_large(error: &Error) -> bool {
    const BSON_OBJECT_TOO_LARGE: i32 = 10334;
    error.code() == Some(BSON_OBJECT_TOO_LARGE)
}

/// Tells the cure for a row that is too large.
pub(super) fn explain_size(error: Error) -> Error {
    match is_too_large(&error) {
        true => error.with_cure(
            "a document with all that `$lookup` joins to it must not exceed 16 MB: use batches, or \
             a limit or projection for the lookup",
        ),
        false => error,
    }
}
