//! Tables of filters: what each becomes, and what the server finds by it.

use bson::{Document as BsonDocument, doc};
use futures::TryStreamExt;
use odm::prelude::*;
use odm::{Collection, Document};
use odm_testkit::{Kit, TestResult};

use crate::support::database;

/// A filter, the BSON it becomes, and the `_id`s of the documents it finds.
pub(crate) type Row<T> = (Filter<T>, BsonDocument, &'static [i32]);

/// Checks the BSON of each filter, without a server.
pub(crate) fn assert_sent<T>(table: Vec<Row<T>>) -> TestResult {
    for (filter, expected, _) in table {
        assert_eq!(filter.into_document()?, expected);
    }
    Ok(())
}

/// Stores the documents as they are and checks what each filter finds, and its opposite.
pub(crate) async fn assert_found<T: Document>(
    kit: &Kit,
    stored: Vec<BsonDocument>,
    table: Vec<Row<T>>,
) -> TestResult<Collection<T>> {
    let collection = database(kit).collection::<T>();
    collection.driver().insert_many(&stored).await?;
    let all: Vec<i32> = stored.iter().filter_map(|document| document.get_i32("_id").ok()).collect();
    for (filter, document, expected) in table {
        assert_eq!(ids(&collection, filter.clone()).await?, expected, "{document}");
        let others: Vec<_> = all.iter().copied().filter(|id| !expected.contains(id)).collect();
        if !document.contains_key("$text") {
            let opposite = !filter;
            let shown = opposite.to_string();
            assert_eq!(ids(&collection, opposite).await?, others, "{shown}");
        }
    }
    Ok(collection)
}

/// The `_id`s of what a filter finds, in their order.
pub(crate) async fn ids<T: Document>(
    collection: &Collection<T>,
    filter: Filter<T>,
) -> TestResult<Vec<i32>> {
    let mut found = ids_as_found(collection, filter).await?;
    found.sort_unstable();
    Ok(found)
}

/// The `_id`s of what a filter finds, in the order of the server.
pub(crate) async fn ids_as_found<T: Document>(
    collection: &Collection<T>,
    filter: Filter<T>,
) -> TestResult<Vec<i32>> {
    let raw = collection.driver().clone_with_type::<BsonDocument>();
    let found = raw.find(filter.into_document()?).projection(doc! { "_id": 1 }).await?;
    let found: Vec<_> = found.try_collect().await?;
    Ok(found.iter().filter_map(|document| document.get_i32("_id").ok()).collect())
}

/// The message of a filter that is refused before anything is sent.
pub(crate) async fn refused<T: Document>(
    kit: &Kit,
    collection: &Collection<T>,
    filter: Filter<T>,
) -> TestResult<String> {
    let shown = filter.to_string();
    let (found, sent) = kit.commands(collection.find(filter)).await;
    let error = found.err().ok_or_else(|| format!("accepted: {shown}"))?;
    assert_eq!(error.kind(), odm::ErrorKind::InvalidArgument, "{error}");
    assert!(sent.is_empty(), "{sent}");
    Ok(error.to_string())
}

/// A document with one field.
pub(crate) fn with(id: i32, field: &str, value: impl Into<bson::Bson>) -> BsonDocument {
    doc! { "_id": id, field: value.into() }
}
