//! Decoding by several tasks at once: in come batches, out go documents in the order of the batches.

use std::collections::VecDeque;
use std::task::{Context, Poll, ready};
use std::vec;

use futures::FutureExt;
use tokio::task::JoinHandle;

use crate::driver::{Batches, Position};
use crate::error::{Error, Result};
use crate::migrate::{Read, ReadFn};

/// The bytes that a task decodes: so many that starting it does not count, and so few that what
/// waits to be handed out stays small.
const CHUNK: usize = 128 * 1024;

/// The tasks of a stream. A chunk of a batch is decoded by one of them, and handed out when those
/// before it have been.
pub(super) struct Parallel<T> {
    most: usize,
    chunks: VecDeque<Chunk<T>>,
    documents: vec::IntoIter<Result<Read<T>>>,
    /// No batch follows.
    is_end: bool,
}

enum Chunk<T> {
    Decoding(JoinHandle<Vec<Result<Read<T>>>>),
    /// The batch that belongs here did not come.
    Failed(Error),
}

impl<T: Send + 'static> Parallel<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { most, chunks: VecDeque::new(), documents: Vec::new().into_iter(), is_end: false }
    }

    /// The next document; `None` at the end.
    pub(super) fn poll_next(
        &mut self,
        batches: &mut Batches,
        read: ReadFn<T>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Read<T>>>> {
        loop {
            if let Some(document) = self.documents.next() {
                let context = |error| batches.call().context(error);
                return Poll::Ready(Some(document.map_err(context)));
            }
            self.start(batches, read, cx);
            match self.chunks.front_mut() {
                // Without chunks, the batch that is awaited wakes the stream.
                None if self.is_end => return Poll::Ready(None),
                None => return Poll::Pending,
                Some(Chunk::Decoding(task)) => {
                    let documents = ready!(task.poll_unpin(cx)).map_err(not_decoded)?;
                    self.documents = documents.into_iter();
                    self.chunks.pop_front();
                }
                Some(Chunk::Failed(_)) => {
                    if let Some(Chunk::Failed(error)) = self.chunks.pop_front() {
                        return Poll::Ready(Some(Err(error)));
                    }
                }
            }
        }
    }

    /// Starts as many tasks as there may be.
    fn start(&mut self, batches: &mut Batches, read: ReadFn<T>, cx: &mut Context<'_>) {
        while self.chunks.len() < self.most {
            if let Some(chunk) = batches.take(CHUNK) {
                let task = tokio::task::spawn_blocking(move || decode(chunk, read));
                self.chunks.push_back(Chunk::Decoding(task));
                continue;
            }
            match batches.poll_fetch(cx) {
                Poll::Ready(Some(Ok(()))) => {}
                Poll::Ready(Some(Err(error))) => self.chunks.push_back(Chunk::Failed(error)),
                Poll::Ready(None) => {
                    self.is_end = true;
                    return;
                }
                Poll::Pending => return,
            }
        }
    }
}

fn decode<T>(mut chunk: Position, read: ReadFn<T>) -> Vec<Result<Read<T>>> {
    let mut documents = Vec::new();
    while let Some(document) = chunk.next() {
        documents.push(document.and_then(read));
    }
    documents
}

/// A panic in a step of the model's own goes on where it would without tasks.
fn not_decoded(error: tokio::task::JoinError) -> Error {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(cancelled) => Error::invalid("the runtime was shut down").with_source(cancelled),
    }
}

/// What has not begun is not decoded any more.
impl<T> Drop for Parallel<T> {
    fn drop(&mut self) {
        for chunk in &self.chunks {
            if let Chunk::Decoding(task) = chunk {
                task.abort();
            }
        }
    }
}
