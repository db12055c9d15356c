//! What the library adds to an update: the revision goes up by one, and the stamps are set.
//!
//! In comes an update as its action built it, out goes the one that is sent.

use bson::{Bson, DateTime, Document, RawBsonRef, RawDocument, doc};

use super::Modification;
use super::modification::add_operators;
use crate::error::{Error, Result};
use crate::model::{Revision, Stamps};
use crate::path::ArrayFilters;

impl Modification {
    /// The update that marks documents as deleted at a time, or with null as not deleted.
    pub(crate) fn mark(soft_delete: &str, deleted_at: impl Into<Bson>) -> Self {
        let document = doc! { "$set": { soft_delete: deleted_at.into() } };
        Self::Operators { document, filters: ArrayFilters::default() }
    }

    /// The update with what the revision and the stamps of a model ask for.
    pub(crate) fn stamped(mut self, stamps: &Stamps, now: DateTime, may_insert: bool) -> Self {
        if stamps.is_none() {
            return self;
        }
        let now = Bson::DateTime(now);
        match &mut self {
            Self::Operators { document, .. } => {
                let more = operators(stamps, &now, may_insert);
                add_operators(document, more);
            }
            Self::Pipeline(stages) => {
                stages.iter_mut().for_each(|stage| keep(stage, stamps));
                let set = stage(stamps, now, may_insert);
                if !set.is_empty() {
                    stages.push(doc! { "$set": set });
                }
            }
        }
        self
    }
}

fn operators(stamps: &Stamps, now: &Bson, may_insert: bool) -> Document {
    let mut more = Document::new();
    if let Some(revision) = &stamps.revision {
        more.insert("$inc", doc! { revision.field: revision.number(1) });
    }
    if let Some(updated_at) = stamps.updated_at {
        more.insert("$set", doc! { updated_at: now });
    }
    if let Some(created_at) = stamps.created_at.filter(|_| may_insert) {
        more.insert("$setOnInsert", doc! { created_at: now });
    }
    more
}

/// What the last stage of a pipeline sets.
fn stage(stamps: &Stamps, now: Bson, may_insert: bool) -> Document {
    let mut set = Document::new();
    if let Some(revision) = &stamps.revision {
        let stored = doc! { "$ifNull": [format!("${}", revision.field), revision.number(0)] };
        set.insert(revision.field, doc! { "$add": [stored, revision.number(1)] });
    }
    if let Some(created_at) = stamps.created_at.filter(|_| may_insert) {
        set.insert(created_at, doc! { "$ifNull": [format!("${created_at}"), now.clone()] });
    }
    if let Some(updated_at) = stamps.updated_at {
        set.insert(updated_at, now);
    }
    set
}

/// A stage that makes another document keeps the revision and the stamps of the one that there was.
fn keep(stage: &mut Document, stamps: &Stamps) {
    let kept: Document =
        stamps.names().map(|name| (name.to_owned(), Bson::from(format!("${name}")))).collect();
    if let Some(new) = stage.get_mut("$replaceWith") {
        *new = doc! { "$mergeObjects": [new.clone(), kept] }.into();
    } else if let Some(Bson::Document(root)) = stage.get_mut("$replaceRoot")
        && let Some(new) = root.get_mut("newRoot")
    {
        *new = doc! { "$mergeObjects": [new.clone(), kept] }.into();
    }
}

impl Revision {
    /// The revision of a document; one from before there was a revision counts as one of 0.
    pub(crate) fn of(&self, raw: &RawDocument) -> i64 {
        match raw.get(self.field).ok().flatten() {
            Some(RawBsonRef::Int64(number)) => number,
            Some(RawBsonRef::Int32(number)) => number.into(),
            Some(RawBsonRef::Double(number)) if number.fract() == 0.0 => number as i64,
            _ => 0,
        }
    }

    /// The revision after this one, in the type in which it is stored.
    pub(crate) fn after(&self, revision: i64) -> Result<Bson> {
        let next = revision.checked_add(1).and_then(|next| match self.is_long {
            true => Some(Bson::Int64(next)),
            false => i32::try_from(next).ok().map(Bson::Int32),
        });
        next.ok_or_else(|| Error::invalid("there is no revision after this").with_path(self.field))
    }

    /// The condition that a stored document is of this revision.
    pub(crate) fn condition(&self, revision: i64) -> Document {
        match revision {
            0 => doc! { self.field: { "$in": [0_i64, Bson::Null] } },
            revision => doc! { self.field: revision },
        }
    }

    /// A number in the type in which the revision is stored.
    pub(crate) fn number(&self, number: i32) -> Bson {
        match self.is_long {
            true => Bson::Int64(number.into()),
            false => Bson::Int32(number),
        }
    }
}
