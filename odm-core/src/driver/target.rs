//! What an action works on: a model in a collection.

use std::sync::Arc;

use bson::RawDocumentBuf;
use mongodb::{Collection, Namespace};

use crate::migrate::Counters;
use crate::model::Model;

/// A model together with the driver's handles of its database and collection. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) model: &'static Model,
    database: mongodb::Database,
    collection: Collection<RawDocumentBuf>,
    write_backs: Arc<Counters>,
}

impl Target {
    pub(super) fn new(database: &mongodb::Database, model: &'static Model) -> Self {
        let collection = database.collection(model.collection);
        Self { model, database: database.clone(), collection, write_backs: Arc::default() }
    }

    /// The target of another model, from the same handle of the database.
    pub(super) fn of_model(&self, model: &'static Model) -> Self {
        if std::ptr::eq(self.model, model) {
            return self.clone();
        }
        let target = match model.database {
            Some(name) if name != self.database.name() => {
                Self::new(&self.database.client().database(name), model)
            }
            _ => Self::new(&self.database, model),
        };
        Self { write_backs: self.write_backs.clone(), ..target }
    }

    pub(crate) fn write_backs(&self) -> &Counters {
        &self.write_backs
    }

    pub(crate) fn database_name(&self) -> &str {
        self.database.name()
    }

    pub(super) fn database(&self) -> &mongodb::Database {
        &self.database
    }

    pub(crate) fn collection(&self) -> &Collection<RawDocumentBuf> {
        &self.collection
    }

    pub(crate) fn namespace(&self) -> Namespace {
        self.collection.namespace()
    }
}
