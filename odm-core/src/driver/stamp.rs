//! The revision, the stamps and the soft delete of a model, on the way to the server.
//!
//! Each verb of [`Call`] asks here, so that no action can pass them by.

use bson::raw::CString;
use bson::{Bson, DateTime, Document, RawBson, RawDocument, RawDocumentBuf, doc};

use super::call::id_of;
use super::{Call, FindOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::both;
use crate::model::Stamps;
use crate::update::Modification;

/// Which documents an action sees, of a model with a soft delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Visible {
    /// Those that are not deleted.
    #[default]
    Live,
    All,
    Deleted,
}

/// A replacement as it is sent.
pub(super) struct Replacement {
    pub(super) raw: RawDocumentBuf,
    /// The condition on the stored revision.
    pub(super) at: Option<Document>,
}

impl Replacement {
    /// The filter with the condition on the revision.
    pub(super) fn guard(&self, filter: Document) -> Document {
        match &self.at {
            Some(at) => both(filter, at.clone()),
            None => filter,
        }
    }
}

/// First stages that read no documents of the collection.
const NO_DOCUMENTS: [&str; 6] = [
    "$collStats",
    "$indexStats",
    "$planCacheStats",
    "$documents",
    "$changeStream",
    "$listSearchIndexes",
];

impl Call {
    pub(super) fn stamps(&self) -> &'static Stamps {
        self.target().model.stamps
    }

    /// Sees deleted documents too, or only those.
    pub(crate) fn see(&mut self, visible: Visible) {
        self.visible = visible;
    }

    /// The same action, which sees deleted documents too.
    pub(crate) fn seeing(mut self, visible: Visible) -> Self {
        self.visible = visible;
        self
    }

    /// The same action, whose stamps are of this time.
    pub(crate) fn stamped_at(mut self, time: DateTime) -> Self {
        self.stamped_at = Some(time);
        self
    }

    /// The time of the stamps.
    pub(super) fn now(&self) -> DateTime {
        self.stamped_at.unwrap_or_else(DateTime::now)
    }

    /// Deletes for good, whether a document is marked as deleted or not.
    pub(crate) fn delete_permanently(&mut self) {
        self.permanent = true;
        self.visible = Visible::All;
    }

    /// The update in place of a delete, where it does not delete for good.
    pub(super) fn mark(&self) -> Option<Modification> {
        let field = self.stamps().soft_delete.filter(|_| !self.permanent)?;
        Some(Modification::mark(field, self.now()))
    }

    /// The condition on what the action sees; `None` where that is everything.
    fn seen(&self) -> Option<Document> {
        match (self.stamps().soft_delete, self.visible) {
            (_, Visible::All) | (None, Visible::Live) => None,
            (Some(field), Visible::Live) => Some(doc! { field: Bson::Null }),
            (Some(field), Visible::Deleted) => Some(doc! { field: { "$ne": Bson::Null } }),
            // Nothing is.
            (None, Visible::Deleted) => Some(doc! { "$nor": [{}] }),
        }
    }

    /// The filter on what the action sees.
    pub(super) fn filter(&self, filter: Document) -> Document {
        match self.seen() {
            None => filter,
            Some(seen) if filter.is_empty() => seen,
            Some(seen) => both(filter, seen),
        }
    }

    /// The pipeline over what the action sees.
    pub(super) fn pipeline(&self, mut stages: Vec<Document>) -> Vec<Document> {
        let Some(seen) = self.seen() else { return stages };
        let first = stages.first_mut();
        let name = first.as_ref().and_then(|stage| stage.keys().next()).cloned();
        match (name.as_deref().unwrap_or_default(), first) {
            ("$match", Some(stage)) => {
                if let Some(Bson::Document(filter)) = stage.get_mut("$match") {
                    *filter = both(std::mem::take(filter), seen);
                }
            }
            ("$geoNear", Some(stage)) => {
                if let Some(Bson::Document(near)) = stage.get_mut("$geoNear") {
                    let query = near.get_document("query").cloned().unwrap_or_default();
                    near.insert("query", both(query, seen));
                }
            }
            ("$search" | "$vectorSearch", _) => stages.insert(1, doc! { "$match": seen }),
            (name, _) if NO_DOCUMENTS.contains(&name) => {}
            _ => stages.insert(0, doc! { "$match": seen }),
        }
        stages
    }

    /// The document to be inserted, with its stamps; `None` where it has none. An error where one of
    /// its lists is longer than its bound.
    pub(super) fn stamp_insert(&self, raw: &RawDocument) -> Result<Option<RawDocumentBuf>> {
        self.target().check_bounds(None, raw).map_err(|error| error.with_id(id_of(raw)))?;
        let stamps = self.stamps();
        let now = RawBson::DateTime(self.now());
        let dates = [stamps.created_at, stamps.updated_at];
        let values: Vec<_> = dates.into_iter().flatten().map(|name| (name, now.clone())).collect();
        match values.is_empty() {
            true => Ok(None),
            false => with_values(raw, &values).map(Some),
        }
    }

    /// The replacement, with its stamps and the revision after the one that it has; `None` where the
    /// model keeps neither.
    pub(super) fn stamp_replacement(&self, raw: &RawDocument) -> Result<Option<Replacement>> {
        self.target().check_bounds(None, raw).map_err(|error| error.with_id(id_of(raw)))?;
        let stamps = self.stamps();
        let mut values = Vec::new();
        let mut at = None;
        if let Some(revision) = &stamps.revision {
            let given = revision.of(raw);
            let next = RawBson::try_from(revision.after(given)?);
            values.push((revision.field, next.map_err(crate::codec::encode_error)?));
            at = Some(revision.condition(given));
        }
        let now = || RawBson::DateTime(self.now());
        values.extend(stamps.updated_at.map(|name| (name, now())));
        match values.is_empty() {
            true => Ok(None),
            false => Ok(Some(Replacement { raw: with_values(raw, &values)?, at })),
        }
    }

    /// The documents to be inserted, with their stamps; `None` where they have none.
    pub(super) fn stamp_inserts(
        &self,
        documents: &[RawDocumentBuf],
    ) -> Result<Option<Vec<RawDocumentBuf>>> {
        if self.stamps().created_at.is_none() && self.stamps().updated_at.is_none() {
            return documents
                .iter()
                .try_for_each(|raw| self.stamp_insert(raw).map(drop))
                .map(|()| None);
        }
        let stamped = documents.iter().filter_map(|raw| self.stamp_insert(raw).transpose());
        stamped.collect::<Result<_>>().map(Some)
    }

    /// The filter of a replacement that is of a revision, to be asked where nothing matches.
    pub(super) fn at_revision(
        &self,
        filter: &Document,
        replacement: Option<&Replacement>,
    ) -> Option<Document> {
        let at = replacement?.at.clone()?;
        Some(both(filter.clone(), doc! { "$nor": [at] }))
    }

    /// The result of a replacement; an error where there is a document of another revision.
    pub(super) async fn told_stale<R>(
        &self,
        at: Option<Document>,
        result: Result<R>,
        nothing: impl Fn(&R) -> bool,
    ) -> Result<R> {
        let Some(filter) = at else { return result };
        let ask = match &result {
            Ok(done) => nothing(done),
            // The insertion of an upsert met the document that is of another revision.
            Err(error) => error.is_duplicate_key() && !self.is_in_transaction(),
        };
        if ask && self.is_acknowledged() {
            self.refuse_stale(filter).await?;
        }
        result
    }

    /// An error if there is a document that the filter matches: then the value that was to replace it
    /// is of another revision.
    pub(super) async fn refuse_stale(&self, filter: Document) -> Result<()> {
        let projection = Some(doc! { "_id": 1 });
        let limit = Some(1);
        let options = FindOptions { limit, projection, for_write: true, ..FindOptions::default() };
        let found = self.find(filter, options).await?.next(|raw| Ok(raw.to_owned())).await;
        let Some(raw) = found.transpose()? else { return Ok(()) };
        let path = self.stamps().revision.map(|revision| revision.field);
        let message = "the document was changed since the value was read: read it again";
        let error = Error::new(ErrorKind::Conflict, message).with_id(id_of(&raw));
        Err(self.context(error.with_path(path.unwrap_or_default())))
    }
}

/// The document with other values for some of its fields.
fn with_values(raw: &RawDocument, values: &[(&'static str, RawBson)]) -> Result<RawDocumentBuf> {
    let malformed = |error: bson::error::Error| {
        Error::new(ErrorKind::Encode, "malformed document").with_source(error)
    };
    let mut out = RawDocumentBuf::new();
    let mut left: Vec<_> = values.iter().collect();
    for element in raw.iter_elements() {
        let element = element.map_err(malformed)?;
        let name = element.key();
        match left.iter().position(|(field, _)| *field == name.as_str()) {
            Some(position) => out.append(name, left.remove(position).1.clone()),
            None => out.append(name, element.value().map_err(malformed)?),
        }
    }
    for (field, value) in left {
        let name = CString::try_from(*field).map_err(malformed)?;
        out.append(name, value.clone());
    }
    Ok(out)
}
