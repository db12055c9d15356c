//! `aggregate`.

use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;

use bson::{Document as BsonDocument, doc};
use futures::TryStreamExt;
use futures::future::BoxFuture;

use super::DocumentStream;
use crate::aggregate::{Expr, IntoExpr, Pipeline};
use crate::collection::Collection;
use crate::driver::{Call, WHOLE, Watch};
use crate::error::{Error, Result};
use crate::explain::Explain;
use crate::migrate::ReadFn;
use crate::model::Document;

impl<T: Document> Collection<T> {
    /// Takes the documents through a pipeline.
    ///
    /// Awaiting collects what it yields into a `Vec`; [`stream`](Aggregate::stream) hands it out one
    /// by one; [`first`](Aggregate::first) takes one. Each batch takes one round trip: awaiting, of
    /// up to 16 MB each; a stream, of 101 documents and then of up to 16 MB. A pipeline that ends in
    /// `merge` or `out` yields nothing.
    ///
    /// # Errors
    /// The first error of the pipeline, before anything is sent;
    /// [`ErrorKind::Decode`](crate::ErrorKind::Decode) with the path of the first document that does
    /// not fit the output type.
    ///
    /// Source: [`aggregate`](https://www.mongodb.com/docs/manual/reference/command/aggregate/).
    ///
    /// ```no_run
    /// use odm::{Accumulator, Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, author: String, votes: i32 }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct Author {
    ///     #[serde(rename = "_id")]
    ///     name: String,
    ///     votes: i32,
    /// }
    ///
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let (p, a) = (Post::fields(), Author::fields());
    /// let pipeline = Pipeline::new()
    ///     .group::<Author>(p.author(), [a.votes().accumulate(Accumulator::sum(p.votes()))])
    ///     .sort(a.votes().desc());
    /// let authors: Vec<Author> = posts.aggregate(pipeline).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn aggregate<D>(&self, pipeline: Pipeline<T, D>) -> Aggregate<T, D> {
        Aggregate {
            call: Call::new(self.target(), "aggregate"),
            read: pipeline.read,
            stages: pipeline.into_stages(),
            batch_size: None,
            marker: PhantomData,
        }
    }
}

/// Takes documents of model `M` through a pipeline and reads what it yields as `D`; see
/// [`Collection::aggregate`].
#[must_use = "an action does nothing until it is awaited"]
pub struct Aggregate<M, D = M> {
    pub(super) call: Call,
    stages: Result<Vec<BsonDocument>>,
    read: ReadFn<D>,
    batch_size: Option<u32>,
    marker: PhantomData<fn() -> M>,
}

impl<M: Document, D: Send + 'static> Aggregate<M, D> {
    /// How many documents a batch holds at most. Unless set, as many as have 16 MB; of a stream, 101
    /// in the first.
    pub fn batch_size(mut self, batch_size: u32) -> Self {
        self.batch_size = Some(batch_size);
        self
    }

    /// A variable of all stages, `Expr::var(name)` there. The value may be computed, but not from
    /// documents. From MongoDB 5.0.
    ///
    /// A name that cannot be one of a variable is an error that awaiting returns.
    pub fn let_(mut self, name: &str, value: impl IntoExpr<M>) -> Self {
        let value = Expr::<M>::var(name).into_bson().and_then(|_| value.into_expr().into_bson());
        match value {
            Ok(value) => {
                let variables = &mut self.call.options().let_vars;
                variables.get_or_insert_default().insert(name, value);
            }
            Err(error) => self.stages = self.stages.and(Err(error)),
        }
        self
    }

    option_setters!(
        session,
        with_deleted,
        read_concern,
        write_concern,
        read_preference,
        max_time,
        hint,
        collation,
        comment,
        allow_disk_use
    );

    /// Hands the documents out one by one, as they arrive.
    ///
    /// A document that cannot be decoded is an item of its own, and the stream goes on. The next
    /// batch is fetched while one is read; two are held at most.
    ///
    /// # Errors
    /// Those of the aggregation itself; those of documents and later batches are items of the
    /// stream.
    pub async fn stream(self) -> Result<DocumentStream<D>> {
        let watch = self.watch();
        Ok(self.open().await?.watched(watch))
    }

    /// The first document that the pipeline yields, or `None`. One round trip.
    ///
    /// # Errors
    /// As awaiting the aggregation.
    pub async fn first(mut self) -> Result<Option<D>> {
        self.stages = self.stages.and_then(|mut stages| {
            if writes(&stages) {
                return Err(Error::invalid("a pipeline that writes yields no documents"));
            }
            stages.push(doc! { "$limit": 1_i64 });
            Ok(stages)
        });
        let watch = self.watch();
        watch.run(async move { self.open().await?.try_next().await }).await
    }

    /// How the server runs it: the indexes used, keys and documents examined. One round trip.
    ///
    /// Not part of a session's transaction. A pipeline that writes is refused, by the server.
    ///
    /// # Errors
    /// As awaiting the aggregation, but nothing is decoded.
    pub async fn explain(self) -> Result<Explain> {
        let stages = self.stages.map_err(|error| self.call.context(error))?;
        self.call.explain_aggregate(stages).await.map(Explain::new)
    }

    /// All that it yields will be read.
    fn whole(mut self) -> Self {
        if !self.stages.as_deref().is_ok_and(writes) {
            self.batch_size.get_or_insert(WHOLE);
        }
        self
    }

    async fn open(self) -> Result<DocumentStream<D>> {
        let stages = self.stages.map_err(|error| self.call.context(error))?;
        let batches = self.call.aggregate(stages, self.batch_size).await?;
        Ok(DocumentStream::of_rows(batches, self.read))
    }

    /// The filter of a warning is that of the first stage.
    fn watch(&self) -> Watch {
        let first = self.stages.as_ref().ok().and_then(|stages| stages.first());
        self.call.watch(first.and_then(|stage| stage.get_document("$match").ok()))
    }
}

fn writes(stages: &[BsonDocument]) -> bool {
    let last = stages.last().and_then(|stage| stage.keys().next());
    last.is_some_and(|name| name == "$merge" || name == "$out")
}

impl<M, D> fmt::Debug for Aggregate<M, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aggregate")
            .field("call", &self.call)
            .field("stages", &self.stages)
            .finish_non_exhaustive()
    }
}

impl<M: Document, D: Send + 'static> IntoFuture for Aggregate<M, D> {
    type Output = Result<Vec<D>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let watch = self.watch();
        watch.run(async move { self.whole().open().await?.collect().await })
    }
}
