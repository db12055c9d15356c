//! The typed handle of a model's collection. Its actions are in [`action`](crate::action).

use std::fmt;
use std::marker::PhantomData;

use bson::{Document as BsonDocument, RawDocumentBuf};

use crate::driver::Target;
use crate::migrate::WriteBacks;
use crate::model::Document;

/// The collection of a model.
///
/// Cheap to clone. Get it from [`Database::collection`](crate::Database::collection).
pub struct Collection<T> {
    target: Target,
    marker: PhantomData<fn() -> T>,
}

impl<T: Document> Collection<T> {
    pub(crate) fn new(target: Target) -> Self {
        Self { target, marker: PhantomData }
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// The name of the collection.
    #[must_use]
    pub fn name(&self) -> &str {
        self.target.collection().name()
    }

    /// What became of the write-backs of reads through this handle and its clones, since it was
    /// made: old documents that were upgraded and then stored at the current schema version.
    #[must_use]
    pub fn write_backs(&self) -> WriteBacks {
        self.target.write_backs().read()
    }

    /// The driver's own handle, untyped: what it writes is not checked against the model.
    #[must_use]
    pub fn driver(&self) -> mongodb::Collection<BsonDocument> {
        self.target.collection().clone_with_type()
    }

    /// The driver's own handle for raw documents.
    #[must_use]
    pub fn driver_raw(&self) -> mongodb::Collection<RawDocumentBuf> {
        self.target.collection().clone()
    }
}

impl<T> Clone for Collection<T> {
    fn clone(&self) -> Self {
        Self { target: self.target.clone(), marker: PhantomData }
    }
}

impl<T> fmt::Debug for Collection<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Collection").field(&self.target.namespace().to_string()).finish()
    }
}
