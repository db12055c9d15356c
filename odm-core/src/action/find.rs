//! `find`.

mod documents;
mod lookups;
mod page;
mod parallel;

pub use documents::DocumentStream;
pub use page::FindPage;

use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;

use bson::Document as BsonDocument;
use futures::TryStreamExt;
use futures::future::BoxFuture;

use crate::collection::Collection;
use crate::driver::{Call, FindOptions, Watch};
use crate::error::Result;
use crate::explain::Explain;
use crate::filter::Filter;
use crate::migrate::{self, ReadFn};
use crate::model::Document;
use crate::sort::Sort;
use crate::tracked::{self, Tracked};
use crate::view::{self, View};
use lookups::{Lookups, Way};

impl<T: Document> Collection<T> {
    /// Finds the documents that match.
    ///
    /// Awaiting collects them into a `Vec`; [`stream`](Find::stream) hands them out one by one;
    /// [`first`](Find::first) takes one. Each batch takes one round trip: awaiting, of up to 16 MB
    /// each; a stream, of 101 documents and then of up to 16 MB.
    ///
    /// # Errors
    /// [`ErrorKind::Decode`](crate::ErrorKind::Decode) with the `_id` and path of the first
    /// document that does not fit the model; a stream gives it as one item and goes on.
    ///
    /// Source: [`find`](https://www.mongodb.com/docs/manual/reference/command/find/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String>, votes: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let p = Post::fields();
    /// let found = posts
    ///     .find(p.tags().contains("business"))
    ///     .sort(p.votes().desc())
    ///     .limit(10)
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn find(&self, filter: Filter<T>) -> Find<T> {
        Find {
            call: Call::new(self.target(), "find"),
            filter: filter.into_document(),
            options: FindOptions::default(),
            read: migrate::read,
            lookups: Lookups::default(),
            resolve: documents::resolve_documents,
            write_back: true,
            parallel_decode: None,
            marker: PhantomData,
        }
    }
}

/// Finds documents of model `M` and reads them as `T`; see [`Collection::find`].
#[must_use = "an action does nothing until it is awaited"]
pub struct Find<M, T = M> {
    pub(super) call: Call,
    filter: Result<BsonDocument>,
    options: FindOptions,
    read: ReadFn<T>,
    lookups: Lookups,
    resolve: documents::Resolve<T>,
    write_back: bool,
    parallel_decode: Option<usize>,
    marker: PhantomData<fn() -> M>,
}

impl<M: Document, T: Send + 'static> Find<M, T> {
    /// The order of the documents; without one, whatever order the server finds them in.
    pub fn sort(mut self, sort: Sort<M>) -> Self {
        match sort.into_document() {
            Ok(sort) => self.options.sort = Some(sort),
            Err(error) => self.filter = self.filter.and(Err(error)),
        }
        self
    }

    /// At most this many documents; 0 means no limit.
    pub fn limit(mut self, limit: u32) -> Self {
        self.options.limit = Some(limit.into());
        self
    }

    /// Leaves out this many documents first. The server walks over them: for pages, use
    /// [`page`](Find::page).
    pub fn skip(mut self, skip: u64) -> Self {
        self.options.skip = Some(skip);
        self
    }

    /// How many documents a batch holds at most. Unless set, as many as have 16 MB; of a stream, 101
    /// in the first.
    pub fn batch_size(mut self, batch_size: u32) -> Self {
        self.options.batch_size = Some(batch_size);
        self
    }

    /// Reads only the fields of a [`View`] of the model.
    ///
    /// A view is not a document: it cannot be written back. Without `_id` in the view, a find whose
    /// filter and view are in one index reads no document (a covered query); the version of a model
    /// that has one comes along, and so needs to be in that index too.
    ///
    /// # Errors
    /// [`ErrorKind::OlderVersion`](crate::ErrorKind::OlderVersion) for a document of an older schema
    /// version: a view reads the current one alone.
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a lookup of a reference
    /// that the view does not have, or of what refers back.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String, votes: i32 }
    /// #[derive(Debug, Deserialize, View)]
    /// #[odm(of = Post)]
    /// struct Title {
    ///     title: String,
    /// }
    ///
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let titles: Vec<Title> = posts.find(Filter::new()).project::<Title>().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Source: [covered query](https://www.mongodb.com/docs/manual/core/query-optimization/#covered-query).
    pub fn project<V: View<Of = M>>(mut self) -> Find<M, V> {
        match V::projection() {
            Ok(projection) => self.options.projection = Some(projection),
            Err(error) => self.filter = self.filter.and(Err(error)),
        }
        Find {
            call: self.call,
            filter: self.filter,
            options: self.options,
            read: view::read::<M, V>,
            lookups: self.lookups,
            resolve: documents::resolve_views,
            write_back: self.write_back,
            parallel_decode: self.parallel_decode,
            marker: PhantomData,
        }
    }

    /// Whether old documents that were upgraded are also stored at the current schema version,
    /// after the documents were read. `true` unless set.
    ///
    /// It takes one round trip, none where no document was old, and never fails the find; see
    /// [`Collection::write_backs`].
    pub fn write_back(mut self, write_back: bool) -> Self {
        self.write_back = write_back;
        self
    }

    /// Decodes by this many tasks at once, which are started for chunks of a batch; documents come in
    /// the order of the find all the same, and what cannot be decoded is an error in its place. 0 and
    /// 1 leave the decoding to the task that reads, as unless set.
    ///
    /// Worth it where decoding takes longer than the way of the batches: for scans of many documents,
    /// on a machine with cores to spare. A task decodes 128 kB of documents on a thread that the
    /// runtime has for blocking work. What was decoded ahead is held: 128 kB of documents for each
    /// task; and the batches that they are in, beside the two of every read: one of 16 MB, or one for
    /// each task where [`batch_size`](Find::batch_size) makes them smaller than that. Dropping the
    /// stream ends what has not begun.
    ///
    /// A find with lookups, and a page, decode by one task: they take this for nothing.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use futures::TryStreamExt;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i64 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let mut all = posts.find(Filter::new()).parallel_decode(4).stream().await?;
    /// let mut votes = 0;
    /// while let Some(post) = all.try_next().await? {
    ///     votes += post.votes;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn parallel_decode(mut self, tasks: usize) -> Self {
        self.parallel_decode = Some(tasks).filter(|&tasks| tasks > 1);
        self
    }

    option_setters!(
        session,
        with_deleted,
        read_concern,
        read_preference,
        max_time,
        hint,
        collation,
        comment,
        let_vars,
        allow_disk_use
    );

    /// Makes the find part of another action, which errors then name.
    pub(super) fn call(mut self, call: Call) -> Self {
        self.call = call;
        self
    }

    /// Hands the documents out one by one, as they arrive.
    ///
    /// A document that cannot be decoded is an item of its own, and the stream goes on. The next
    /// batch is fetched while one is read; two are held at most, with 16 MB each at most, and on a
    /// session one. With lookups, each batch is resolved before its documents are handed out: it is
    /// then held as documents.
    ///
    /// # Errors
    /// Those of the find itself; those of documents and later batches are items of the stream.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use futures::StreamExt;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let mut stream = posts.find(Filter::new()).stream().await?;
    /// while let Some(post) = stream.next().await {
    ///     println!("{}", post?.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stream(self) -> Result<DocumentStream<T>> {
        let watch = self.watch();
        Ok(self.open(documents::Extent::Batch).await?.watched(watch))
    }

    /// The first document, or `None`. One round trip, and those of lookups.
    ///
    /// # Errors
    /// As awaiting the find.
    pub async fn first(mut self) -> Result<Option<T>> {
        self.options.limit = Some(1);
        let watch = self.watch();
        let first = async move {
            let mut documents = self.open(documents::Extent::Whole).await?;
            let first = documents.try_next().await?;
            documents.finish().await;
            Ok(first)
        };
        watch.run(first).await
    }

    /// How many documents there are, within `skip` and `limit`. One round trip, and by batches one
    /// more for each [required](crate::relation::Lookup::required) lookup.
    ///
    /// # Errors
    /// As awaiting the find, but nothing is decoded.
    pub async fn count(self) -> Result<u64> {
        let limit = self.options.limit.and_then(|limit| u64::try_from(limit).ok());
        let limit = limit.filter(|&limit| limit > 0);
        let watch = self.watch();
        let way = self.way().map_err(|error| self.call.context(error))?;
        let filter = self.filter.map_err(|error| self.call.context(error))?;
        let (call, skip, mut lookups) = (self.call, self.options.skip, self.lookups);
        watch
            .run(async move {
                if !lookups.has_required() {
                    return call.count_documents(filter, limit, skip).await;
                }
                lookups.renumber();
                lookups.count(&call, way, filter, limit, skip).await
            })
            .await
    }

    /// How the server runs it: the indexes used, keys and documents examined. One round trip.
    ///
    /// Of a find with lookups, the part that is sent first; not part of a session's transaction.
    ///
    /// # Errors
    /// As awaiting the find, but nothing is decoded.
    pub async fn explain(mut self) -> Result<Explain> {
        let way = self.way().map_err(|error| self.call.context(error))?;
        let filter = self.filter.map_err(|error| self.call.context(error))?;
        let document = match way {
            Way::Join { .. } => {
                self.lookups.renumber();
                let pipeline = self.lookups.pipeline(filter, self.options);
                self.call.explain_aggregate(pipeline).await?
            }
            Way::Batches => self.call.explain_find(filter, self.options).await?,
        };
        Ok(Explain::new(document))
    }

    fn watch(&self) -> Watch {
        self.call.watch(self.filter.as_ref().ok())
    }
}

impl<M: Document> Find<M> {
    /// Reads documents that remember what is stored, so that a [`save`](Collection::save) sends what
    /// has changed since.
    ///
    /// Each keeps a copy of its stored bytes. Old documents are upgraded in memory: a save brings
    /// them up to the current schema version, in the same command as its changes.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// for mut post in posts.find(Post::fields().votes().lt(0)).tracked().await? {
    ///     post.votes = 0;
    ///     posts.save(&mut post).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn tracked(self) -> Find<M, Tracked<M>> {
        Find {
            call: self.call,
            filter: self.filter,
            options: self.options,
            read: tracked::read,
            lookups: self.lookups,
            resolve: documents::resolve_tracked,
            write_back: false,
            parallel_decode: self.parallel_decode,
            marker: PhantomData,
        }
    }
}

impl<M, T> fmt::Debug for Find<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Find")
            .field("call", &self.call)
            .field("filter", &self.filter)
            .field("options", &self.options)
            .field("lookups", &self.lookups)
            .finish_non_exhaustive()
    }
}

impl<M: Document, T: Send + 'static> IntoFuture for Find<M, T> {
    type Output = Result<Vec<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let watch = self.watch();
        watch.run(async move { self.open(documents::Extent::Whole).await?.collect().await })
    }
}
