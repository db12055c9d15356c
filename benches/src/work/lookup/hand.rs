//! The two strategies as one writes them with the bare driver, for one reference.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bson::doc;
use bson::oid::ObjectId;
use futures::TryStreamExt;
use odm::prelude::*;

use super::model::{Author, JoinedRow, Parent, ParentRow};
use crate::Result;
use crate::measure::Tally;

/// One aggregation with `$lookup`, of at most `limit` parents.
pub(super) async fn by_lookup<P: Parent>(database: mongodb::Database, limit: u32) -> Result<Tally> {
    let lookup = doc! { "$lookup": {
        "from": Author::MODEL.collection,
        "localField": P::Row::FIELD,
        "foreignField": "_id",
        "as": "joined",
    } };
    let parents = database.collection::<P::Row>(P::MODEL.collection);
    let cursor = parents
        .aggregate([doc! { "$limit": limit }, lookup])
        .with_type::<<P::Row as ParentRow>::Joined>()
        .await?;
    let mut rows: Vec<_> = cursor.try_collect().await?;

    let mut tally = Tally::default();
    for row in &mut rows {
        row.place();
        tally.count(row.weight());
    }
    Ok(tally)
}

/// A find of the parents, and one of the authors by `$in` of their ids, each named once.
pub(super) async fn by_batches<P: Parent>(
    database: mongodb::Database,
    limit: u32,
) -> Result<Tally> {
    let parents = database.collection::<P::Row>(P::MODEL.collection);
    let rows: Vec<P::Row> = parents.find(doc! {}).limit(limit.into()).await?.try_collect().await?;
    let authors = find_authors(&database, &rows).await?;
    let placed: Vec<_> = rows
        .into_iter()
        .map(|row| {
            let authors = row.place(&authors);
            (row, authors)
        })
        .collect();

    let mut tally = Tally::default();
    for (_, authors) in &placed {
        tally.count(P::Row::weight(authors));
    }
    Ok(tally)
}

async fn find_authors<R: ParentRow>(
    database: &mongodb::Database,
    rows: &[R],
) -> Result<HashMap<ObjectId, Arc<Author>>> {
    let ids: HashSet<ObjectId> = rows.iter().flat_map(R::ids).copied().collect();
    let ids: Vec<ObjectId> = ids.into_iter().collect();
    let mut authors = HashMap::with_capacity(ids.len());
    let collection = database.collection::<Author>(Author::MODEL.collection);
    let mut cursor = collection.find(doc! { "_id": { "$in": ids } }).await?;
    while let Some(author) = cursor.try_next().await? {
        authors.insert(author.id, Arc::new(author));
    }
    Ok(authors)
}
