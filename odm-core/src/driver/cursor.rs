//! Reading results: the server's batches as they come, document by document.

use bson::RawDocument;
use futures::StreamExt;
use mongodb::raw_batch_cursor::{RawBatch, RawBatchCursor, SessionRawBatchCursor};

use super::{Call, Session};
use crate::error::{Error, ErrorKind, Result};

/// The results of a find: each batch stays in the buffer that it was received in, and documents
/// are borrowed from there.
pub(crate) struct Batches {
    cursor: Cursor,
    call: Call,
    batch: Option<Position>,
}

enum Cursor {
    Plain(Box<RawBatchCursor>),
    OnSession(Box<SessionRawBatchCursor>, Session),
}

/// A batch, and how far it has been read.
struct Position {
    batch: RawBatch,
    /// Where the next element of the batch's array begins.
    at: usize,
}

impl Batches {
    pub(super) fn new(cursor: RawBatchCursor, call: Call) -> Self {
        Self { cursor: Cursor::Plain(Box::new(cursor)), call, batch: None }
    }

    pub(super) fn on_session(cursor: SessionRawBatchCursor, session: Session, call: Call) -> Self {
        Self { cursor: Cursor::OnSession(Box::new(cursor), session), call, batch: None }
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
            if let Some(position) = &mut self.batch {
                match position.next() {
                    Some(Ok(document)) => {
                        return Some(read(document).map_err(|error| self.call.context(error)));
                    }
                    Some(Err(error)) => {
                        self.batch = None;
                        return Some(Err(self.call.context(error)));
                    }
                    None => self.batch = None,
                }
            }
            match self.next_batch().await? {
                Ok(batch) => self.batch = Some(Position::start(batch)),
                Err(error) => return Some(Err(self.call.cursor_error(error))),
            }
        }
    }

    async fn next_batch(&mut self) -> Option<mongodb::error::Result<RawBatch>> {
        match &mut self.cursor {
            Cursor::Plain(cursor) => cursor.next().await,
            Cursor::OnSession(cursor, session) => {
                cursor.stream(&mut *session.lock().await).next().await
            }
        }
    }
}

/// The elements of an array follow its length.
const ARRAY_START: usize = 4;

impl Position {
    fn start(batch: RawBatch) -> Self {
        Self { batch, at: ARRAY_START }
    }

    /// The next document of the batch.
    fn next(&mut self) -> Option<Result<&RawDocument>> {
        let array = match self.batch.doc_slices() {
            Ok(array) => array.as_bytes(),
            Err(error) => return Some(Err(malformed().with_source(error))),
        };
        match element(array, self.at) {
            Element::Document(document, end) => {
                self.at = end;
                Some(Ok(document))
            }
            Element::End => None,
            Element::Malformed => Some(Err(malformed())),
        }
    }
}

enum Element<'a> {
    Document(&'a RawDocument, usize),
    End,
    Malformed,
}

/// The element of an array of documents that begins at `at`: type, name, document.
fn element(array: &[u8], at: usize) -> Element<'_> {
    const DOCUMENT: u8 = 0x03;
    let read = || {
        let name = array.get(at + 1..)?.iter().position(|&byte| byte == 0)?;
        let start = at + 1 + name + 1;
        let length: [u8; 4] = array.get(start..start + 4)?.try_into().ok()?;
        let end = start.checked_add(usize::try_from(i32::from_le_bytes(length)).ok()?)?;
        let document = RawDocument::from_bytes(array.get(start..end)?).ok()?;
        Some(Element::Document(document, end))
    };
    match array.get(at) {
        Some(&DOCUMENT) => read().unwrap_or(Element::Malformed),
        Some(0) if at + 1 == array.len() => Element::End,
        _ => Element::Malformed,
    }
}

fn malformed() -> Error {
    Error::new(ErrorKind::Decode, "the server sent a malformed batch")
}
