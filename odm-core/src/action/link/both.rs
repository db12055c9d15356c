//! The writes that link two documents, or take the link away.

use std::borrow::Cow;

use bson::{Bson, Document, doc};
use mongodb::results::UpdateResult;

use super::Linked;
use crate::driver::{Call, FindOptions, Session};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{both, equal_to};
use crate::migrate::{Change, Guard, Write};
use crate::relation::{Side, Unlink};
use crate::update::Modification;

/// Which document it is, and what guards it.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) id: Result<Bson>,
    pub(super) guard: Option<Guard>,
}

/// One of the two documents, on its side of the relation.
#[derive(Debug, Clone)]
pub(super) struct Party {
    pub(super) call: Call,
    side: Side,
    /// The field of the key that the other side holds.
    key: &'static str,
    id: Bson,
    guard: Option<Guard>,
}

/// Two documents, and what is done with them.
#[derive(Debug, Clone)]
pub(super) struct Both {
    pub(super) near: Party,
    pub(super) far: Party,
    pub(super) is_link: bool,
}

impl Both {
    pub(super) fn on_session(&self, session: &Session) -> Self {
        let mut both = self.clone();
        both.near.call.session(session);
        both.far.call.session(session);
        both
    }

    /// What is refused before anything is sent.
    pub(super) fn check(&self) -> Result<()> {
        let stays = |party: &&Party| !self.is_link && !party.side.held.can_unlink();
        match [&self.near, &self.far].into_iter().find(stays) {
            None => Ok(()),
            Some(party) => {
                let message = "the reference must lead somewhere: declare it as an `Option`, or link \
                               another document in place of this one";
                Err(party.error(Error::invalid(message).with_path(party.side.field())))
            }
        }
    }

    pub(super) async fn apply(self) -> Result<Linked> {
        match self.is_link {
            true => self.link().await,
            false => self.unlink().await,
        }
    }

    /// What a cut leaves behind is completed by the same writes: the far side comes first.
    async fn link(&self) -> Result<Linked> {
        let Self { near, far, .. } = self;
        // A transaction undoes what the absence of the other document is found after.
        let look = !near.call.is_in_transaction();
        let (near_key, far_key) = (near.key(look).await?, far.key(look).await?);
        near.check_others(far, &far_key).await?;
        far.check_others(near, &near_key).await?;
        let mut linked = Linked { far: far.put(&near_key, near).await?, ..Linked::default() };
        linked.near = near.put(&far_key, far).await?;
        if far.side.is_single() {
            linked.displaced += near.take_from_others(&far_key, far).await?;
        }
        if near.side.is_single() {
            linked.displaced += far.take_from_others(&near_key, near).await?;
        }
        Ok(linked)
    }

    async fn unlink(&self) -> Result<Linked> {
        let Self { near, far, .. } = self;
        let keys = async { Ok::<_, Error>((near.key(false).await?, far.key(false).await?)) };
        let (near_key, far_key) = match keys.await {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Linked::default());
            }
            keys => keys?,
        };
        let far_changed = far.take(&near_key, near, equal_to(far.id.clone())).await? > 0;
        let near_changed = near.take(&far_key, far, equal_to(near.id.clone())).await? > 0;
        Ok(Linked { near: near_changed, far: far_changed, displaced: 0 })
    }
}

impl Party {
    pub(super) fn new(call: Call, side: Side, key: &'static str, end: End) -> Result<Self> {
        let id = end.id.map_err(|error| call.context(error))?;
        Ok(Self { call, side, key, id, guard: end.guard })
    }

    fn error(&self, error: Error) -> Error {
        self.call.context(error)
    }

    fn not_found(&self) -> Error {
        let error = Error::new(ErrorKind::NotFound, "the document does not exist");
        self.error(error.with_id(Some(self.id.clone())))
    }

    /// The database of the documents of this side.
    fn database(&self) -> String {
        self.call.target().namespace().db
    }

    /// The key that the other side holds; read where it is not the `_id`, or if it is to be looked
    /// whether the document is there.
    async fn key(&self, look: bool) -> Result<Bson> {
        if self.key == "_id" && !look {
            return Ok(self.id.clone());
        }
        let projection = Some(doc! { "_id": 1, self.key: 1 });
        let options =
            FindOptions { limit: Some(1), projection, for_write: true, ..FindOptions::default() };
        let mut found = self.call.find(doc! { "_id": equal_to(self.id.clone()) }, options).await?;
        let read = |raw: &bson::RawDocument| {
            let value = raw.get(self.key).ok().flatten();
            Ok(value.and_then(|value| Bson::try_from(value).ok()))
        };
        let key = found.next(read).await.ok_or_else(|| self.not_found())??;
        key.filter(|key| *key != Bson::Null).ok_or_else(|| {
            let message = "the document lacks the key that it is referred to by";
            let error = Error::invalid(message).with_path(self.key);
            self.error(error.with_id(Some(self.id.clone())))
        })
    }

    /// Makes the document hold a key of the other's. Whether it was changed.
    async fn put(&self, key: &Bson, other: &Self) -> Result<bool> {
        let stages = self.side.put(key, &other.database());
        let change = Change::Update(Modification::Pipeline(stages));
        let filter = doc! { "_id": equal_to(self.id.clone()) };
        let done = match &self.guard {
            None => Some(self.call.change_one(filter, Cow::Owned(change), false).await?),
            Some(guard) => {
                let write =
                    Write { call: &self.call, filter: &filter, sort: None, insertion: None };
                let change = &change;
                let attempt = |filter, _| async move {
                    let done = self.call.change_one(filter, Cow::Borrowed(change), false).await?;
                    Ok((done.matched_count > 0).then_some(done))
                };
                guard.change_one(&write, attempt).await?
            }
        };
        let done: UpdateResult =
            done.filter(|d| d.matched_count > 0).ok_or_else(|| self.not_found())?;
        Ok(done.modified_count > 0)
    }

    /// The filter on the other documents of this side that hold a key.
    fn others(&self, key: &Bson, other: &Self) -> Document {
        let not_this = doc! { "_id": { "$ne": self.id.clone() } };
        both(self.side.holds(key, &other.database()), not_this)
    }

    /// An error if another document of this side would lose a reference that must lead somewhere.
    async fn check_others(&self, other: &Self, key: &Bson) -> Result<()> {
        if !other.side.is_single() || self.side.held.can_unlink() {
            return Ok(());
        }
        match self.call.count_documents(self.others(key, other), Some(1), None).await? {
            0 => Ok(()),
            _ => {
                let message = "another document refers to it by a reference that must lead \
                               somewhere: link that one to another document first";
                let error = Error::invalid(message).with_path(self.side.field());
                Err(other.error(error.with_id(Some(other.id.clone()))))
            }
        }
    }

    async fn take_from_others(&self, key: &Bson, other: &Self) -> Result<u64> {
        self.take(key, other, doc! { "$ne": self.id.clone() }.into()).await
    }

    /// Takes a key away from documents of this side. How many were changed.
    async fn take(&self, key: &Bson, other: &Self, id: Bson) -> Result<u64> {
        let mut changed = 0;
        for write in self.side.take(key, &other.database()) {
            let update = write.modification()?;
            let Unlink { filter, .. } = write;
            let filter = both(doc! { "_id": id.clone() }, filter);
            let done = match &self.guard {
                None => self.call.update_many(filter, &update).await?,
                Some(guard) => guard.change_many(&self.call, filter, &update).await?,
            };
            changed += done.modified_count;
        }
        Ok(changed)
    }
}
