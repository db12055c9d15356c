//! The server's `findAndModify`: a change that answers with the document.

use std::time::Instant;

use bson::{Document, RawDocumentBuf};
use mongodb::options::ReturnDocument;

use super::{Call, id_of, named_id, with_options};
use crate::error::Result;
use crate::migrate::Change;

/// What a find-and-modify may be told beside its filter and change.
#[derive(Debug, Clone, Default)]
pub(crate) struct FindOneAndOptions {
    pub(crate) sort: Option<Document>,
    pub(crate) projection: Option<Document>,
    pub(crate) return_document: Option<ReturnDocument>,
}

/// Gives an action what is said in both kinds of options.
macro_rules! told {
    ($call:expr, $action:ident, $options:expr) => {
        if let Some(sort) = &$options.sort {
            $action = $action.sort(sort.clone());
        }
        if let Some(projection) = &$options.projection {
            $action = $action.projection(projection.clone());
        }
        with_options!(
            $call,
            $action,
            [write_concern, max_time, hint, collation, comment, let_vars]
        );
    };
}

impl Call {
    /// Changes a document, or inserts one, and gives it as it was before or is after.
    pub(crate) async fn find_one_and_change(
        &self,
        filter: Document,
        change: &Change,
        options: &FindOneAndOptions,
        upsert: bool,
    ) -> Result<Option<RawDocumentBuf>> {
        let id = named_id(&filter);
        let collection = self.target.collection();
        match change {
            Change::Update(update) => {
                let (update, array_filters) =
                    update.clone().stamped(self.stamps(), self.now(), upsert).into_driver();
                let filter = self.filter(filter);
                let mut action = collection.find_one_and_update(filter, update).upsert(upsert);
                if let Some(array_filters) = array_filters {
                    action = action.array_filters(array_filters);
                }
                if let Some(return_document) = &options.return_document {
                    action = action.return_document(return_document.clone());
                }
                told!(self, action, options);
                run!(self, action).map_err(|error| error.with_id(id))
            }
            Change::Replace(replacement) => {
                let stamped = self.stamp_replacement(replacement);
                let stamped = stamped.map_err(|error| self.context(error))?;
                let at = self.at_revision(&filter, stamped.as_ref());
                let (filter, replacement) = match &stamped {
                    Some(stamped) => (stamped.guard(self.filter(filter)), &stamped.raw),
                    None => (self.filter(filter), replacement),
                };
                let mut action =
                    collection.find_one_and_replace(filter, replacement).upsert(upsert);
                if let Some(return_document) = &options.return_document {
                    action = action.return_document(return_document.clone());
                }
                told!(self, action, options);
                let id = id.or_else(|| id_of(replacement));
                let result = run!(self, action).map_err(|error| error.with_id(id));
                // An upsert that inserted answers with nothing too.
                self.told_stale(at, result, |found| found.is_none() && !upsert).await
            }
        }
    }

    /// Deletes a document and gives it.
    pub(crate) async fn find_one_and_delete(
        &self,
        filter: Document,
        options: &FindOneAndOptions,
    ) -> Result<Option<RawDocumentBuf>> {
        let id = named_id(&filter);
        if let Some(mark) = self.mark() {
            let change = Change::Update(mark);
            return self.find_one_and_change(filter, &change, options, false).await;
        }
        let filter = self.filter(filter);
        let mut action = self.target.collection().find_one_and_delete(filter);
        told!(self, action, options);
        run!(self, action).map_err(|error| error.with_id(id))
    }
}
