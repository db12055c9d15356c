//! Reading results: the server's batches as they come, document by document.
//!
//! A result of several batches is fetched by a task, so that the next batch travels while this one
//! is decoded. At most two are held: the one being read and the one that waits.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, ready};

use bson::RawDocument;
use futures::{FutureExt, StreamExt};
use mongodb::raw_batch_cursor::{RawBatch, RawBatchCursor, SessionRawBatchCursor};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{Call, Session};
use crate::error::Result;

mod position;

pub(crate) use position::Position;

/// The results of a find or aggregation: each batch stays in the buffer that it was received in,
/// and documents are borrowed from there.
pub(crate) struct Batches {
    source: Source,
    call: Call,
    batch: Option<Position>,
    /// A batch that has come and waits for the next one to be asked for.
    arrived: Option<Position>,
}

enum Source {
    /// Before the first batch.
    Opened(Box<RawBatchCursor>),
    /// The batches after the first, from the task that fetches them.
    Fetched(mpsc::Receiver<Fetched>),
    /// Work on a session takes turns: a batch is fetched when it is asked for.
    OnSession(Box<SessionRawBatchCursor>, Session),
    /// A task has the turn, so that it ends also when nobody polls the stream any more.
    Fetching(JoinHandle<(Box<SessionRawBatchCursor>, Session, Option<Fetched>)>),
    Ended,
}

type Fetched = mongodb::error::Result<RawBatch>;

impl Batches {
    pub(super) fn new(cursor: RawBatchCursor, call: Call) -> Self {
        Self { source: Source::Opened(Box::new(cursor)), call, batch: None, arrived: None }
    }

    pub(super) fn on_session(cursor: SessionRawBatchCursor, session: Session, call: Call) -> Self {
        Self {
            source: Source::OnSession(Box::new(cursor), session),
            call,
            batch: None,
            arrived: None,
        }
    }

    pub(crate) fn call(&self) -> &Call {
        &self.call
    }

    /// The next document of the batch at hand; `None` when it has been read.
    ///
    /// The error of a malformed batch ends it.
    pub(crate) fn buffered(&mut self) -> Option<Result<&RawDocument>> {
        // Asked twice, since a borrow of the batch could not be given up again.
        if self.batch.as_ref()?.is_read() {
            self.batch = None;
        }
        self.batch.as_mut()?.next()
    }

    /// Takes documents of the batch at hand, to be read elsewhere: about so many bytes, one document
    /// at least. `None` when all have been taken.
    pub(crate) fn take(&mut self, size: usize) -> Option<Position> {
        let batch = self.batch.as_mut().filter(|batch| !batch.is_read());
        let taken = batch.map(|batch| batch.take(size));
        if self.batch.as_ref().is_some_and(Position::is_read) {
            self.batch = None;
        }
        taken
    }

    /// Fetches the next batch; `None` at the end of the results.
    pub(crate) fn poll_fetch(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<()>>> {
        if let Some(position) = self.arrived.take() {
            self.batch = Some(position);
            return Poll::Ready(Some(Ok(())));
        }
        match ready!(self.source.poll_next(cx)) {
            Some(Ok(batch)) => {
                let ahead = self.source.fetch_ahead(&batch);
                match Position::start(batch) {
                    Ok(position) if ahead => {
                        // The task that asks for the next batch was woken on this thread. It gets
                        // its turn before this batch keeps the thread busy.
                        self.arrived = Some(position);
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    Ok(position) => self.batch = Some(position),
                    Err(error) => return Poll::Ready(Some(Err(self.call.context(error)))),
                }
                Poll::Ready(Some(Ok(())))
            }
            Some(Err(error)) => {
                self.source = Source::Ended;
                Poll::Ready(Some(Err(self.call.cursor_error(error))))
            }
            None => Poll::Ready(None),
        }
    }

    /// Hands the next document to `read`, fetching a batch where the last one has been read.
    /// `None` at the end.
    ///
    /// An error of `read` concerns that document alone: the next call goes on with the one after.
    pub(crate) async fn next<T>(
        &mut self,
        read: impl FnOnce(&RawDocument) -> Result<T>,
    ) -> Option<Result<T>> {
        loop {
            if let Some(batch) = self.batch.as_mut()
                && let Some(document) = batch.next()
            {
                return Some(document.and_then(read).map_err(|error| self.call.context(error)));
            }
            self.batch = None;
            if let Err(error) = poll_fn(|cx| self.poll_fetch(cx)).await? {
                return Some(Err(error));
            }
        }
    }
}

impl Source {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Fetched>> {
        loop {
            match self {
                Self::Opened(cursor) => return cursor.poll_next_unpin(cx),
                Self::Fetched(batches) => return batches.poll_recv(cx),
                Self::Fetching(fetch) => {
                    let fetched = ready!(fetch.poll_unpin(cx));
                    *self = Self::Ended;
                    // The task ends early only with its runtime.
                    let Ok((cursor, session, fetched)) = fetched else { continue };
                    *self = Self::OnSession(cursor, session);
                    return Poll::Ready(fetched);
                }
                Self::OnSession(..) => {
                    if let Self::OnSession(mut cursor, session) =
                        std::mem::replace(self, Self::Ended)
                    {
                        *self = Self::Fetching(tokio::spawn(async move {
                            let fetched = match session.turn().await {
                                Ok(mut turn) => cursor.stream(&mut turn).next().await,
                                Err(error) => Some(Err(mongodb::error::Error::custom(error))),
                            };
                            (cursor, session, fetched)
                        }));
                    }
                }
                Self::Ended => return Poll::Ready(None),
            }
        }
    }

    /// After the first batch: starts the task that fetches the others, if there are any. Whether
    /// such a task is at work.
    fn fetch_ahead(&mut self, batch: &RawBatch) -> bool {
        match std::mem::replace(self, Self::Ended) {
            Self::Opened(cursor) if has_more(batch) => {
                let (sender, receiver) = mpsc::channel(1);
                tokio::spawn(fetch_all(cursor, sender));
                *self = Self::Fetched(receiver);
            }
            Self::Opened(_) => {}
            source => *self = source,
        }
        matches!(self, Self::Fetched(_))
    }
}

/// Fetches a batch whenever there is room for one. When nobody reads any more, the cursor is
/// dropped, and the driver ends it on the server.
async fn fetch_all(cursor: Box<RawBatchCursor>, batches: mpsc::Sender<Fetched>) {
    let mut cursor = pin!(cursor);
    while let Ok(room) = batches.reserve().await {
        let Some(fetched) = cursor.next().await else { return };
        let failed = fetched.is_err();
        room.send(fetched);
        if failed {
            return;
        }
    }
}

/// Whether the server has kept the cursor.
fn has_more(batch: &RawBatch) -> bool {
    let reply = batch.as_raw_document();
    reply.get_document("cursor").and_then(|cursor| cursor.get_i64("id")).is_ok_and(|id| id != 0)
}
