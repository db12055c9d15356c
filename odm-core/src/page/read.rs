//! Reading the documents of a page: their keys are kept, and what goes beyond the page is not read.

use bson::{Bson, RawDocument, RawDocumentBuf};

use super::key::value_at;
use super::{Order, PageToken};
use crate::error::{Error, ErrorKind, Result};
use crate::migrate::{Read, ReadFn, WriteBack};

/// What is known of a page while its documents are read.
pub(crate) struct PageReader {
    order: Order,
    size: usize,
    /// The names that the projection has only for the keys.
    hidden: Vec<String>,
    read: usize,
    first: Vec<Bson>,
    last: Vec<Bson>,
    more: bool,
}

impl PageReader {
    pub(crate) fn new(order: Order, size: usize, hidden: Vec<String>) -> Self {
        Self { order, size, hidden, read: 0, first: Vec::new(), last: Vec::new(), more: false }
    }

    /// Whether another document belongs to the page; else it shows that there are more.
    pub(crate) fn takes_another(&mut self) -> bool {
        self.more |= self.read == self.size;
        !self.more
    }

    /// Reads a document and keeps its keys.
    pub(crate) fn read<T>(&mut self, read: ReadFn<T>, raw: &RawDocument) -> Result<Read<T>> {
        self.read += 1;
        let keys: Result<Vec<_>> =
            self.order.keys.iter().map(|key| value_at(raw, &key.path)).collect();
        let keys = keys.map_err(|error| with_id(error, raw))?;
        if self.read == 1 {
            self.first.clone_from(&keys);
        }
        self.last = keys;
        let mut document = match self.hidden.is_empty() {
            true => read(raw)?,
            false => read(&self.without_hidden(raw)?)?,
        };
        // Else the library itself would move the document to another place, and into a later page.
        if document.write_back.as_ref().is_some_and(|write_back| self.is_moved_by(write_back)) {
            document.write_back = None;
        }
        Ok(document)
    }

    fn without_hidden(&self, raw: &RawDocument) -> Result<RawDocumentBuf> {
        let mut shown = RawDocumentBuf::new();
        for element in raw.iter() {
            let (name, value) = element.map_err(|error| {
                Error::new(ErrorKind::Decode, "a malformed document").with_source(error)
            })?;
            if !self.hidden.iter().any(|hidden| hidden == name.as_str()) {
                shown.append(name, value);
            }
        }
        Ok(shown)
    }

    fn is_moved_by(&self, write_back: &WriteBack) -> bool {
        let tops = self.order.keys.iter().map(|key| key.path.split('.').next().unwrap_or_default());
        tops.into_iter().any(|name| write_back.changes(name))
    }

    /// Whether the find gave more documents than the page takes.
    pub(crate) fn has_more(&self) -> bool {
        self.more
    }

    /// The place of the first document that was found; `None` of a page without documents.
    pub(crate) fn first(&self) -> Result<Option<PageToken>> {
        self.token(&self.first)
    }

    /// The place of the last document that was found.
    pub(crate) fn last(&self) -> Result<Option<PageToken>> {
        self.token(&self.last)
    }

    fn token(&self, keys: &[Bson]) -> Result<Option<PageToken>> {
        (self.read > 0).then(|| self.order.token(keys.to_vec())).transpose()
    }
}

fn with_id(error: Error, raw: &RawDocument) -> Error {
    error.with_id(raw.get("_id").ok().flatten().and_then(crate::codec::shallow))
}
