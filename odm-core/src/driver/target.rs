//! What an action works on: a model in a collection.

use bson::RawDocumentBuf;
use mongodb::{Collection, Namespace};

use crate::model::Model;

/// A model together with the driver's handles of its database and collection. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) model: &'static Model,
    database: mongodb::Database,
    collection: Collection<RawDocumentBuf>,
}

impl Target {
    pub(super) fn new(database: &mongodb::Database, model: &'static Model) -> Self {
        let collection = database.collection(model.collection);
        Self { model, database: database.clone(), collection }
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
