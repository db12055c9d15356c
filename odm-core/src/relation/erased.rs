//! Documents and references without their types: placement is compiled once.

use std::any::Any;
use std::sync::Arc;

use bson::{Bson, RawDocumentBuf};

use crate::error::{Error, Result};
use crate::model::{Document, Model};
use crate::path::FieldType;
use crate::view::View;

/// A loaded document, shared by every reference to it.
pub type Shared = Arc<dyn Any + Send + Sync>;

/// What a walk over references calls for each.
pub type Visit<'a> = &'a mut dyn FnMut(&mut dyn Slot);

/// The collection that a reference names itself, and its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// The database; that of the handle if there is none.
    pub database: Option<String>,
    /// The collection.
    pub collection: String,
}

/// A place for documents, as placement sees it: a reference, or the documents that refer back.
pub trait Slot {
    /// The model that is referred to.
    fn target(&self) -> &'static Model;

    /// What the reference holds, as it is stored; `None` for what refers back.
    ///
    /// # Errors
    /// The key has no BSON form.
    fn key(&self) -> Result<Option<Bson>>;

    /// Where the target is, if not where its model says.
    fn namespace(&self) -> Option<Namespace> {
        None
    }

    /// Puts in what was found, and the errors of what was found and could not be read. A reference
    /// without either is missing.
    fn fill(&mut self, found: &[Shared], failed: &[Error]);

    /// Puts in how many there are.
    fn fill_count(&mut self, _count: u64) {}
}

/// A document or view whose references can be visited.
pub(crate) trait Visited: Send + Sync {
    /// Hands each slot at a path, in stored names, to `visit`.
    fn visit(&mut self, path: &[&str], visit: Visit<'_>);

    /// The value of a field that other documents refer to.
    fn key_at(&self, name: &str) -> Result<Bson>;
}

/// A document as placement owns it: alone, until it is shared.
pub(crate) trait Erased: Visited {
    fn share(self: Arc<Self>) -> Shared;

    /// The document as it is stored; `None` for a view.
    fn encode(&self) -> Result<Option<RawDocumentBuf>>;
}

impl<T: Document> Visited for T {
    fn visit(&mut self, path: &[&str], visit: Visit<'_>) {
        self.visit_refs(path, visit);
    }

    fn key_at(&self, name: &str) -> Result<Bson> {
        if name == "_id" {
            return self.id().map_or(Ok(Bson::Null), T::Id::encode);
        }
        let raw = Document::encode(self)?;
        let value = raw.get(name).map_err(crate::codec::encode_error)?;
        match value {
            Some(value) => Bson::try_from(value).map_err(crate::codec::encode_error),
            None => Ok(Bson::Null),
        }
    }
}

impl<T: Document> Erased for T {
    fn share(self: Arc<Self>) -> Shared {
        self
    }

    fn encode(&self) -> Result<Option<RawDocumentBuf>> {
        Document::encode(self).map(Some)
    }
}

/// A view in the place of a document.
pub(crate) struct OfView<V>(pub(crate) V);

impl<V: View> Visited for OfView<V> {
    fn visit(&mut self, path: &[&str], visit: Visit<'_>) {
        self.0.visit_refs(path, visit);
    }

    fn key_at(&self, _: &str) -> Result<Bson> {
        Err(no_key())
    }
}

impl<V: View> Erased for OfView<V> {
    fn share(self: Arc<Self>) -> Shared {
        self
    }

    fn encode(&self) -> Result<Option<RawDocumentBuf>> {
        Ok(None)
    }
}

/// A view that somebody else owns.
pub(crate) struct OfViewMut<'a, V>(pub(crate) &'a mut V);

impl<V: View> Visited for OfViewMut<'_, V> {
    fn visit(&mut self, path: &[&str], visit: Visit<'_>) {
        self.0.visit_refs(path, visit);
    }

    fn key_at(&self, _: &str) -> Result<Bson> {
        Err(no_key())
    }
}

fn no_key() -> Error {
    Error::invalid(
        "a view does not know what refers to its document: look up what refers back from the whole \
         document",
    )
}
