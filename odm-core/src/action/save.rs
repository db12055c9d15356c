//! `save`: the difference between a tracked document and what is stored.

use std::borrow::Cow;
use std::fmt;
use std::future::IntoFuture;

use bson::{Bson, DateTime, Document as BsonDocument, RawDocument, RawDocumentBuf, doc};
use futures::future::BoxFuture;

use crate::codec;
use crate::collection::Collection;
use crate::driver::{Call, FindOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{both, equal_to};
use crate::migrate::{self, Change, of_current_version};
use crate::model::Document;
use crate::patch::{self, Guard, Patch, States};
use crate::tracked::Tracked;
use crate::update::Modification;

mod kept;

use kept::{ReadAt, keep};

impl<T: Document> Collection<T> {
    /// Saves what has changed in a tracked document since it was read or saved last, by one minimal
    /// update.
    ///
    /// Awaiting gives whether anything had changed. It takes one round trip, and none where nothing
    /// has. Fields that are new or differ are set, those that are gone are unset, inside of embedded
    /// documents and elements too; what no struct knows of a document survives. A list is changed in
    /// one of these ways:
    ///
    /// | what happened | what is sent |
    /// |---|---|
    /// | elements were appended | `$push`; those that others append meanwhile stay |
    /// | elements were changed, none came or went | their fields are set, by position |
    /// | anything else | the list is set whole |
    ///
    /// Where `#[odm(embedded(key = "id"))]` says what tells the elements apart:
    ///
    /// | what happened | what is sent |
    /// |---|---|
    /// | elements were changed | their fields are set, wherever they are by then |
    /// | elements were taken away | `$pull`; those that others append meanwhile stay |
    /// | elements were appended | `$push`, unless an element with the key has come meanwhile |
    /// | anything else | the list is set whole, over what was read alone |
    ///
    /// Other fields may be changed by others meanwhile; of two saves that set the same field the
    /// later one stays. Embedded documents and maps have no order here: fields that only changed
    /// places are no change. A field whose name begins with `$` or contains a dot is set with the
    /// embedded document that it is in; at the top level, with the others that changed, by a
    /// pipeline, from server 5.0.
    ///
    /// In a transaction what was saved counts as stored once that has committed; after an abort the
    /// next save sends the changes again.
    ///
    /// A document of an older schema version is brought up to the current one by the same command,
    /// under the condition that it is still as it was read. Where it is not, it is read again, and
    /// migrated first if it is still old: up to five round trips.
    ///
    /// The revision, the stamps and the date of deletion are the library's: what the struct has in
    /// these fields is not sent. The document is saved over the revision that it was read or saved at
    /// alone, and has the new revision and date of change then. An old document of such a model is
    /// migrated by a command of its own before.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the document has been deleted, for good
    /// or softly (two round trips);
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) if it is of another revision by now (two
    /// round trips), or the elements of a list with keys are not such that the change can be made;
    /// [`ErrorKind::TooMany`](crate::ErrorKind::TooMany) if a list would be longer than its bound;
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the `_id` was changed, or
    /// the document was saved in a transaction that has not ended;
    /// [`ErrorKind::Encode`](crate::ErrorKind::Encode);
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey);
    /// [`ErrorKind::NewerVersion`](crate::ErrorKind::NewerVersion) if it has been brought to a
    /// version that this program does not know. Nothing is written then, and the document keeps its
    /// changes.
    ///
    /// Source: [`update`](https://www.mongodb.com/docs/manual/reference/command/update/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let Some(mut post) = posts.get(1).tracked().await? else { return Ok(()) };
    /// post.title = post.title.to_uppercase();
    /// let has_changed: bool = posts.save(&mut post).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn save<'a>(&self, document: &'a mut Tracked<T>) -> Save<'a, T> {
        Save { call: Call::new(self.target(), "save"), document }
    }
}

/// Saves a tracked document; see [`Collection::save`].
#[must_use = "an action does nothing until it is awaited"]
pub struct Save<'a, T> {
    call: Call,
    document: &'a mut Tracked<T>,
}

impl<T: Document> Save<'_, T> {
    option_setters!(session, write_concern, comment);
}

impl<T> fmt::Debug for Save<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Save").field(&self.call).finish()
    }
}

impl<'a, T: Document> IntoFuture for Save<'a, T> {
    type Output = Result<bool>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let watch = self.call.watch(None);
        watch.run(async move {
            let Self { call, document } = self;
            let now = DateTime::now();
            let call = call.stamped_at(now);
            let written = Tracked::value(document).encode();
            let written = written.map_err(|error| call.context(error))?;
            let saved = save(&call, document, &written, now).await;
            let Some(stored) = saved.map_err(|error| of_id(&call, error, &written))? else {
                return Ok(false);
            };
            let written = match T::MODEL.stamps.is_none() {
                true => written,
                false => document.take_stamps(&stored).map_err(|error| call.context(error))?,
            };
            document.advance(stored, written, call.outcome());
            Ok(true)
        })
    }
}

/// How often a save is tried against others that change the version or the elements.
const ATTEMPTS: usize = 16;

/// Sends what has changed. The document as it is stored now; `None` where nothing has changed.
async fn save<T: Document>(
    call: &Call,
    document: &mut Tracked<T>,
    written: &RawDocument,
    now: DateTime,
) -> Result<Option<RawDocumentBuf>> {
    let outcome = call.outcome();
    let state = document.state(outcome.as_ref())?;
    let Some(before) = state.before()?.filter(|before| before.as_bytes() != written.as_bytes())
    else {
        return Ok(None);
    };
    call.target().check_bounds(Some(before), written)?;
    let mut stored = state.stored.clone();
    let id = id_of(&stored, written)?;
    let at = ReadAt::of(before, T::MODEL)?;
    let before = codec::decode_document(before)?;
    let mut after = codec::decode_document(written)?;
    keep(T::MODEL.stamps, &before, &mut after);
    if !call.is_acknowledged() {
        let message = "a save needs the server's answer: the write concern `w: 0` gives none";
        return Err(Error::invalid(message));
    }
    let by_id = || doc! { "_id": equal_to(id.clone()) };
    // The value and what the library keeps would both set the stamps.
    let mut may_bring_up = T::MODEL.stamps.is_none();
    for _ in 0..ATTEMPTS {
        match migrate::is_current(&stored, T::MODEL) {
            true => {
                let read = codec::decode_document(&stored)?;
                let states = States { stored: &read, before: &before, after: &after };
                let Some(patch) = patch::plan(states, T::MODEL)? else { return Ok(None) };
                let guards = patch.guards.clone();
                if send::<T>(call, at.guard(by_id()), patch).await? {
                    let mut saved = patch::merge(states, T::MODEL);
                    at.stamp(&mut saved, now);
                    return raw(&saved).map(Some);
                }
                stored = read_again(call, by_id()).await?;
                at.refuse_stale(&stored)?;
                let found = codec::decode_document(&stored)?;
                if let Some(guard) = guards.iter().find(|guard| !guard.holds(&found)) {
                    return Err(guard.broken());
                }
            }
            false => {
                if std::mem::take(&mut may_bring_up)
                    && let Some(change) = migrate::bring_up(&stored, Tracked::value(document))?
                {
                    let brought_up = apply(&codec::decode_document(&stored)?, &change.update);
                    let exact = call.clone().exactly();
                    if change_one(&exact, change.filter, operators(change.update)).await? {
                        return raw(&brought_up).map(Some);
                    }
                } else if let Some(guard) = migrate::Guard::of::<T>() {
                    guard.make_current(call, &stored).await?;
                }
                stored = read_again(call, by_id()).await?;
                at.refuse_stale(&stored)?;
            }
        }
        // A version that this program does not know is an error.
        migrate::read::<T>(&stored)?;
    }
    Err(Error::new(ErrorKind::Contended, "other writes kept coming first"))
}

/// Whether there was a document to change.
async fn send<T: Document>(call: &Call, one: BsonDocument, patch: Patch) -> Result<bool> {
    let guards = patch.guards.iter().map(Guard::condition);
    let conditions = guards.chain(of_current_version(T::MODEL));
    let filter = conditions.fold(one, both);
    change_one(call, filter, patch.modification).await
}

async fn change_one(call: &Call, filter: BsonDocument, change: Modification) -> Result<bool> {
    let changed = call.change_one(filter, Cow::Owned(Change::Update(change)), false).await?;
    Ok(changed.matched_count > 0)
}

fn operators(document: BsonDocument) -> Modification {
    Modification::Operators { document, filters: Default::default() }
}

async fn read_again(call: &Call, by_id: BsonDocument) -> Result<RawDocumentBuf> {
    let options = FindOptions { limit: Some(1), for_write: true, ..FindOptions::default() };
    let found = call.find(by_id, options).await?.next(|raw| Ok(raw.to_owned())).await;
    found.transpose()?.ok_or_else(|| {
        Error::new(ErrorKind::NotFound, "the document has been deleted since it was read")
    })
}

/// The `_id`, which must be what it was.
fn id_of(stored: &RawDocument, written: &RawDocument) -> Result<Bson> {
    let stored = stored.get("_id").ok().flatten();
    let stored = stored.ok_or_else(|| Error::new(ErrorKind::Decode, "stored without an `_id`"))?;
    let written = written.get("_id").ok().flatten();
    let is_same = written
        .is_some_and(|written| codec::element_bytes(written) == codec::element_bytes(stored));
    match codec::shallow(stored).filter(|_| is_same) {
        Some(id) => Ok(id),
        None => {
            let message = "the `_id` of a document cannot be changed: insert another document";
            Err(Error::invalid(message).with_path("_id"))
        }
    }
}

/// Sets and unsets top-level fields.
fn apply(stored: &BsonDocument, update: &BsonDocument) -> BsonDocument {
    let mut document = stored.clone();
    document.extend(update.get_document("$set").cloned().unwrap_or_default());
    for name in update.get_document("$unset").iter().flat_map(|unset| unset.keys()) {
        document.remove(name);
    }
    document
}

fn raw(document: &BsonDocument) -> Result<RawDocumentBuf> {
    RawDocumentBuf::try_from(document).map_err(codec::encode_error)
}

fn of_id(call: &Call, error: Error, written: &RawDocument) -> Error {
    let id = written.get("_id").ok().flatten().and_then(codec::shallow);
    call.context(error).with_id(id)
}
