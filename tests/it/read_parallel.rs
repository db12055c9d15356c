//! Decoding by several tasks: the same documents, errors and write-backs in the same order, within
//! the bounds that are stated.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bson::doc;
use futures::{StreamExt, TryStreamExt};
use odm::prelude::*;
use odm::{ErrorKind, Session};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{batches, cursors, database, open_cursors, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "entries")]
struct Entry {
    #[serde(rename = "_id")]
    id: i32,
    text: String,
}

/// About 1 kB each, so that a chunk has 127 of them and a batch of 16 MB about 16,000.
fn entries(count: i32) -> Vec<Entry> {
    (0..count).map(|id| Entry { id, text: "x".repeat(1_000) }).collect()
}

#[test]
fn the_order_is_that_of_the_find() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let collection = db.collection::<Entry>();
        collection.insert_many(entries(20_000)).await?;
        let by_id = || collection.find(Filter::new()).sort(Entry::fields().id().asc());
        for tasks in [0, 1, 2, 5] {
            let read = by_id().parallel_decode(tasks);
            let (found, sent) = kit.commands(read).await;
            assert!(found? == entries(20_000), "{tasks}");
            assert_eq!(sent.names(), ["find", "getMore"], "{sent}");
            let stream = by_id().parallel_decode(tasks).batch_size(700).stream().await?;
            assert!(stream.try_collect::<Vec<_>>().await? == entries(20_000), "{tasks}");
        }
        let none = collection.find(Entry::fields().id().eq(-1)).parallel_decode(3).await?;
        assert_eq!(none, []);
        // Where batches are fetched by turns, and within an old view of the data.
        let session: Session = db.start_session().snapshot(true).await?;
        let read = by_id().session(&session).parallel_decode(3).batch_size(700);
        assert!(read.await? == entries(20_000));
        Ok(())
    })
}

#[test]
fn what_cannot_be_decoded_is_an_error_in_its_place() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Entry>();
        collection.insert_many(entries(2_000)).await?;
        let bad = [0, 130, 131, 1_000, 1_999];
        let broken = doc! { "$set": { "text": 1 } };
        collection.driver().update_many(doc! { "_id": { "$in": bad.to_vec() } }, broken).await?;
        let read = collection.find(Filter::new()).sort(Entry::fields().id().asc());
        let mut stream = read.parallel_decode(3).stream().await?;
        for id in 0..2_000 {
            match stream.next().await.ok_or("too few")? {
                Ok(entry) => assert_eq!(entry.id, id),
                Err(error) => {
                    assert!(bad.contains(&id), "{error}");
                    assert_eq!(error.kind(), ErrorKind::Decode);
                    assert_eq!(error.id(), Some(&bson::Bson::Int32(id)));
                    assert_eq!((error.path(), error.operation()), (Some("text"), Some("find")));
                }
            }
        }
        assert!(stream.next().await.is_none());
        Ok(())
    })
}

/// The cursor is lost after the second batch: what came before is handed out, then the error.
#[test]
fn a_batch_that_does_not_come_is_an_error_in_its_place() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let collection = db.collection::<Entry>();
        collection.insert_many(entries(100)).await?;
        let namespace = format!("{}.entries", db.name());
        let read = collection.find(Filter::new()).sort(Entry::fields().id().asc());
        let mut stream = read.parallel_decode(2).batch_size(10).stream().await?;
        assert_eq!(stream.next().await.transpose()?.map(|entry| entry.id), Some(0));
        let cursors = open_cursors(&kit, &namespace).await?;
        let ids: Vec<_> = cursors
            .iter()
            .map(|cursor| cursor.get_document("cursor")?.get_i64("cursorId"))
            .collect::<Result<_, _>>()?;
        kit.database().run_command(doc! { "killCursors": "entries", "cursors": ids }).await?;
        let mut read = 1;
        let error = loop {
            match stream.next().await.ok_or("no error")? {
                Ok(entry) => assert_eq!(entry.id, read),
                Err(error) => break error,
            }
            read += 1;
        };
        assert_eq!((error.code(), read % 10), (Some(43), 0));
        assert!(stream.next().await.is_none());
        Ok(())
    })
}

/// Never more batches than one for each task, the two of every read, and the one that is handed out.
#[test]
fn batches_are_held_within_the_bound() -> TestResult {
    const TASKS: i64 = 3;
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let collection = db.collection::<Entry>();
        collection.insert_many(entries(300)).await?;
        let namespace = format!("{}.entries", db.name());
        let mut stream =
            collection.find(Filter::new()).parallel_decode(3).batch_size(10).stream().await?;
        for read in 1..=150 {
            assert!(stream.next().await.transpose()?.is_some());
            if read % 25 == 1 {
                // Round trips of others, in which more batches would have come.
                for _ in 0..10 {
                    let sent = batches(&kit, &namespace).await?;
                    let handed_out = (read - 1) / 10;
                    assert!(sent <= handed_out + 1 + TASKS + 2, "{sent} after {read}");
                }
            }
        }
        assert_eq!(stream.count().await, 150);
        Ok(())
    })
}

static DECODED: AtomicUsize = AtomicUsize::new(0);

/// Counts how many of it were decoded.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Counting(i32);

impl<'de> Deserialize<'de> for Counting {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DECODED.fetch_add(1, Ordering::SeqCst);
        i32::deserialize(deserializer).map(Self)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "counted")]
struct Counted {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(opaque)]
    count: Counting,
    text: String,
}

/// What is decoded ahead is bounded, and a stream that is dropped decodes no more and ends its cursor.
#[test]
fn a_dropped_stream_decodes_no_more() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let collection = db.collection::<Counted>();
        let text = "x".repeat(1_000);
        let all = (0..20_000).map(|id| Counted { id, count: Counting(id), text: text.clone() });
        collection.insert_many(all).await?;
        let namespace = format!("{}.counted", db.name());
        let mut stream =
            collection.find(Filter::new()).parallel_decode(2).batch_size(5_000).stream().await?;
        DECODED.store(0, Ordering::SeqCst);
        assert!(stream.next().await.transpose()?.is_some());
        // A chunk has 128 kB: three are decoded, of about 128 documents each.
        assert!(cursors(&kit, &namespace).await? > 0);
        let ahead = DECODED.load(Ordering::SeqCst);
        assert!((100..400).contains(&ahead), "{ahead}");
        drop(stream);
        let deadline = Instant::now() + Duration::from_secs(20);
        while cursors(&kit, &namespace).await? > 0 {
            assert!(Instant::now() < deadline, "the cursor is still open");
        }
        let decoded = DECODED.load(Ordering::SeqCst);
        assert!(decoded < 400, "{decoded}");
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "people")]
struct PersonV1 {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "people", schema_version = 2, from = PersonV1)]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    names: Vec<String>,
}

impl From<PersonV1> for Person {
    fn from(old: PersonV1) -> Self {
        Self { id: old.id, names: vec![old.name] }
    }
}

#[test]
fn old_documents_are_upgraded_and_written_back() -> TestResult {
    odm_testkit::run(async |kit| {
        let people = database(&kit).collection::<Person>();
        let old = (0..500).map(|id| doc! { "_id": id, "name": format!("n{id}") });
        people.driver().insert_many(old).await?;
        let read = people.find(Filter::new()).sort(Person::fields().id().asc());
        let (found, sent) = kit.commands(read.parallel_decode(4)).await;
        let expected = (0..500).map(|id| Person { id, names: vec![format!("n{id}")] });
        assert_eq!(found?, expected.collect::<Vec<_>>());
        assert_eq!(sent.names(), ["find", "update"], "{sent}");
        assert_eq!(people.write_backs().written, 500);
        assert_eq!(people.driver().count_documents(doc! { "schema_version": 2 }).await?, 500);
        Ok(())
    })
}

stored_like_serde!(
    Entry { id: 1, text: "x".into() },
    Counted { id: 1, count: Counting(2), text: "x".into() },
    PersonV1 { id: 1, name: "x".into() },
    Person { id: 1, names: vec!["x".into()] },
);
