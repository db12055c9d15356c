//! What several tests need.

use bson::{Document as BsonDocument, RawDocumentBuf};
use futures::TryStreamExt;
use odm::model::Shape;
use odm::{Database, Document};
use odm_testkit::{Kit, TestResult};

/// The database of a test, as the library's handle.
pub(crate) fn database(kit: &Kit) -> Database {
    Database::from(kit.database())
}

/// Checks what every model must keep: the descriptor names just what serde writes, and documents
/// are stored like the driver's own `Collection<T>` stores them, but for the version.
pub(crate) async fn assert_stored_like_serde<T>(kit: &Kit, samples: &[T]) -> TestResult
where
    T: Document + Clone + PartialEq + std::fmt::Debug,
{
    let db = database(kit);
    let ours = db.collection::<T>();
    let theirs = kit.database().collection::<T>("stored_by_the_driver");
    for sample in samples {
        let raw = bson::serialize_to_raw_document_buf(sample)?;
        assert_names(T::MODEL.shape, &BsonDocument::try_from(&raw)?);

        ours.insert_one(sample).await?;
        theirs.insert_one(sample).await?;
        let stored = take_one(&ours.driver_raw()).await?;
        let expected = take_one(&theirs.clone_with_type()).await?;
        let (mut stored_document, mut expected_document) =
            (BsonDocument::try_from(&stored)?, BsonDocument::try_from(&expected)?);
        if sample.id().is_none() {
            // Each insert generated an `_id` of its own.
            stored_document.insert("_id", 1);
            expected_document.insert("_id", 1);
        }
        if let Some(version) = T::MODEL.version {
            assert_eq!(stored_document.keys().nth(1).map(String::as_str), Some(version.field));
            assert_eq!(stored_document.remove(version.field), Some(version.label.to_bson()));
        }
        let stored_bytes = RawDocumentBuf::try_from(&stored_document)?;
        assert_eq!(stored_bytes, RawDocumentBuf::try_from(&expected_document)?, "{sample:?}");
        let read = T::decode(&stored)?;
        if sample.id().is_some() {
            assert_eq!(read, *sample);
        }
    }
    Ok(())
}

/// Reads the only document of a collection and removes it.
async fn take_one(collection: &mongodb::Collection<RawDocumentBuf>) -> TestResult<RawDocumentBuf> {
    let found = collection.find_one_and_delete(BsonDocument::new()).await?;
    found.ok_or_else(|| "nothing was stored".into())
}

/// The names of the shape are the keys of the document, in order; what is missing may be skipped.
fn assert_names(shape: &Shape, document: &BsonDocument) {
    let keys: Vec<_> = document.keys().map(String::as_str).collect();
    let names = shape.names();
    if shape.variants.is_empty() && !shape.is_open() {
        let expected: Vec<_> = names
            .iter()
            .copied()
            .filter(|name| {
                document.contains_key(name) || !shape.field(name).is_some_and(|f| f.skippable)
            })
            .collect();
        assert_eq!(keys, expected, "`{}`", shape.name);
    } else if !shape.is_open() {
        assert!(keys.iter().all(|key| names.contains(key)), "{keys:?} of `{}`", shape.name);
    }
    for (name, value) in document {
        let Some(inner) = shape.field(name).and_then(|field| (field.shape)()) else {
            continue;
        };
        match value {
            bson::Bson::Document(nested) => assert_names(inner, nested),
            bson::Bson::Array(items) => {
                items
                    .iter()
                    .filter_map(bson::Bson::as_document)
                    .for_each(|item| assert_names(inner, item));
            }
            _ => {}
        }
    }
}

/// How many cursors of a collection the server holds.
pub(crate) async fn cursors(kit: &Kit, namespace: &str) -> TestResult<usize> {
    open_cursors(kit, namespace).await.map(|cursors| cursors.len())
}

/// How many batches the cursor of a collection has sent. The server may list it twice: as idle, and
/// as at work.
pub(crate) async fn batches(kit: &Kit, namespace: &str) -> TestResult<i64> {
    let cursors = open_cursors(kit, namespace).await?;
    let sent =
        cursors.iter().map(|cursor| cursor.get_document("cursor")?.get_i64("nBatchesReturned"));
    Ok(sent.collect::<Result<Vec<_>, _>>()?.into_iter().max().unwrap_or(0))
}

pub(crate) async fn open_cursors(kit: &Kit, namespace: &str) -> TestResult<Vec<BsonDocument>> {
    let stages = [
        bson::doc! { "$currentOp": { "idleCursors": true, "allUsers": true } },
        bson::doc! { "$match": { "ns": namespace, "cursor": { "$exists": true } } },
    ];
    let found = kit.client().database("admin").aggregate(stages).await?;
    Ok(found.try_collect().await?)
}

/// A test that the models of a file are stored as serde and the driver store them.
macro_rules! stored_like_serde {
    ($($sample:expr),+ $(,)?) => {
        /// The descriptor names what serde writes, and the stored bytes are the driver's own.
        #[test]
        fn models_are_stored_like_serde() -> odm_testkit::TestResult {
            odm_testkit::run(async |kit| {
                $(crate::support::assert_stored_like_serde(&kit, &[$sample]).await?;)+
                Ok(())
            })
        }
    };
}
pub(crate) use stored_like_serde;
