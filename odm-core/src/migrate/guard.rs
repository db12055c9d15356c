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
use crate::update::{Insertion, Modification};

/// What a write of a versioned model asks before it changes a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    model: &'static Model,
    version: &'static Version,
    /// Plans what brings a stored document up to the current version.
    migrate: fn(&RawDocument) -> Result<Option<WriteBack>>,
}

/// How a write of one document changes it.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Update(Modification),
    Replace(RawDocumentBuf),
}

impl Change {
    /// The change and its array filters, as they stand in a command.
    pub(crate) fn to_parts(&self) -> Result<(Bson, Option<Vec<BsonDocument>>)> {
        match self {
            Self::Update(update) => Ok(update.to_parts()),
            Self::Replace(raw) => {
                let document = BsonDocument::try_from(&**raw).map_err(|error| {
                    Error::new(ErrorKind::Encode, "malformed document").with_source(error)
                })?;
                Ok((document.into(), None))
            }
        }
    }
}

/// A write of one document, as a guard needs to know it.
#[derive(Clone, Copy)]
pub(crate) struct Write<'a> {
    pub(crate) call: &'a Call,
    pub(crate) filter: &'a BsonDocument,
    /// Which document is picked where several match.
    pub(crate) sort: Option<&'a BsonDocument>,
    /// Of an upsert.
    pub(crate) insertion: Option<&'a Insertion>,
}

/// How often an insertion is tried that a unique index refuses.
pub(crate) struct Tries<'a> {
    insertion: Option<&'a Insertion>,
    in_transaction: bool,
    made: usize,
}

impl<'a> Tries<'a> {
    pub(crate) fn new(write: &Write<'a>) -> Self {
        let in_transaction = write.call.is_in_transaction();
        Self { insertion: write.insertion, in_transaction, made: 0 }
    }

    /// Whether another attempt may fare better: for as long as others come first, else once. In a
    /// transaction there is none, since the error has ended it.
    pub(crate) fn again(&mut self, error: &Error) -> bool {
        self.made += 1;
        let Some(insertion) = self.insertion.filter(|_| error.is_duplicate_key()) else {
            return false;
        };
        let most = if insertion.came_late(error) { ATTEMPTS } else { 2 };
        !self.in_transaction && self.made < most
    }
}

/// How often a write is tried against others that come first.
const ATTEMPTS: usize = 256;

impl Guard {
    /// `None` for a model without a version.
    pub(crate) fn of<T: Document>() -> Option<Self> {
        let version = T::MODEL.version.as_ref()?;
        Some(Self {
            model: T::MODEL,
            version,
            migrate: |raw| read::<T>(raw).map(|r| r.write_back.map(|boxed| *boxed)),
        })
    }

    /// Changes one document of the current version: the first by the sort. `attempt` sends the
    /// change with a filter and whether it may insert, and gives `None` where nothing matched.
    pub(crate) async fn change_one<R, A>(
        &self,
        write: &Write<'_>,
        attempt: impl Fn(BsonDocument, bool) -> A,
    ) -> Result<Option<R>>
    where
        A: Future<Output = Result<Option<R>>>,
    {
        let Write { call, filter, insertion, .. } = *write;
        check_acknowledged(call)?;
        // A refused insertion would end the transaction, so there it is first looked whether there
        // is a document to change.
        let blind = names_id(filter) && !(insertion.is_some() && call.is_in_transaction());
        let mut known = blind.then(BsonDocument::new);
        let mut tries = Tries::new(write);
        for _ in 0..ATTEMPTS {
            let (id, may_insert) = match known.take() {
                Some(nothing) => (nothing, insertion.is_some()),
                None => match self.pick(write).await? {
                    Some(id) => (id, false),
                    None if insertion.is_some() => (BsonDocument::new(), true),
                    None => return Ok(None),
                },
            };
            match attempt(all([filter.clone(), id, self.is_current()]), may_insert).await {
                Ok(None) => {}
                Err(error) if may_insert && error.is_duplicate_key() => {
                    // There is a document with the key that did not match: the next attempt looks
                    // whether it is of another version, or came meanwhile.
                    if !tries.again(&error) {
                        if let Some(key) = insertion.and_then(|insertion| insertion.key.clone()) {
                            self.refuse_newer(call, key).await?;
                        }
                        return Err(error);
                    }
                }
                done => return done,
            }
        }
        Err(call.context(contended()))
    }

    /// Changes every document that matches; those of an older version are migrated first.
    pub(crate) async fn change_many(
        &self,
        call: &Call,
        filter: BsonDocument,
        update: &Modification,
    ) -> Result<UpdateResult> {
        let others = all([filter.clone(), self.is_not_current()]);
        for _ in 0..ATTEMPTS {
            let mut batches = pin!(call.find(others.clone(), self.for_write(None)).await?);
            let mut is_current = true;
            while let Some(old) = batches.next(|raw| Ok(raw.to_owned())).await {
                is_current = false;
                self.make_current(call, &old?).await?;
            }
            // A migration that another write came before is made anew.
            if is_current {
                return call.update_many(all([filter, self.is_current()]), update).await;
            }
        }
        Err(call.context(contended()))
    }

    /// Deletes one document of a version that this program knows: the first by the sort. `attempt`
    /// gives `None` where nothing matched.
    pub(crate) async fn delete_one<R, A>(
        &self,
        write: &Write<'_>,
        attempt: impl Fn(BsonDocument) -> A,
    ) -> Result<Option<R>>
    where
        A: Future<Output = Result<Option<R>>>,
    {
        let Write { call, filter, sort, .. } = *write;
        check_acknowledged(call)?;
        for _ in 0..ATTEMPTS {
            let id = match names_id(filter) {
                true => BsonDocument::new(),
                false => match self.first(call, filter.clone(), sort).await? {
                    Some(raw) => id_filter(&raw)?,
                    None => return Ok(None),
                },
            };
            let one = all([filter.clone(), id]);
            if let Some(deleted) = attempt(all([one.clone(), self.is_known()])).await? {
                return Ok(Some(deleted));
            }
            self.refuse_newer(call, one).await?;
            if names_id(filter) {
                return Ok(None);
            }
        }
        Err(call.context(contended()))
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
    async fn pick(&self, write: &Write<'_>) -> Result<Option<BsonDocument>> {
        let first = self.first(write.call, write.filter.clone(), write.sort).await?;
        let Some(raw) = first else { return Ok(None) };
        self.make_current(write.call, &raw).await?;
        id_filter(&raw).map(Some)
    }

    async fn first(
        &self,
        call: &Call,
        filter: BsonDocument,
        sort: Option<&BsonDocument>,
    ) -> Result<Option<RawDocumentBuf>> {
        let options = FindOptions { sort: sort.cloned(), ..self.for_write(Some(1)) };
        call.find(filter, options).await?.next(|raw| Ok(raw.to_owned())).await.transpose()
    }

    /// Writes an old document back at the current version. A newer one is an error.
    pub(crate) async fn make_current(&self, call: &Call, raw: &RawDocument) -> Result<()> {
        let version = Stored::new(raw, self.version);
        if is_own(self.model, version.version()) {
            return Ok(());
        }
        let migrated = (self.migrate)(raw).map_err(|error| call.context(error))?;
        let Some(write_back) = migrated else {
            let message = "no update can migrate the document: it is too large, a field that is new \
                           is stored already, or a name in it begins with `$` or contains `.`";
            let error = Error::new(ErrorKind::Migrate, message);
            return Err(call.context(crate::codec::of_document(error, raw, self.model)));
        };
        // Whether it was written or another write came first, the next attempt tells.
        call.write_back(write_back).await
    }

    /// An error if a document that matches is of a version that this program does not know.
    pub(crate) async fn refuse_newer(&self, call: &Call, filter: BsonDocument) -> Result<()> {
        let unknown_versions = doc! { "$nor": [self.is_known()] };
        match self.first(call, all([filter, unknown_versions]), None).await? {
            None => Ok(()),
            Some(raw) => {
                let stored = Stored::new(&raw, self.version);
                let error = unknown(stored.version(), self.version);
                Err(call.context(crate::codec::of_document(error, &raw, self.model)))
            }
        }
    }

    fn for_write(&self, limit: Option<i64>) -> FindOptions {
        FindOptions { limit, for_write: true, ..FindOptions::default() }
    }

    fn is_current(&self) -> BsonDocument {
        is_version(self.model, self.version)
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

/// The condition on documents of the current version, for a model that has one.
pub(crate) fn of_current_version(model: &Model) -> Option<BsonDocument> {
    model.version.as_ref().map(|version| is_version(model, version))
}

fn is_version(model: &Model, version: &Version) -> BsonDocument {
    match (model.previous)() {
        Some(_) => doc! { version.field: version.label.to_bson() },
        // A document without a version is of the first one.
        None => doc! { version.field: { "$in": [version.label.to_bson(), Bson::Null] } },
    }
}

/// Without an answer nobody knows whether there was a document of the current version.
fn check_acknowledged(call: &Call) -> Result<()> {
    match call.is_acknowledged() {
        true => Ok(()),
        false => Err(call.context(Error::invalid(
            "a write of one document of a model with a schema version needs the server's answer: \
             the write concern `w: 0` gives none",
        ))),
    }
}

fn contended() -> Error {
    Error::new(ErrorKind::Contended, "other writes kept coming first")
}

/// Whether the filter can match one document at most, by its `_id`.
pub(crate) fn names_id(filter: &BsonDocument) -> bool {
    match filter.get("_id") {
        None => false,
        Some(Bson::Document(condition)) => condition.contains_key("$eq"),
        Some(Bson::RegularExpression(_)) => false,
        Some(_) => true,
    }
}

pub(crate) fn id_filter(raw: &RawDocument) -> Result<BsonDocument> {
    let id = raw.get("_id").ok().flatten().and_then(crate::codec::shallow);
    let id = id.ok_or_else(|| Error::new(ErrorKind::Decode, "a stored document without `_id`"))?;
    Ok(doc! { "_id": crate::filter::equal_to(id) })
}

/// Every one of the filters.
fn all(filters: impl IntoIterator<Item = BsonDocument>) -> BsonDocument {
    let filters = filters.into_iter().filter(|filter| !filter.is_empty());
    filters.reduce(crate::filter::both).unwrap_or_default()
}
