//! The documents of a find: decoded from the batches, their references loaded, old ones written
//! back at the end.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bson::RawDocument;
use futures::future::BoxFuture;
use futures::{FutureExt, Stream, TryStreamExt};

use super::lookups::explain_size;
use super::parallel::Parallel;
use crate::driver::{Batches, Call, Watch};
use crate::error::{Error, Result};
use crate::migrate::{Collected, Read, ReadFn};
use crate::model::Document;
use crate::page::PageReader;
use crate::relation::{Joined, Node, OfViewMut, Parent, Targets, resolve};
use crate::tracked::Tracked;
use crate::view::View;

/// How many documents are resolved at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// All that are found.
    Whole,
    /// Those of one batch.
    Batch,
}

/// Loads the references of some documents.
pub(super) type Resolve<T> =
    for<'a> fn(&'a Call, &'a [Node], &'a mut [Result<T>], Targets<'a>) -> BoxFuture<'a, Result<()>>;

/// The lookups of a find.
pub(super) struct Relations<T> {
    pub(super) nodes: Vec<Node>,
    pub(super) resolve: Resolve<T>,
    pub(super) joins: bool,
    pub(super) extent: Extent,
}

/// Resolves whole documents.
pub(super) fn resolve_documents<'a, T: Document>(
    call: &'a Call,
    nodes: &'a [Node],
    documents: &'a mut [Result<T>],
    targets: Targets<'a>,
) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        let found = documents.iter_mut().flatten();
        let mut parents: Vec<_> = found.map(|document| Parent::new(document)).collect();
        resolve(call, nodes, &mut parents, targets).await?;
        let errors = parents.into_iter().map(|parent| parent.error).collect();
        fail(documents, errors);
        Ok(())
    })
}

/// Resolves tracked documents.
pub(super) fn resolve_tracked<'a, T: Document>(
    call: &'a Call,
    nodes: &'a [Node],
    documents: &'a mut [Result<Tracked<T>>],
    targets: Targets<'a>,
) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        let found = documents.iter_mut().flatten();
        let mut parents: Vec<_> = found.map(|tracked| Parent::new(tracked.loading())).collect();
        resolve(call, nodes, &mut parents, targets).await?;
        let errors = parents.into_iter().map(|parent| parent.error).collect();
        fail(documents, errors);
        Ok(())
    })
}

/// Resolves views.
pub(super) fn resolve_views<'a, V: View>(
    call: &'a Call,
    nodes: &'a [Node],
    views: &'a mut [Result<V>],
    targets: Targets<'a>,
) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        let mut found: Vec<_> = views.iter_mut().flatten().map(OfViewMut).collect();
        let mut parents: Vec<_> = found.iter_mut().map(|view| Parent::new(view)).collect();
        resolve(call, nodes, &mut parents, targets).await?;
        let errors = parents.into_iter().map(|parent| parent.error).collect();
        fail(views, errors);
        Ok(())
    })
}

/// Puts the errors of what was looked up in place of the documents that they are about.
fn fail<T>(documents: &mut [Result<T>], errors: Vec<Option<Error>>) {
    let read = documents.iter_mut().filter(|document| document.is_ok());
    for (document, error) in read.zip(errors) {
        if let Some(error) = error {
            *document = Err(error);
        }
    }
}

/// What an aggregation yields has no lookups.
fn resolve_none<'a, T>(
    _: &'a Call,
    _: &'a [Node],
    _: &'a mut [Result<T>],
    _: Targets<'a>,
) -> BoxFuture<'a, Result<()>> {
    Box::pin(std::future::ready(Ok(())))
}

/// The documents of a find, one by one; see [`Find::stream`](super::Find::stream).
///
/// Dropping it ends the server's cursor; old documents read so far are then not written back.
#[must_use = "a stream does nothing until it is polled"]
pub struct DocumentStream<T> {
    state: State<T>,
    watched: Option<Watched>,
}

/// The watch over a stream, and how many documents it has handed out.
struct Watched {
    watch: Watch,
    documents: u64,
}

/// A stream has ended when it is dropped.
impl Drop for Watched {
    fn drop(&mut self) {
        self.watch.finish(self.documents);
    }
}

/// Documents whose references were loaded, to be handed out.
type Resolved<T> = VecDeque<Result<T>>;

enum State<T> {
    /// Documents are decoded as they are asked for.
    Reading(Box<Reading<T>>),
    /// Documents are read and resolved together.
    Resolving(BoxFuture<'static, (Box<Reading<T>>, Resolved<T>)>),
    Resolved(Box<Reading<T>>, Resolved<T>),
    WritingBack(BoxFuture<'static, ()>),
    Ended,
}

struct Reading<T> {
    batches: Batches,
    read: ReadFn<T>,
    relations: Relations<T>,
    write_back: bool,
    upgraded: Collected,
    page: Option<PageReader>,
    parallel: Option<Parallel<T>>,
}

impl<T> DocumentStream<T> {
    pub(super) fn new(
        batches: Batches,
        read: ReadFn<T>,
        relations: Relations<T>,
        write_back: bool,
    ) -> Self {
        let write_back = write_back && batches.call().can_write_back();
        let upgraded = Collected::default();
        let (page, parallel) = (None, None);
        let reading =
            Box::new(Reading { batches, read, relations, write_back, upgraded, page, parallel });
        let state = match reading.relations.nodes.is_empty() {
            true => State::Reading(reading),
            false => State::Resolved(reading, VecDeque::new()),
        };
        Self { state, watched: None }
    }

    /// The stream, watched until it is dropped.
    pub(in crate::action) fn watched(mut self, watch: Watch) -> Self {
        self.watched = Some(Watched { watch, documents: 0 });
        self
    }

    /// The documents that an aggregation yields: without lookups, and never written back.
    pub(in crate::action) fn of_rows(batches: Batches, read: ReadFn<T>) -> Self {
        let (nodes, extent) = (Vec::new(), Extent::Batch);
        let relations = Relations { nodes, resolve: resolve_none, joins: false, extent };
        Self::new(batches, read, relations, false)
    }
}

impl<T> Reading<T> {
    /// Keeps what an old document's upgrade asks for, and gives its value.
    fn keep(&mut self, read: Read<T>) -> T {
        if self.write_back {
            self.upgraded.add(read.write_back);
        }
        read.value
    }

    /// The next document of the batch at hand.
    fn buffered(&mut self) -> Option<Result<T>> {
        let read = self.read;
        let document = self.batches.buffered()?.and_then(read);
        Some(match document {
            Ok(document) => Ok(self.keep(document)),
            Err(error) => Err(self.batches.call().context(error)),
        })
    }

    /// The next document, decoded by whichever task.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>>
    where
        T: Send + 'static,
    {
        if let Some(parallel) = &mut self.parallel {
            let next = ready!(parallel.poll_next(&mut self.batches, self.read, cx));
            return Poll::Ready(next.map(|document| document.map(|read| self.keep(read))));
        }
        loop {
            if let Some(document) = self.buffered() {
                return Poll::Ready(Some(document));
            }
            match ready!(self.batches.poll_fetch(cx)) {
                Some(Ok(())) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }

    /// Reads and resolves what is resolved at once; nothing at the end.
    async fn resolved(mut self: Box<Self>) -> (Box<Self>, Resolved<T>) {
        let mut documents = Vec::new();
        let mut joined = Joined::new(self.write_back);
        loop {
            match std::future::poll_fn(|cx| self.batches.poll_fetch(cx)).await {
                None => break,
                Some(Err(error)) if self.relations.joins => {
                    documents.push(Err(explain_size(error)));
                }
                Some(Err(error)) => documents.push(Err(error)),
                Some(Ok(())) => self.read_batch(&mut joined, &mut documents),
            }
            if self.relations.extent == Extent::Batch && !documents.is_empty() {
                break;
            }
        }
        if documents.is_empty() {
            return (self, VecDeque::new());
        }
        let call = self.batches.call();
        let nodes = &self.relations.nodes;
        let targets = match self.relations.joins {
            true => Targets::Joined(&mut joined),
            false => Targets::Batches { write_back: self.write_back },
        };
        if let Err(error) = (self.relations.resolve)(call, nodes, &mut documents, targets).await {
            documents.insert(0, Err(call.context(error)));
        }
        (self, documents.into())
    }

    fn read_batch(&mut self, joined: &mut Joined, documents: &mut Vec<Result<T>>) {
        let read = self.read;
        while let Some(row) = self.batches.buffered() {
            if self.page.as_mut().is_some_and(|page| !page.takes_another()) {
                continue;
            }
            let page = &mut self.page;
            let mut read = |raw: &RawDocument| match page {
                Some(page) => page.read(read, raw),
                None => read(raw),
            };
            let document = row.and_then(|row| match self.relations.joins {
                true => {
                    let document = joined.take_row(&self.relations.nodes, row)?;
                    let document = read(&document)?;
                    if document.write_back.is_some() {
                        joined.parent_upgraded();
                    }
                    Ok(document)
                }
                false => read(row),
            });
            documents.push(match document {
                Ok(document) => Ok(self.keep(document)),
                Err(error) => Err(self.batches.call().context(error)),
            });
        }
    }

    /// Sends the write-backs, if there are any.
    fn finish(mut self: Box<Self>) -> Option<BoxFuture<'static, ()>>
    where
        T: Send + 'static,
    {
        if self.upgraded.is_empty() {
            return None;
        }
        Some(Box::pin(async move {
            let call = self.batches.call().clone();
            call.send_write_backs(&mut self.upgraded).await;
        }))
    }
}

// Documents are moved out, never pinned.
impl<T> Unpin for DocumentStream<T> {}

impl<T: Send + 'static> Stream for DocumentStream<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.poll_document(cx));
        if let (Some(Ok(_)), Some(watched)) = (&next, &mut self.watched) {
            watched.documents += 1;
        }
        Poll::Ready(next)
    }
}

impl<T: Send + 'static> DocumentStream<T> {
    fn poll_document(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        loop {
            match &mut self.state {
                State::Reading(reading) => match ready!(reading.poll_next(cx)) {
                    Some(document) => return Poll::Ready(Some(document)),
                    None => self.end(),
                },
                State::Resolved(_, documents) => {
                    if let Some(document) = documents.pop_front() {
                        return Poll::Ready(Some(document));
                    }
                    if let State::Resolved(reading, _) =
                        std::mem::replace(&mut self.state, State::Ended)
                    {
                        self.state = State::Resolving(Box::pin(reading.resolved()));
                    }
                }
                State::Resolving(resolving) => {
                    let (reading, documents) = ready!(resolving.poll_unpin(cx));
                    let is_end = documents.is_empty();
                    self.state = State::Resolved(reading, documents);
                    if is_end {
                        self.end();
                    }
                }
                State::WritingBack(writing) => {
                    ready!(writing.poll_unpin(cx));
                    self.state = State::Ended;
                }
                State::Ended => return Poll::Ready(None),
            }
        }
    }

    /// Has the documents decoded by this many tasks, where there are no lookups.
    pub(super) fn parallel(mut self, tasks: Option<usize>) -> Self {
        if let (State::Reading(reading), Some(tasks)) = (&mut self.state, tasks) {
            reading.parallel = Some(Parallel::new(tasks));
        }
        self
    }

    /// All documents, or the first error. What was upgraded until then is written back.
    pub(in crate::action) async fn collect(mut self) -> Result<Vec<T>> {
        let mut documents = Vec::new();
        loop {
            match self.try_next().await {
                Ok(Some(document)) => documents.push(document),
                Ok(None) => return Ok(documents),
                Err(error) => {
                    self.finish().await;
                    return Err(error);
                }
            }
        }
    }

    /// The documents of a page, or the first error. What was upgraded is written back.
    pub(super) async fn collect_page(mut self, page: PageReader) -> Result<(Vec<T>, PageReader)> {
        let (State::Reading(mut reading) | State::Resolved(mut reading, _)) =
            std::mem::replace(&mut self.state, State::Ended)
        else {
            return Ok((Vec::new(), page));
        };
        reading.page = Some(page);
        let (mut reading, documents) = reading.resolved().await;
        let page = reading.page.take();
        if let Some(writing) = reading.finish() {
            writing.await;
        }
        let documents = documents.into_iter().collect::<Result<_>>()?;
        let page = page.ok_or_else(|| Error::invalid("the page was not read"))?;
        Ok((documents, page))
    }

    /// Reads no further, and sends the write-backs.
    pub(super) async fn finish(&mut self) {
        self.end();
        if let State::WritingBack(writing) = &mut self.state {
            writing.await;
            self.state = State::Ended;
        }
    }

    /// All documents were read: what is left are the write-backs.
    fn end(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Ended);
        if let State::Reading(reading) | State::Resolved(reading, _) = state
            && let Some(writing) = reading.finish()
        {
            self.state = State::WritingBack(writing);
        }
    }
}

impl<T> fmt::Debug for DocumentStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DocumentStream")
    }
}
