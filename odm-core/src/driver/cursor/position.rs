//! A batch in the buffer that it was received in, and how far it has been read.

use std::sync::Arc;

use bson::RawDocument;
use mongodb::raw_batch_cursor::RawBatch;

use crate::error::{Error, ErrorKind, Result};

/// The documents of a batch that were not read yet: positions in the bytes of the server's reply.
pub(crate) struct Position {
    batch: Arc<RawBatch>,
    /// Where the next document's element begins.
    at: usize,
    /// Where the last one ends.
    end: usize,
}

impl Position {
    pub(super) fn start(batch: RawBatch) -> Result<Self> {
        /// The elements of an array follow its length, and a null byte follows them.
        const LENGTH: usize = 4;
        const END: usize = 1;
        let reply = batch.as_raw_document().as_bytes().as_ptr() as usize;
        let array = batch.doc_slices().map_err(|error| malformed().with_source(error))?;
        let start = array.as_bytes().as_ptr() as usize - reply;
        let end = start + array.as_bytes().len() - END;
        Ok(Self { at: start + LENGTH, end, batch: Arc::new(batch) })
    }

    pub(super) fn is_read(&self) -> bool {
        self.at >= self.end
    }

    /// The next document. What follows a malformed one cannot be told from it, and is passed over.
    pub(crate) fn next(&mut self) -> Option<Result<&RawDocument>> {
        if self.is_read() {
            return None;
        }
        let bytes = self.batch.as_raw_document().as_bytes();
        Some(match document_at(bytes, self.at, self.end) {
            Some((document, end)) => {
                self.at = end;
                Ok(document)
            }
            None => {
                self.at = self.end;
                Err(malformed())
            }
        })
    }

    /// Takes the next documents away: as many as have this size, one at least. They keep the whole
    /// batch in memory.
    pub(super) fn take(&mut self, size: usize) -> Self {
        let start = self.at;
        let mut end = start;
        while end - start < size && end < self.end {
            let bytes = self.batch.as_raw_document().as_bytes();
            end = document_at(bytes, end, self.end).map_or(self.end, |(_, end)| end);
        }
        self.at = end;
        Self { batch: self.batch.clone(), at: start, end }
    }
}

/// The element of an array of documents that begins at `at`: type, name, document. With where it
/// ends.
fn document_at(bytes: &[u8], at: usize, end: usize) -> Option<(&RawDocument, usize)> {
    const DOCUMENT: u8 = 0x03;
    let elements = bytes.get(..end)?;
    if *elements.get(at)? != DOCUMENT {
        return None;
    }
    let name = elements.get(at + 1..)?.iter().position(|&byte| byte == 0)?;
    let start = at + 1 + name + 1;
    let length: [u8; 4] = elements.get(start..start + 4)?.try_into().ok()?;
    let end = start.checked_add(usize::try_from(i32::from_le_bytes(length)).ok()?)?;
    Some((RawDocument::from_bytes(elements.get(start..end)?).ok()?, end))
}

fn malformed() -> Error {
    Error::new(ErrorKind::Decode, "the server sent a malformed batch")
}
