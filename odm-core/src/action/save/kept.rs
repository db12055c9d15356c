//! The fields that the library keeps, in a save: the condition on the revision, and what is stored
//! in them afterwards.

use bson::{Bson, DateTime, Document, RawDocument};

use crate::error::{Error, ErrorKind, Result};
use crate::filter::both;
use crate::migrate;
use crate::model::{Model, Revision, Stamps};

/// The revision that a document was read at.
pub(super) struct ReadAt {
    model: &'static Model,
    revision: Option<At>,
}

struct At {
    revision: Revision,
    number: i64,
    next: Bson,
}

impl ReadAt {
    /// From what the struct writes of the document as it was read: a stored one of an older schema
    /// version may have the revision elsewhere.
    pub(super) fn of(before: &RawDocument, model: &'static Model) -> Result<Self> {
        let at = |revision: Revision| {
            let number = revision.of(before);
            let next = revision.after(number)?;
            Ok::<_, Error>(At { revision, number, next })
        };
        Ok(Self { model, revision: model.stamps.revision.map(at).transpose()? })
    }

    /// The filter with the condition on the revision.
    pub(super) fn guard(&self, filter: Document) -> Document {
        match &self.revision {
            Some(at) => both(filter, at.revision.condition(at.number)),
            None => filter,
        }
    }

    /// An error if the document as it is stored by now is of another revision. One of an older
    /// schema version is migrated first, which leaves the revision as it is.
    pub(super) fn refuse_stale(&self, stored: &RawDocument) -> Result<()> {
        match &self.revision {
            Some(At { revision, number, .. })
                if migrate::is_current(stored, self.model) && revision.of(stored) != *number =>
            {
                let message = "the document was changed since it was read: read it again";
                Err(Error::new(ErrorKind::Conflict, message).with_path(revision.field))
            }
            _ => Ok(()),
        }
    }

    /// Puts in what the save stored.
    pub(super) fn stamp(&self, saved: &mut Document, now: DateTime) {
        if let Some(at) = &self.revision {
            saved.insert(at.revision.field, at.next.clone());
        }
        if let Some(updated_at) = self.model.stamps.updated_at {
            saved.insert(updated_at, now);
        }
    }
}

/// What the struct has in the fields that the library keeps is no change.
pub(super) fn keep(stamps: &Stamps, before: &Document, after: &mut Document) {
    for name in stamps.names() {
        match before.get(name) {
            Some(value) => after.insert(name, value.clone()),
            None => after.remove(name),
        };
    }
}
