//! Documents and references without their types: placement is compiled once.

use std::any::Any;
use std::sync::Arc;

use bson::Bson;

use super::Key;
use crate::error::Result;
use crate::model::Document;
use crate::path::FieldType;

/// A loaded document, shared by every reference to it.
pub type Shared = Arc<dyn Any + Send + Sync>;

/// What a walk over references calls for each.
pub type Visit<'a> = &'a mut dyn FnMut(&mut dyn Slot);

/// A reference as placement sees it.
pub trait Slot {
    /// The id, as it is stored.
    ///
    /// # Errors
    /// The id has no BSON form.
    fn id(&self) -> Result<Bson>;

    /// Puts the target in: loaded, or missing where it is `None`.
    fn fill(&mut self, target: Option<&Shared>);
}

/// A document as placement sees it.
pub(crate) trait Erased: Send + Sync {
    fn visit(&mut self, path: &[&str], visit: Visit<'_>);
    fn key(&self) -> Result<Key>;
    fn share(self: Box<Self>) -> Shared;
}

impl<T: Document> Erased for T {
    fn visit(&mut self, path: &[&str], visit: Visit<'_>) {
        self.visit_refs(path, visit);
    }

    fn key(&self) -> Result<Key> {
        let id = self.id().map_or(Ok(Bson::Null), T::Id::encode)?;
        Ok(Key::of(&id))
    }

    fn share(self: Box<Self>) -> Shared {
        let shared: Arc<T> = Arc::from(self);
        shared
    }
}
