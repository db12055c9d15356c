//! The revision, the stamps and the soft delete on each path of writing and reading.

use bson::{DateTime, doc};
use odm::prelude::*;
use odm::{ErrorKind, LookupStrategy, Ref, Update};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "notes", created_at = "created", updated_at = "updated")]
struct Note {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(unique)]
    title: String,
    #[odm(revision)]
    rev: i64,
    created: DateTime,
    updated: DateTime,
    #[odm(soft_delete)]
    deleted_at: Option<DateTime>,
}

#[derive(Debug, Clone, Serialize, Deserialize, Document)]
#[odm(collection = "marks")]
struct Mark {
    #[serde(rename = "_id")]
    id: i32,
    note: Ref<Note>,
}

fn note(id: i32) -> Note {
    let old = DateTime::from_millis(0);
    let title = format!("note {id}");
    Note { id, title, rev: 0, created: old, updated: old, deleted_at: None }
}

/// The note as it is stored, whether it is deleted or not.
async fn stored(notes: &Collection<Note>, id: i32) -> TestResult<Note> {
    let found = notes.find_one(Note::fields().id().eq(id)).with_deleted().await?;
    Ok(found.ok_or("gone")?)
}

#[test]
fn every_path_raises_the_revision_and_rejects_a_stale_replacement() -> TestResult {
    odm_testkit::run(async |kit| {
        let notes = database(&kit).collection::<Note>();
        let n = Note::fields();
        let one = || n.id().eq(1);
        notes.insert_one(note(1)).await?;
        notes.insert_many([note(2), note(3)]).await?;
        for id in 1..=3 {
            let read = stored(&notes, id).await?;
            assert_eq!((read.rev, read.created), (0, read.updated));
            assert!(read.created > DateTime::from_millis(0));
        }
        let title = |to: &str| n.title().set(to);
        for path in 0..6 {
            let before = stored(&notes, 1).await?;
            match path {
                0 => drop(notes.update_one(one(), title("a")).await?),
                1 => drop(notes.update_many(one(), title("b")).await?),
                2 => drop(notes.find_one_and_update(one(), title("c")).await?),
                3 => {
                    let to = "d".to_owned();
                    let update = Update::pipeline(|p| p.set(&n.title(), to));
                    drop(notes.update_one(one(), update).await?);
                }
                4 => drop(notes.replace_one(one(), &before).await?),
                _ => drop(notes.find_one_and_replace(one(), &before).await?),
            }
            let after = stored(&notes, 1).await?;
            assert_eq!(after.rev, before.rev + 1, "path {path}");
            assert_eq!(after.created, before.created, "path {path}");
            assert!(after.updated >= before.updated, "path {path}");
            let stale = notes.replace_one(one(), &before).await.err().ok_or("a lost update")?;
            assert_eq!(stale.kind(), ErrorKind::Conflict, "{stale}");
            let stale = notes.find_one_and_replace(one(), &before).await.err();
            assert_eq!(stale.map(|error| error.kind()), Some(ErrorKind::Conflict));
            let stale = notes.replace_one(one(), &before).upsert().await.err();
            assert_eq!(stale.map(|error| error.kind()), Some(ErrorKind::Conflict));
        }
        let absent = notes.replace_one(n.id().eq(9), note(9)).await.err();
        assert_eq!(absent.map(|error| error.kind()), Some(ErrorKind::NotFound));
        Ok(())
    })
}

#[test]
fn an_update_cannot_name_what_the_library_keeps() -> TestResult {
    odm_testkit::run(async |kit| {
        let notes = database(&kit).collection::<Note>();
        let n = Note::fields();
        let now = DateTime::now();
        for update in [
            n.rev().set(7),
            n.updated().set(now),
            n.created().set(now),
            n.deleted_at().set(Some(now)),
            Update::raw(doc! { "$inc": { "rev": 1 } }),
            Update::raw_pipeline([doc! { "$set": { "rev": 1 } }]),
        ] {
            let refused = notes.update_one(n.id().eq(1), update).upsert().await.err();
            assert_eq!(refused.map(|error| error.kind()), Some(ErrorKind::InvalidArgument));
        }
        // An upsert inserts them itself, by operators and by a pipeline.
        notes.update_one(n.id().eq(1), n.title().set("a")).upsert().await?;
        let to = "b".to_owned();
        let pipeline = Update::pipeline(|p| p.set(&n.title(), to));
        notes.update_one(n.id().eq(2), pipeline).upsert().await?;
        for id in [1, 2] {
            let read = stored(&notes, id).await?;
            assert_eq!((read.rev, read.created, read.deleted_at), (1, read.updated, None));
        }
        Ok(())
    })
}

#[test]
fn deleted_documents_are_left_out_until_restored() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![Note]).await?.apply().await?;
        let (notes, marks) = (db.collection::<Note>(), db.collection::<Mark>());
        let n = Note::fields();
        notes.insert_many([note(1), note(2)]).await?;
        marks.insert_one(Mark { id: 1, note: Ref::new(1) }).await?;

        assert_eq!(notes.delete_one(n.id().eq(1)).await?.deleted_count, 1);
        assert_eq!(notes.delete_one(n.id().eq(1)).await?.deleted_count, 0);
        let deleted = stored(&notes, 1).await?;
        assert_eq!((deleted.rev, deleted.deleted_at.is_some()), (1, true));

        assert_eq!(notes.get(1).await?, None);
        assert!(!notes.exists(n.id().eq(1)).await?);
        assert_eq!(notes.count_documents(Filter::new()).await?, 1);
        assert_eq!(notes.find(Filter::new()).only_deleted().await?.len(), 1);
        assert_eq!(notes.find(Filter::new()).with_deleted().count().await?, 2);
        assert_eq!(notes.distinct(n.id(), Filter::new()).await?, [2]);
        assert_eq!(notes.aggregate(odm::Pipeline::new()).await?.len(), 1);
        let changed = notes.update_one(n.id().eq(1), n.title().set("x")).await?;
        assert_eq!(changed.matched_count, 0);
        for strategy in [LookupStrategy::Lookup, LookupStrategy::Batches] {
            let find = marks.find(Filter::new()).lookup(Mark::fields().note());
            let found = find.strategy(strategy).await?;
            assert!(found.iter().all(|mark| mark.note.get().is_none()), "{strategy:?}");
        }

        // The title is free again, until the deleted one is to come back.
        let mut other = note(3);
        other.title = "note 1".into();
        notes.insert_one(&other).await?;
        let taken = notes.restore(n.id().eq(1)).await.err().ok_or("restored")?;
        assert!(taken.is_duplicate_key(), "{taken}");
        let given = notes.find_one_and_delete(n.id().eq(3)).permanently().await?;
        assert_eq!(given.map(|note| note.id), Some(3));
        notes.restore(n.id().eq(1)).await?;
        assert_eq!(notes.get(1).await?.map(|note| note.rev), Some(2));

        let explained = notes.find(n.title().eq("note 1")).explain().await?;
        assert!(!explained.is_collection_scan(), "{explained:?}");
        assert_eq!(notes.delete_many(Filter::new()).all().permanently().await?.deleted_count, 2);
        assert_eq!(notes.count_documents(Filter::new()).with_deleted().await?, 0);
        Ok(())
    })
}
