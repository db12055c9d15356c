//! Keeps writes off documents of another version: an old one is migrated first, a newer one is an
//! error.
//!
//! A condition on the version would change which document a write of one picks, so a filter that
//! does not name the `_id` is resolved to one first.

use std::pin::pin;

use bson::{Bson, Document as BsonDocument, RawDocument, RawDocumentBuf, doc};
use mongodb::results::{DeleteResult, UpdateResult};

use super::chain::{Stored, is_own, unknown};
use super::{WriteBack, read};
use crate::driver::{Call, FindOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, Model, Version};

/// What a write of a versioned model asks before it changes a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    model: &'static Model,
    version: &'static Version,
    /// Plans what brings a stored document up to the current version.
    migrate: fn(&RawDocument) -> Result<Option<WriteBack>>,
}

/// How a write of one document changes it.
pub(crate) enum Change {
    Update(BsonDocument),
    Replace(RawDocumentBuf),
}

/// How often a write is tried against others that change the version meanwhile.
const ATTEMPTS: usize = 16;

impl Guard {
    /// `None` for a model without a version.
    pub(crate) fn of<T: Document>() -> Option<Self> {
        let version = T::MODEL.version.as_ref()?;
        Some(Self { model: T::MODEL, version, migrate: |raw| read::<T>(raw).map(|r| r.write_back) })
    }

    /// Changes one document of the current version.
    pub(crate) async fn change_one(
        &self,
        call: &Call,
        filter: BsonDocument,
        change: &Change,
    ) -> Result<UpdateResult> {
        let mut known = names_id(&filter).then(BsonDocument::new);
        for _ in 0..ATTEMPTS {
            let id = match known.take() {
                Some(nothing) => nothing,
                None => match self.pick(call, &filter).await? {
                    Some(id) => id,
                    None => return Ok(UpdateResult::default()),
                },
            };
            let result =
                call.change_one(all([filter.clone(), id, self.is_current()]), change).await?;
            if result.matched_count > 0 {
                return Ok(result);
            }
        }
        Err(Error::new(ErrorKind::Migrate, "other writes kept changing the document's version"))
    }

    /// Changes every document that matches; those of an older version are migrated first.
    pub(crate) async fn change_many(
        &self,
        call: &Call,
        filter: BsonDocument,
        update: BsonDocument,
    ) -> Result<UpdateResult> {
        let others = all([filter.clone(), self.is_not_current()]);
        let mut batches = pin!(call.find(others, FindOptions::default()).await?);
        while let Some(old) = batches.next(|raw| Ok(raw.to_owned())).await {
            self.make_current(call, &old?).await?;
        }
        call.update_many(all([filter, self.is_current()]), update).await
    }

    /// Deletes one document of a version that this program knows.
    pub(crate) async fn delete_one(
        &self,
        call: &Call,
        filter: BsonDocument,
    ) -> Result<DeleteResult> {
        let picked = match names_id(&filter) {
            true => Some(BsonDocument::new()),
            false => {
                self.first(call, filter.clone()).await?.map(|raw| id_filter(&raw)).transpose()?
            }
        };
        let Some(id) = picked else { return Ok(DeleteResult::default()) };
        let result = call.delete_one(all([filter.clone(), id.clone(), self.is_known()])).await?;
        if result.deleted_count == 0 {
            self.refuse_newer(call, all([filter, id])).await?;
        }
        Ok(result)
    }

    /// Deletes every document that matches, unless one of them is newer.
    pub(crate) async fn delete_many(
        &self,
        call: &Call,
        filter: BsonDocument,
    ) -> Result<DeleteResult> {
        self.refuse_newer(call, filter.clone()).await?;
        call.delete_many(all([filter, self.is_known()])).await
    }

    /// Picks the document that a write of one concerns, migrated if it is old. As a filter on its
    /// `_id`.
    async fn pick(&self, call: &Call, filter: &BsonDocument) -> Result<Option<BsonDocument>> {
        let Some(raw) = self.first(call, filter.clone()).await? else { return Ok(None) };
        self.make_current(call, &raw).await?;
        id_filter(&raw).map(Some)
    }

    async fn first(&self, call: &Call, filter: BsonDocument) -> Result<Option<RawDocumentBuf>> {
        let options = FindOptions { limit: Some(1), ..FindOptions::default() };
        call.find(filter, options).await?.next(|raw| Ok(raw.to_owned())).await.transpose()
    }

    /// Writes an old document back at the current version. A newer one is an error.
    async fn make_current(&self, call: &Call, raw: &RawDocument) -> Result<()> {
        let version = Stored::new(raw, self.version);
        if is_own(self.model, version.version()) {
            return Ok(());
        }
        let migrated = (self.migrate)(raw).map_err(|error| call.context(error))?;
        let Some(write_back) = migrated else {
            let message = "the document cannot be migrated by an update: it is too large, or a \
                           name in it begins with `$` or contains `.`";
            return Err(call.context(Error::new(ErrorKind::Migrate, message)));
        };
        // Whether it was written or another write came first, the next attempt tells.
        call.write_back(write_back).await
    }

    /// An error if a document that matches is of a version that this program does not know.
    async fn refuse_newer(&self, call: &Call, filter: BsonDocument) -> Result<()> {
        let unknown_versions = doc! { "$nor": [self.is_known()] };
        match self.first(call, all([filter, unknown_versions])).await? {
            None => Ok(()),
            Some(raw) => {
                let stored = Stored::new(&raw, self.version);
                let error = unknown(stored.version(), self.version);
                Err(call.context(crate::codec::of_document(error, &raw, self.model)))
            }
        }
    }

    fn is_current(&self) -> BsonDocument {
        match (self.model.previous)() {
            Some(_) => doc! { self.version.field: self.version.label.to_bson() },
            // A document without a version is of the first one.
            None => {
                doc! { self.version.field: { "$in": [self.version.label.to_bson(), Bson::Null] } }
            }
        }
    }

    fn is_not_current(&self) -> BsonDocument {
        doc! { "$nor": [self.is_current()] }
    }

    fn is_known(&self) -> BsonDocument {
        let mut known = vec![Bson::Null];
        let mut model = Some(self.model);
        while let Some(at) = model {
            known.extend(at.version.map(|version| version.label.to_bson()));
            model = (at.previous)();
        }
        doc! { self.version.field: { "$in": known } }
    }
}

/// Whether the filter can match one document at most, by its `_id`.
fn names_id(filter: &BsonDocument) -> bool {
    match filter.get("_id") {
        None => false,
        Some(Bson::Document(condition)) => condition.contains_key("$eq"),
        Some(_) => true,
    }
}

fn id_filter(raw: &RawDocument) -> Result<BsonDocument> {
    let id = raw.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
    let id = id.ok_or_else(|| Error::new(ErrorKind::Decode, "a stored document without `_id`"))?;
    Ok(doc! { "_id": crate::filter::equal_to(id) })
}

/// Every one of the filters.
fn all(filters: impl IntoIterator<Item = BsonDocument>) -> BsonDocument {
    let filters = filters.into_iter().filter(|filter| !filter.is_empty());
    filters.reduce(crate::filter::both).unwrap_or_default()
}
