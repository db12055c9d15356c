//! Writes that add to lists with a bound: only to documents that have room, and an error for those
//! that have none.

use bson::{Document as BsonDocument, doc};

use crate::driver::{Call, FindOptions};
use crate::error::{Error, Result};
use crate::filter::both;
use crate::migrate::{Tries, Write, id_filter, names_id};
use crate::model::bounds;
use crate::update::Room;

/// How often a document is looked for that other writes change first.
const ATTEMPTS: usize = 16;

/// The filter on documents that have all the room.
pub(super) fn with_room(filter: BsonDocument, rooms: &[Room]) -> BsonDocument {
    rooms.iter().map(|room| room.condition.clone()).fold(filter, both)
}

/// An error if a document that the filter matches has no room.
pub(super) async fn refuse_full(call: &Call, filter: &BsonDocument, rooms: &[Room]) -> Result<()> {
    for room in rooms {
        let full = doc! { "$nor": [room.condition.clone()] };
        if let Some(id) = first(call, both(filter.clone(), full), None).await? {
            let error = bounds::exceeded(room.max).with_path(&room.path);
            return Err(call.context(error.with_id(id.get("_id").cloned())));
        }
    }
    Ok(())
}

/// Sends a write of one document with the condition on its room.
pub(super) async fn attempt<R, A>(
    write: &Write<'_>,
    rooms: &[Room],
    filter: BsonDocument,
    may_insert: bool,
    attempt: impl Fn(BsonDocument, bool) -> A,
) -> Result<Option<R>>
where
    A: Future<Output = Result<Option<R>>>,
{
    if may_insert {
        // A full document would not match, and another be inserted.
        refuse_full(write.call, &filter, rooms).await?;
    }
    let done = attempt(with_room(filter.clone(), rooms), may_insert).await;
    let has_missed = match &done {
        Ok(done) => done.is_none(),
        Err(error) => error.is_duplicate_key() && may_insert && !write.call.is_in_transaction(),
    };
    if has_missed {
        refuse_full(write.call, &filter, rooms).await?;
    }
    done
}

/// Sends a write of one document, which is chosen without the condition on its room.
pub(super) async fn send<R, A>(
    write: &Write<'_>,
    rooms: &[Room],
    send: impl Fn(BsonDocument, bool) -> A,
) -> Result<Option<R>>
where
    A: Future<Output = Result<Option<R>>>,
{
    let Write { call, filter, sort, insertion, .. } = *write;
    let mut tries = Tries::new(write);
    for _ in 0..ATTEMPTS {
        let one = match names_id(filter) {
            true => None,
            false => first(call, filter.clone(), sort).await?,
        };
        let may_insert = one.is_none() && insertion.is_some();
        let is_chosen = one.is_some();
        let of_one = match one {
            Some(id) => both(filter.clone(), id),
            None if names_id(filter) || may_insert => filter.clone(),
            None => return Ok(None),
        };
        match attempt(write, rooms, of_one, may_insert, &send).await {
            Err(error) if tries.again(&error) => {}
            // It was changed after it was chosen.
            Ok(None) if is_chosen => {}
            done => return done,
        }
    }
    let message = "other writes kept coming first";
    Err(call.context(Error::new(crate::ErrorKind::Contended, message)))
}

/// The first document that matches, as a filter on its `_id`.
async fn first(
    call: &Call,
    filter: BsonDocument,
    sort: Option<&BsonDocument>,
) -> Result<Option<BsonDocument>> {
    let options = FindOptions {
        sort: sort.cloned(),
        limit: Some(1),
        projection: Some(doc! { "_id": 1 }),
        for_write: true,
        ..FindOptions::default()
    };
    let found = call.find(filter, options).await?.next(|raw| Ok(raw.to_owned())).await;
    found.transpose()?.map(|raw| id_filter(&raw)).transpose()
}
