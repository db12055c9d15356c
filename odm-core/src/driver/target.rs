//! What an action works on: a model in a collection.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bson::{RawDocument, RawDocumentBuf};
use mongodb::options::{
    CollectionOptions, ReadConcern, ReadPreference, SelectionCriteria, WriteConcern,
};
use mongodb::{Collection, Namespace};

use super::{Transaction, Tx};
use crate::error::{Error, Result};
use crate::migrate::Counters;
use crate::model::{Concerns, Model, bounds};
use crate::relation;

/// A model together with the driver's handles of its database and collection, prepared once for all
/// actions. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Target(Arc<Prepared>);

#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    pub(crate) model: &'static Model,
    /// The database of the handle, where models are that declare none.
    home: mongodb::Database,
    database: mongodb::Database,
    collection: Collection<RawDocumentBuf>,
    write_backs: Arc<Counters>,
    /// Whether a list of the model has a bound; asked for at the first write.
    is_bounded: OnceLock<bool>,
    /// How long an action may take before a warning tells of it.
    slow_after: Option<Duration>,
}

impl Deref for Target {
    type Target = Prepared;

    fn deref(&self) -> &Prepared {
        &self.0
    }
}

impl Target {
    /// The model in a collection of this name, in the database that the model declares.
    pub(super) fn new(home: &mongodb::Database, model: &'static Model, collection: &str) -> Self {
        Self::build(home, model.database, model, collection)
    }

    fn build(
        home: &mongodb::Database,
        database: Option<&str>,
        model: &'static Model,
        collection: &str,
    ) -> Self {
        let database = match database {
            Some(name) if name != home.name() => home.client().database(name),
            _ => home.clone(),
        };
        let collection =
            database.collection_with_options(collection, collection_options(model.concerns));
        Self(Arc::new(Prepared {
            model,
            home: home.clone(),
            database,
            collection,
            write_backs: Arc::default(),
            is_bounded: OnceLock::new(),
            slow_after: None,
        }))
    }

    pub(super) fn with_slow_after(mut self, slow_after: Option<Duration>) -> Self {
        Arc::make_mut(&mut self.0).slow_after = slow_after;
        self
    }

    /// What counts for the other collections of an action too.
    fn beside(mut self, other: &Self) -> Self {
        let prepared = Arc::make_mut(&mut self.0);
        prepared.write_backs = other.write_backs.clone();
        prepared.slow_after = other.slow_after;
        self
    }

    /// The target of another model in its declared collection, from the same handle of the database.
    pub(crate) fn of_model(&self, model: &'static Model) -> Self {
        match std::ptr::eq(self.model, model) && self.collection.name() == model.collection {
            true => self.clone(),
            false => Self::new(&self.home, model, model.collection).beside(self),
        }
    }

    /// The target of another model in a collection and, if it is named, a database of its own.
    pub(super) fn in_namespace(
        &self,
        model: &'static Model,
        namespace: &relation::Namespace,
    ) -> Self {
        let name = namespace.database.as_deref().or(model.database);
        Self::build(&self.home, name, model, &namespace.collection).beside(self)
    }

    /// Whether another model is stored in the same database.
    pub(crate) fn is_beside(&self, model: &Model) -> bool {
        model.database.unwrap_or(self.home.name()) == self.database.name()
    }

    pub(crate) fn write_backs(&self) -> &Counters {
        &self.write_backs
    }

    /// Checks the lists of a document that is to be stored: all, or those that are longer than before.
    pub(crate) fn check_bounds(
        &self,
        before: Option<&RawDocument>,
        after: &RawDocument,
    ) -> Result<()> {
        let shape = self.model.shape;
        match *self.is_bounded.get_or_init(|| bounds::is_bounded(shape)) {
            true => bounds::check(shape, before, after),
            false => Ok(()),
        }
    }

    pub(super) fn slow_after(&self) -> Option<Duration> {
        self.slow_after
    }

    /// A transaction that is tried again where the server asks for it.
    pub(crate) fn transaction<'a, F, Run, R, E>(&self, body: F) -> Transaction<'a, F>
    where
        F: FnMut(Tx) -> Run + Send + 'a,
        Run: Future<Output = Result<R, E>> + Send + 'a,
        E: From<Error>,
    {
        Transaction::new(self.home.client().clone(), body)
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

/// What the driver's handle does unless an action says otherwise. In a transaction it counts for
/// nothing.
fn collection_options(concerns: Concerns) -> CollectionOptions {
    CollectionOptions::builder()
        .read_concern(concerns.read_concern.map(ReadConcern::custom))
        .write_concern(concerns.write_concern.map(write_concern))
        .selection_criteria(concerns.read_preference.map(read_preference))
        .build()
}

fn write_concern(acknowledgment: &str) -> WriteConcern {
    match acknowledgment.parse::<u32>() {
        Ok(members) => WriteConcern::nodes(members),
        Err(_) => WriteConcern::custom(acknowledgment),
    }
}

fn read_preference(mode: &str) -> SelectionCriteria {
    let options = None;
    SelectionCriteria::ReadPreference(match mode {
        "primaryPreferred" => ReadPreference::PrimaryPreferred { options },
        "secondary" => ReadPreference::Secondary { options },
        "secondaryPreferred" => ReadPreference::SecondaryPreferred { options },
        "nearest" => ReadPreference::Nearest { options },
        _ => ReadPreference::Primary,
    })
}
