//! What an upsert is checked for before it is sent.
//!
//! Two programs that upsert under one filter at the same time both find nothing and both insert,
//! unless a unique index refuses the second. So the filter must name a unique key, and the one that
//! was refused tries again: then it finds the document of the other.

use std::borrow::Cow;

use bson::{Bson, DateTime, Document as BsonDocument, RawDocument, RawDocumentBuf, doc};

use mongodb::results::UpdateResult;

use super::room;
use crate::driver::Call;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::equal_to;
use crate::migrate::{Change, Guard, Tries, Write};
use crate::model::{Document, Model};
use crate::update::{Insertion, Modification, Room, equalities, inserted};

/// Gives a builder `upsert` and `upsert_on_any_filter`: the same for every action that has them.
///
/// The builder holds an `upsert`; one that holds another builder names that field first.
macro_rules! upsert_setters {
    ($($field:ident)?) => {
        /// Inserts a document where none matches.
        ///
        /// The filter must name the `_id`, or all keys of a unique index of the model, by equality:
        /// so two upserts at once do not insert two documents. The one that comes second finds the
        /// document of the first, for which it takes another round trip.
        ///
        /// What is inserted by an update, by this rule and no other:
        ///
        /// 1. what the filter asks for by equality;
        /// 2. the update, its `set_on_insert` too;
        /// 3. the schema version, if the model has one, which no update may name;
        /// 4. where neither gives an `_id`, an ObjectId that the server generates.
        ///
        /// If that could not be read back as the model, since a field is missing or the `_id` is of
        /// another type, the upsert is refused before it is sent; what a pipeline inserts cannot be
        /// told. A replacement is inserted as it is, with the filter's `_id` if it has none.
        ///
        /// On a model with a schema version an old document that matches is migrated and changed,
        /// and a newer one is an error; neither gets a second one beside it. It takes one
        /// round trip for what is inserted or current and named by its `_id`, and two for another
        /// key, or in a transaction; for an old document those of the action.
        ///
        /// # Errors
        /// Awaiting gives [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for what
        /// is refused; [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey) if there is a
        /// document with the key that the rest of the filter does not match.
        ///
        /// ```no_run
        /// # use odm::prelude::*;
        /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
        /// # struct Page { #[serde(rename = "_id")] id: String, views: i64, title: String }
        /// # async fn example(pages: Collection<Page>) -> odm::Result<()> {
        /// let p = Page::fields();
        /// let seen = p.views().inc(1) + p.title().set_on_insert("untitled");
        /// pages.update_one(p.id().eq("/home"), seen).upsert().await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn upsert(mut self) -> Self {
            self$(.$field)?.upsert = $crate::action::upsert::Upsert::OnUniqueKey;
            self
        }

        /// As [`upsert`](Self::upsert), with a filter that names no unique key: two upserts at once
        /// may both insert.
        pub fn upsert_on_any_filter(mut self) -> Self {
            self$(.$field)?.upsert = $crate::action::upsert::Upsert::OnAnyFilter;
            self
        }
    };
}

/// Whether an action inserts where nothing matches.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Upsert {
    No,
    OnUniqueKey,
    OnAnyFilter,
}

/// Reads a document as the model, to see whether it can be read.
pub(super) type Readable = fn(&RawDocument) -> Result<()>;

pub(super) fn readable<T: Document>(raw: &RawDocument) -> Result<()> {
    T::decode(raw).map(drop)
}

impl Upsert {
    /// Completes what is to be sent, so that what it inserts is a document of the model.
    pub(super) fn plan(
        self,
        call: &Call,
        filter: &BsonDocument,
        change: &mut Change,
        readable: Readable,
    ) -> Result<Option<Insertion>> {
        let model = call.target().model;
        let equalities = match self {
            Self::No => return Ok(None),
            Self::OnUniqueKey | Self::OnAnyFilter => equalities(filter)?,
        };
        let key = unique_key(&equalities, model);
        if key.is_none() && matches!(self, Self::OnUniqueKey) {
            return Err(Error::invalid(
                "an upsert needs a filter that names the `_id` or all keys of a unique index by \
                 equality, so that two of them at once cannot insert two documents; else say \
                 `upsert_on_any_filter()`",
            ));
        }
        match change {
            Change::Update(update) => complete_update(update, &equalities, model, readable)?,
            Change::Replace(replacement) => check_replacement(replacement, &equalities)?,
        }
        // A deleted document may hold the key, and then no attempt finds it.
        let is_whole = |key: &BsonDocument| {
            key.len() == equalities.len()
                && names_only(filter)
                && model.stamps.soft_delete.is_none()
        };
        Ok(Some(Insertion { is_key: key.as_ref().is_some_and(is_whole), key }))
    }
}

/// The equalities on the `_id`, or on all keys of a unique index, as a filter.
fn unique_key(equalities: &BsonDocument, model: &Model) -> Option<BsonDocument> {
    let filter = |path: &str, value: &Bson| doc! { path: equal_to(value.clone()) };
    if let Some(id) = equalities.get("_id") {
        return Some(filter("_id", id));
    }
    (model.indexes)().iter().find_map(|index| {
        let mut key = BsonDocument::new();
        for path in index.unique_key()? {
            // What has no value is in no unique index.
            let value = equalities.get(path).filter(|value| **value != Bson::Null)?;
            key.extend(filter(path, value));
        }
        Some(key)
    })
}

/// Whether a filter is nothing but equalities.
fn names_only(filter: &BsonDocument) -> bool {
    filter.iter().all(|(path, condition)| match condition {
        Bson::Array(parts) if path == "$and" => {
            parts.iter().filter_map(Bson::as_document).all(names_only)
        }
        Bson::Document(operators) => {
            let is_operator = operators.keys().next().is_some_and(|key| key.starts_with('$'));
            !is_operator || operators.keys().all(|operator| operator == "$eq")
        }
        Bson::RegularExpression(_) => false,
        _ => !path.starts_with('$'),
    })
}

/// Adds the version to what is inserted, and sees that it can be read.
fn complete_update(
    update: &mut Modification,
    equalities: &BsonDocument,
    model: &Model,
    readable: Readable,
) -> Result<()> {
    if let Some(path) = update.positional_path() {
        let message = "an upsert that inserts has no elements to change: give the whole list";
        return Err(Error::invalid(message).with_path(path));
    }
    update.set_version(model);
    let stamped = update.clone().stamped(model.stamps, DateTime::now(), true);
    let Some(inserted) = inserted(equalities, &stamped) else { return Ok(()) };
    let (asked, given) = (equalities.get("_id"), inserted.get("_id"));
    if asked.is_some() && asked != given {
        let message = "the `_id` that is set on insert is not the one that the filter asks for";
        return Err(Error::invalid(message).with_path("_id"));
    }
    let raw = RawDocumentBuf::try_from(&inserted)
        .map_err(|error| Error::invalid("the upsert has no BSON form").with_source(error))?;
    readable(&raw).map_err(|error| {
        let message = format!(
            "the document that the upsert would insert could not be read ({}): set what is missing, \
             by `set_on_insert` where existing documents keep theirs",
            error.message()
        );
        Error::invalid(message).with_path(error.path().unwrap_or_default())
    })
}

fn check_replacement(replacement: &RawDocument, equalities: &BsonDocument) -> Result<()> {
    let own = replacement.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
    match (own, equalities.get("_id")) {
        (Some(own), Some(asked)) if own != *asked => {
            let message = format!(
                "the replacement has the `_id` {own}, and the filter asks for {asked}: the `_id` \
                 of a document never changes"
            );
            Err(Error::invalid(message).with_path("_id"))
        }
        _ => Ok(()),
    }
}

/// Sends a write of one document: guarded, where the model has a version. `attempt` sends the change
/// with a filter and whether it may insert, and gives `None` where nothing matched.
pub(super) async fn send<R, A>(
    guard: Option<Guard>,
    write: &Write<'_>,
    rooms: &[Room],
    attempt: impl Fn(BsonDocument, bool) -> A,
) -> Result<Option<R>>
where
    A: Future<Output = Result<Option<R>>>,
{
    match (guard, rooms) {
        (Some(guard), []) => guard.change_one(write, attempt).await,
        (Some(guard), rooms) => {
            let attempt =
                |filter, may_insert| room::attempt(write, rooms, filter, may_insert, &attempt);
            guard.change_one(write, attempt).await
        }
        (None, []) => send_unguarded(write, attempt).await,
        (None, rooms) => room::send(write, rooms, attempt).await,
    }
}

/// An insertion that a unique index refused is tried again, since the document of another that came
/// first may match now.
async fn send_unguarded<R, A>(
    write: &Write<'_>,
    attempt: impl Fn(BsonDocument, bool) -> A,
) -> Result<Option<R>>
where
    A: Future<Output = Result<Option<R>>>,
{
    let mut tries = Tries::new(write);
    loop {
        match attempt(write.filter.clone(), write.insertion.is_some()).await {
            Err(error) if tries.again(&error) => {}
            done => return done,
        }
    }
}

/// The rooms that a document must have for a change.
pub(super) fn rooms(call: &Call, change: &Change) -> Result<Vec<Room>> {
    match change {
        Change::Update(update) => rooms_of(call, update),
        Change::Replace(_) => Ok(Vec::new()),
    }
}

/// The rooms that documents must have for an update.
pub(super) fn rooms_of(call: &Call, update: &Modification) -> Result<Vec<Room>> {
    let rooms = update.rooms(call.target().model);
    match rooms.is_empty() || call.is_acknowledged() {
        true => Ok(rooms),
        false => Err(call.context(Error::invalid(
            "an update that adds to a list with a bound needs the server's answer: the write concern \
             `w: 0` gives none",
        ))),
    }
}

/// What `update_one` and `replace_one` do.
pub(super) async fn change_one(
    call: Call,
    filter: Result<BsonDocument>,
    change: Result<Change>,
    upsert: Upsert,
    readable: Readable,
    guard: Option<Guard>,
) -> Result<UpdateResult> {
    let context = |error| call.context(error);
    let (filter, mut change) = (filter.map_err(context)?, change.map_err(context)?);
    let insertion = upsert.plan(&call, &filter, &mut change, readable).map_err(context)?;
    // A value that has a revision was stored.
    let of_revision =
        matches!(change, Change::Replace(_)) && call.target().model.stamps.revision.is_some();
    let rooms = rooms(&call, &change)?;
    if guard.is_none() && insertion.is_none() && rooms.is_empty() && !of_revision {
        return call.change_one(filter, Cow::Owned(change), false).await;
    }
    let write = Write { call: &call, filter: &filter, sort: None, insertion: insertion.as_ref() };
    let (call, change) = (&call, &change);
    let result = send(guard, &write, &rooms, |filter, may_insert| async move {
        let result = call.change_one(filter, Cow::Borrowed(change), may_insert).await?;
        let done = result.matched_count > 0 || result.upserted_id.is_some();
        Ok(done.then_some(result))
    });
    match result.await? {
        None if of_revision && call.is_acknowledged() => {
            let message = "there is no such document to replace: it was deleted";
            Err(call.context(Error::new(ErrorKind::NotFound, message)))
        }
        result => Ok(result.unwrap_or_default()),
    }
}
