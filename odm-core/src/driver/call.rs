//! The verbs: one driver operation each, with an optional session.

use std::borrow::Cow;
use std::time::Instant;

use bson::{Bson, DateTime, Document, RawDocument, RawDocumentBuf};
use mongodb::options::{Acknowledgment, ReadConcern, ReadPreference};
use mongodb::results::{DeleteResult, InsertManyResult, InsertOneResult, UpdateResult};

use super::failure::Failure;
use super::options::{Options, with_options};
use super::session::Turn;
use super::{Batches, Outcome, Session, Target, Visible};
use crate::error::{Error, Result};
use crate::migrate::Change;
use crate::model::Model;
use crate::relation::Namespace;
use crate::update::Modification;

/// One action on one target: what the verbs below need to know of it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    target: Target,
    operation: &'static str,
    pub(super) session: Option<Session>,
    /// On the heap, and there only where something was set.
    pub(super) options: Option<Box<Options>>,
    /// Which documents it sees, of a model with a soft delete.
    pub(super) visible: Visible,
    /// Whether a delete is one for good.
    pub(super) permanent: bool,
    /// The time of its stamps, where that must be known beforehand.
    pub(super) stamped_at: Option<DateTime>,
}

/// What a find may be told beside its filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct FindOptions {
    pub(crate) sort: Option<Document>,
    pub(crate) limit: Option<i64>,
    pub(crate) skip: Option<u64>,
    pub(crate) projection: Option<Document>,
    pub(crate) batch_size: Option<u32>,
    /// Whether the read decides about a write, and so must see the latest data.
    pub(crate) for_write: bool,
}

/// The batch size of a read that takes all there is: more than fits into the 16 MB of a batch. So the
/// first one has more than the 101 documents that the server puts into it unless told.
pub(crate) const WHOLE: u32 = 1_000_000;

impl FindOptions {
    /// All that matches will be read: the first batch may have as much as the others.
    pub(crate) fn whole(mut self) -> Self {
        let limit = self.limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(0);
        self.batch_size = self.batch_size.or(match limit {
            0 => Some(WHOLE),
            1..=FIRST_BATCH => None,
            // Above the limit: else the server would keep the cursor open.
            limit => Some(limit.saturating_add(1).min(WHOLE)),
        });
        self
    }
}

/// How many documents the server puts into a first batch unless told.
const FIRST_BATCH: u32 = 101;

/// Awaits a driver action, on the session if there is one. An insert tells what it sends.
macro_rules! run {
    ($call:ident, $action:expr) => {
        run!($call, $action, &[])
    };
    ($call:ident, $action:expr, $sent:expr) => {{
        let started = Instant::now();
        let action = $action;
        let result = match &$call.session {
            Some(session) => action.session(&mut *$call.turn(session).await?).await,
            None => action.await,
        };
        result.map_err(|error| $call.failed(started, $sent, error))
    }};
}

impl Call {
    pub(crate) fn new(target: &Target, operation: &'static str) -> Self {
        Self {
            target: target.clone(),
            operation,
            session: None,
            options: None,
            visible: Visible::Live,
            permanent: false,
            stamped_at: None,
        }
    }

    pub(crate) fn session(&mut self, session: &Session) {
        self.session = Some(session.clone());
    }

    /// The options, to be set.
    pub(crate) fn options(&mut self) -> &mut Options {
        self.options.get_or_insert_default()
    }

    /// The options that were set.
    pub(crate) fn options_ref(&self) -> Option<&Options> {
        self.options.as_deref()
    }

    /// The same action on the collection of another model.
    pub(crate) fn on(&self, model: &'static Model) -> Self {
        Self {
            target: self.target.of_model(model),
            operation: self.operation,
            session: self.session.clone(),
            options: self.options.as_ref().map(|options| Box::new(options.of_others())),
            // What is deleted for good takes all with it.
            visible: if self.permanent { Visible::All } else { Visible::Live },
            permanent: self.permanent,
            stamped_at: self.stamped_at,
        }
    }

    /// The same action on a collection that a reference names itself.
    pub(crate) fn on_namespace(&self, model: &'static Model, namespace: &Namespace) -> Self {
        Self { target: self.target.in_namespace(model, namespace), ..self.on(model) }
    }

    /// Waits for the turn on a session.
    async fn turn<'a>(&self, session: &'a Session) -> Result<Turn<'a>> {
        session.turn().await.map_err(|error| self.context(error))
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    pub(crate) fn is_on_session(&self) -> bool {
        self.session.is_some()
    }

    /// Whether the action is part of a transaction, which an error of the server ends.
    pub(crate) fn is_in_transaction(&self) -> bool {
        self.session.as_ref().is_some_and(Session::reads_the_past)
    }

    /// What becomes of the transaction that the action is part of.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.session.as_ref().and_then(Session::outcome)
    }

    pub(super) fn operation(&self) -> &'static str {
        self.operation
    }

    /// Whether the server tells what became of the write.
    pub(crate) fn is_acknowledged(&self) -> bool {
        let of_call = self.options.as_ref().and_then(|options| options.write_concern.as_ref());
        let concern = of_call.or_else(|| self.target.collection().write_concern());
        concern.is_none_or(|concern| concern.w != Some(Acknowledgment::Nodes(0)))
    }

    /// Adds to an error what this call knows: model, operation, collection.
    pub(crate) fn context(&self, error: Error) -> Error {
        error
            .with_model(self.target.model.name)
            .with_operation(self.operation)
            .with_namespace(|| self.target.namespace().to_string())
    }

    pub(super) fn failed(
        &self,
        started: Instant,
        sent: &[RawDocumentBuf],
        error: mongodb::error::Error,
    ) -> Error {
        if let Some(session) = &self.session {
            session.failed(&error);
        }
        Failure::of(&self.target, self.operation, started).sent(sent).error(error)
    }

    pub(crate) async fn find(&self, filter: Document, options: FindOptions) -> Result<Batches> {
        let started = Instant::now();
        let mut find = self.target.collection().find(self.filter(filter));
        if let Some(sort) = options.sort {
            find = find.sort(sort);
        }
        if let Some(limit) = options.limit {
            find = find.limit(limit);
        }
        if let Some(skip) = options.skip {
            find = find.skip(skip);
        }
        if let Some(projection) = options.projection {
            find = find.projection(projection);
        }
        if let Some(batch_size) = options.batch_size {
            find = find.batch_size(batch_size);
        }
        with_options!(
            self,
            find,
            [
                read_concern,
                selection_criteria,
                max_time,
                hint,
                collation,
                comment,
                let_vars,
                allow_disk_use
            ]
        );
        if options.for_write {
            find = find.selection_criteria(ReadPreference::Primary.into());
            if self.session.is_none() {
                find = find.read_concern(ReadConcern::local());
            }
        }
        let opened = match &self.session {
            Some(session) => {
                let cursor = find.session(&mut *self.turn(session).await?).batch().await;
                cursor.map(|cursor| Batches::on_session(cursor, session.clone(), self.clone()))
            }
            None => find.batch().await.map(|cursor| Batches::new(cursor, self.clone())),
        };
        opened.map_err(|error| self.failed(started, &[], error))
    }

    pub(crate) async fn aggregate(
        &self,
        pipeline: Vec<Document>,
        batch_size: Option<u32>,
    ) -> Result<Batches> {
        let started = Instant::now();
        let mut aggregate = self.target.collection().aggregate(self.pipeline(pipeline));
        if let Some(batch_size) = batch_size {
            aggregate = aggregate.batch_size(batch_size);
        }
        with_options!(
            self,
            aggregate,
            [
                read_concern,
                write_concern,
                selection_criteria,
                max_time,
                hint,
                collation,
                comment,
                let_vars,
                allow_disk_use
            ]
        );
        let opened = match &self.session {
            Some(session) => {
                let cursor = aggregate.session(&mut *self.turn(session).await?).batch().await;
                cursor.map(|cursor| Batches::on_session(cursor, session.clone(), self.clone()))
            }
            None => aggregate.batch().await.map(|cursor| Batches::new(cursor, self.clone())),
        };
        opened.map_err(|error| self.failed(started, &[], error))
    }

    pub(crate) async fn count_documents(
        &self,
        filter: Document,
        limit: Option<u64>,
        skip: Option<u64>,
    ) -> Result<u64> {
        let mut count = self.target.collection().count_documents(self.filter(filter));
        if let Some(limit) = limit {
            count = count.limit(limit);
        }
        if let Some(skip) = skip {
            count = count.skip(skip);
        }
        with_options!(
            self,
            count,
            [read_concern, selection_criteria, max_time, hint, collation, comment]
        );
        run!(self, count)
    }

    pub(crate) async fn estimated_document_count(&self) -> Result<u64> {
        let started = Instant::now();
        let mut count = self.target.collection().estimated_document_count();
        with_options!(self, count, [read_concern, selection_criteria, max_time, comment]);
        count.await.map_err(|error| self.failed(started, &[], error))
    }

    pub(crate) async fn distinct(&self, path: &str, filter: Document) -> Result<Vec<Bson>> {
        let mut distinct = self.target.collection().distinct(path, self.filter(filter));
        with_options!(
            self,
            distinct,
            [read_concern, selection_criteria, max_time, collation, comment]
        );
        run!(self, distinct)
    }

    pub(crate) async fn insert_one(&self, document: &RawDocumentBuf) -> Result<InsertOneResult> {
        let stamped = self.stamp_insert(document).map_err(|error| self.context(error))?;
        let document = stamped.as_ref().unwrap_or(document);
        let sent = std::slice::from_ref(document);
        let mut insert = self.target.collection().insert_one(document);
        with_options!(self, insert, [write_concern, comment]);
        let result = run!(self, insert, sent);
        result.map_err(|error| error.with_id(id_of(document)))
    }

    pub(crate) async fn insert_many(
        &self,
        documents: &[RawDocumentBuf],
        ordered: bool,
    ) -> Result<InsertManyResult> {
        let stamped = self.stamp_inserts(documents).map_err(|error| self.context(error))?;
        let documents = stamped.as_deref().unwrap_or(documents);
        let mut insert = self.target.collection().insert_many(documents).ordered(ordered);
        with_options!(self, insert, [write_concern, comment]);
        let result = run!(self, insert, documents);
        result.map_err(|error| {
            let first = error.write_failures().first();
            let id = first.and_then(|failure| id_of(documents.get(failure.index)?));
            error.with_id(id)
        })
    }

    async fn update_one(
        &self,
        filter: Document,
        update: Modification,
        upsert: bool,
    ) -> Result<UpdateResult> {
        let (update, array_filters) =
            update.stamped(self.stamps(), self.now(), upsert).into_driver();
        let id = named_id(&filter);
        let filter = self.filter(filter);
        let mut update = self.target.collection().update_one(filter, update);
        if upsert {
            update = update.upsert(true);
        }
        if let Some(array_filters) = array_filters {
            update = update.array_filters(array_filters);
        }
        with_options!(self, update, [write_concern, hint, collation, comment, let_vars]);
        let result = run!(self, update);
        result.map_err(|error| error.with_id(id))
    }

    /// An update whose filter compares strings exactly, whatever the collection's collation.
    pub(super) async fn update_simple(
        &self,
        filter: Document,
        update: Document,
    ) -> Result<UpdateResult> {
        let update = self.target.collection().update_one(filter, update).collation(Self::simple());
        run!(self, update)
    }

    pub(crate) async fn update_many(
        &self,
        filter: Document,
        update: &Modification,
    ) -> Result<UpdateResult> {
        let update = update.clone().stamped(self.stamps(), self.now(), false);
        let (update, array_filters) = update.into_driver();
        let filter = self.filter(filter);
        let mut update = self.target.collection().update_many(filter, update);
        if let Some(array_filters) = array_filters {
            update = update.array_filters(array_filters);
        }
        with_options!(self, update, [write_concern, hint, collation, comment, let_vars]);
        run!(self, update)
    }

    async fn replace_one(
        &self,
        filter: Document,
        replacement: &RawDocumentBuf,
        upsert: bool,
    ) -> Result<UpdateResult> {
        let id = named_id(&filter);
        let stamped = self.stamp_replacement(replacement).map_err(|error| self.context(error))?;
        let at = self.at_revision(&filter, stamped.as_ref());
        let (filter, replacement) = match &stamped {
            Some(stamped) => (stamped.guard(self.filter(filter)), &stamped.raw),
            None => (self.filter(filter), replacement),
        };
        let mut replace = self.target.collection().replace_one(filter, replacement);
        if upsert {
            replace = replace.upsert(true);
        }
        with_options!(self, replace, [write_concern, hint, collation, comment, let_vars]);
        let result = run!(self, replace);
        let result = result.map_err(|error| error.with_id(id.or_else(|| id_of(replacement))));
        let nothing = |done: &UpdateResult| done.matched_count == 0 && done.upserted_id.is_none();
        self.told_stale(at, result, nothing).await
    }

    /// Changes one document, or inserts one. What is tried once is moved into the command.
    pub(crate) async fn change_one(
        &self,
        filter: Document,
        change: Cow<'_, Change>,
        upsert: bool,
    ) -> Result<UpdateResult> {
        if let Change::Replace(replacement) = &*change {
            return self.replace_one(filter, replacement, upsert).await;
        }
        match change.into_owned() {
            Change::Update(update) => self.update_one(filter, update, upsert).await,
            Change::Replace(replacement) => self.replace_one(filter, &replacement, upsert).await,
        }
    }

    pub(crate) async fn delete_one(&self, filter: Document) -> Result<DeleteResult> {
        if let Some(mark) = self.mark() {
            return self.update_one(filter, mark, false).await.map(marked);
        }
        let id = named_id(&filter);
        let mut delete = self.target.collection().delete_one(self.filter(filter));
        with_options!(self, delete, [write_concern, hint, collation, comment, let_vars]);
        let result = run!(self, delete);
        result.map_err(|error| error.with_id(id))
    }

    pub(crate) async fn delete_many(&self, filter: Document) -> Result<DeleteResult> {
        if let Some(mark) = self.mark() {
            return self.update_many(filter, &mark).await.map(marked);
        }
        let mut delete = self.target.collection().delete_many(self.filter(filter));
        with_options!(self, delete, [write_concern, hint, collation, comment, let_vars]);
        run!(self, delete)
    }

    /// Turns an error of the driver that a cursor met into ours.
    pub(super) fn cursor_error(&self, error: mongodb::error::Error) -> Error {
        self.failed(Instant::now(), &[], error)
    }
}

mod find_one_and;
mod in_transaction;

pub(crate) use find_one_and::FindOneAndOptions;

/// The result of a delete that marked documents.
fn marked(updated: UpdateResult) -> DeleteResult {
    let mut deleted = DeleteResult::default();
    deleted.deleted_count = updated.modified_count;
    deleted
}

pub(super) fn id_of(document: &RawDocument) -> Option<Bson> {
    document.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok())
}

/// The `_id` that a filter asks for by equality.
fn named_id(filter: &Document) -> Option<Bson> {
    match filter.get("_id")? {
        Bson::Document(condition) => condition.get("$eq").cloned(),
        id => Some(id.clone()),
    }
}
