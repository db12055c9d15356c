//! The static description of a model: what the derive emits and everything else interprets.
//!
//! A [`Model`] is a constant. What could refer back to it (shapes of embedded documents, indexes)
//! is behind a function pointer, so that recursive models are possible.

pub(crate) mod bounds;
mod concerns;
mod document;
mod dynamic;
mod names;
mod shape;
mod stamps;
mod version;

pub use concerns::Concerns;
pub use document::{Described, Document, Embedded, Stored};
pub use names::Names;
pub(crate) use names::is_equal;
pub use shape::{Field, Kind, Shape, Variant};
#[doc(hidden)]
pub use stamps::{Revising, Stamped, revision, stamp};
pub use stamps::{Revision, Stamps};
pub use version::{Label, Version};

use crate::index::Index;
use crate::relation::{Inverse, Referrer, Rule};

/// The description of one document model: its collection, fields, version and indexes.
///
/// ```
/// # mod odm { pub use odm_core::*; }
/// use odm_core::Model;
///
/// fn describe(model: &Model) -> String {
///     format!("{} is stored in `{}`", model.name, model.collection)
/// }
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Model {
    /// The Rust name of the struct.
    pub name: &'static str,
    /// The collection that holds the documents; empty for [`bson::Document`], which declares none.
    pub collection: &'static str,
    /// The database, where it is not the one of the handle.
    pub database: Option<&'static str>,
    /// The fields, as serde stores them.
    pub shape: &'static Shape,
    /// The schema version that this program writes, and the field that holds it.
    pub version: Option<Version>,
    /// The model of the schema version before.
    pub previous: fn() -> Option<&'static Model>,
    /// The declared indexes.
    pub indexes: fn() -> Vec<Index>,
    /// What refers back to it, as its fields declare.
    pub inverses: fn() -> Vec<Inverse>,
    /// What deletes of the models that it refers to do, as it declares.
    pub rules: fn() -> Vec<Rule>,
    /// The models that have rules about it.
    pub referrers: fn() -> Vec<Referrer>,
    /// The concerns of its actions.
    pub concerns: Concerns,
    /// The fields that the library keeps.
    pub stamps: &'static Stamps,
}

impl Model {
    /// What the derive writes: a model without database, version and indexes.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, collection: &'static str, shape: &'static Shape) -> Self {
        Self {
            name,
            collection,
            database: None,
            shape,
            version: None,
            previous: || None,
            indexes: Vec::new,
            inverses: Vec::new,
            rules: Vec::new,
            referrers: Vec::new,
            concerns: Concerns::NONE,
            stamps: &Stamps::NONE,
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn concerns(mut self, concerns: Concerns) -> Self {
        self.concerns = concerns;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn stamps(mut self, stamps: &'static Stamps) -> Self {
        self.stamps = stamps;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn database(mut self, database: &'static str) -> Self {
        self.database = Some(database);
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn version(mut self, version: Version) -> Self {
        self.version = Some(version);
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn previous(mut self, previous: fn() -> Option<&'static Self>) -> Self {
        self.previous = previous;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn inverses(mut self, inverses: fn() -> Vec<Inverse>) -> Self {
        self.inverses = inverses;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn rules(mut self, rules: fn() -> Vec<Rule>) -> Self {
        self.rules = rules;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn referrers(mut self, referrers: fn() -> Vec<Referrer>) -> Self {
        self.referrers = referrers;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn indexes(mut self, indexes: fn() -> Vec<Index>) -> Self {
        self.indexes = indexes;
        self
    }
}
