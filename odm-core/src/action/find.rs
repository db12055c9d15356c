//! `find`.

use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use bson::{Document as BsonDocument, RawDocument};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, stream};

use crate::collection::Collection;
use crate::driver::{Batches, Call, FindOptions};
use crate::error::Result;
use crate::filter::Filter;
use crate::model::{Document, Embedded};
use crate::project;
use crate::sort::Sort;

impl<T: Document> Collection<T> {
    /// Finds the documents that match.
    ///
    /// Awaiting collects them into a `Vec`; [`stream`](Find::stream) hands them out one by one;
    /// [`first`](Find::first) takes one. The first batch of 101 documents takes one round trip,
    /// each following batch of up to 16 MB one more.
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
            read: T::decode,
            marker: PhantomData,
        }
    }
}

/// Finds documents of model `M` and reads them as `T`; see [`Collection::find`].
#[must_use = "an action does nothing until it is awaited"]
pub struct Find<M, T = M> {
    call: Call,
    filter: Result<BsonDocument>,
    options: FindOptions,
    read: fn(&RawDocument) -> Result<T>,
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

    /// Leaves out this many documents first. The server walks over them: for pages deep in a
    /// collection, filter by the last key seen instead.
    pub fn skip(mut self, skip: u64) -> Self {
        self.options.skip = Some(skip);
        self
    }

    /// How many documents a batch holds at most; 101 in the first and 16 MB in the others unless
    /// set.
    pub fn batch_size(mut self, batch_size: u32) -> Self {
        self.options.batch_size = Some(batch_size);
        self
    }

    /// Reads only the fields of `V`, as a `V`.
    ///
    /// `V` names a part of the model's fields. It is not a document: it cannot be written back.
    ///
    /// # Errors
    /// Awaiting gives [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the
    /// model has no field that `V` has.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String, votes: i32 }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct Title {
    ///     title: String,
    /// }
    ///
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let titles: Vec<Title> = posts.find(Filter::new()).project::<Title>().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn project<V: Embedded>(mut self) -> Find<M, V> {
        match project::plan_projection(V::SHAPE, M::MODEL) {
            Ok(projection) => self.options.projection = Some(projection),
            Err(error) => self.filter = self.filter.and(Err(error)),
        }
        Find {
            call: self.call,
            filter: self.filter,
            options: self.options,
            read: project::decode::<V>,
            marker: PhantomData,
        }
    }

    session_setter!();

    /// Makes the find part of another action, which errors then name.
    pub(super) fn call(mut self, call: Call) -> Self {
        self.call = call;
        self
    }

    /// Hands the documents out one by one, as they arrive.
    ///
    /// A document that cannot be decoded is an item of its own, and the stream goes on.
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
        let read = self.read;
        let batches = self.open().await?;
        let documents = stream::unfold(batches, move |mut batches| async move {
            let document = batches.next(read).await?;
            Some((document, batches))
        });
        Ok(DocumentStream { documents: documents.boxed() })
    }

    /// The first document, or `None`. One round trip.
    ///
    /// # Errors
    /// As awaiting the find.
    pub async fn first(mut self) -> Result<Option<T>> {
        self.options.limit = Some(1);
        let read = self.read;
        self.open().await?.next(read).await.transpose()
    }

    /// How many documents there are, within `skip` and `limit`. One round trip.
    ///
    /// # Errors
    /// As awaiting the find, but nothing is decoded.
    pub async fn count(self) -> Result<u64> {
        let limit = self.options.limit.and_then(|limit| u64::try_from(limit).ok());
        let limit = limit.filter(|&limit| limit > 0);
        let filter = self.filter.map_err(|error| self.call.context(error))?;
        self.call.count_documents(filter, limit, self.options.skip).await
    }

    async fn open(self) -> Result<Batches> {
        let filter = self.filter.map_err(|error| self.call.context(error))?;
        self.call.find(filter, self.options).await
    }
}

impl<M, T> fmt::Debug for Find<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Find")
            .field("call", &self.call)
            .field("filter", &self.filter)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<M: Document, T: Send + 'static> IntoFuture for Find<M, T> {
    type Output = Result<Vec<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let read = self.read;
            let mut batches = self.open().await?;
            let mut documents = Vec::new();
            while let Some(document) = batches.next(read).await {
                documents.push(document?);
            }
            Ok(documents)
        })
    }
}

/// The documents of a find, one by one; see [`Find::stream`].
///
/// Dropping it ends the server's cursor.
#[must_use = "a stream does nothing until it is polled"]
pub struct DocumentStream<T> {
    documents: BoxStream<'static, Result<T>>,
}

impl<T> fmt::Debug for DocumentStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DocumentStream")
    }
}

impl<T> Stream for DocumentStream<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.documents.poll_next_unpin(cx)
    }
}
