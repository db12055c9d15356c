//! Saves of tracked documents whose revision and stamps the library keeps.

use bson::{Bson, DateTime};
use odm::prelude::*;
use odm::{ErrorKind, Tracked, Update};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "drafts", created_at = "created", updated_at = "updated")]
struct Draft {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    edits: i32,
    #[odm(revision)]
    rev: i64,
    created: DateTime,
    updated: DateTime,
    #[odm(soft_delete)]
    deleted_at: Option<DateTime>,
}

fn draft(id: i32) -> Draft {
    let old = DateTime::from_millis(0);
    let title = "new".to_owned();
    Draft { id, title, edits: 0, rev: 0, created: old, updated: old, deleted_at: None }
}

async fn read(drafts: &Collection<Draft>, id: i32) -> TestResult<Tracked<Draft>> {
    let found = drafts.find_one(Draft::fields().id().eq(id)).with_deleted().tracked().await?;
    Ok(found.ok_or("not found")?)
}

/// Saves by one command, after which memory and database hold the same, the next revision.
async fn saves(kit: &Kit, drafts: &Collection<Draft>, draft: &mut Tracked<Draft>) -> TestResult {
    let before = read(drafts, draft.id).await?;
    let (saved, sent) = kit.commands(drafts.save(draft)).await;
    assert!(saved?);
    assert_eq!(sent.names(), ["update"], "{sent}");
    assert_eq!(drafts.get(draft.id).await?.as_ref(), Some(&**draft), "{sent}");
    assert_eq!((draft.rev, draft.created), (before.rev + 1, before.created));
    assert!(draft.updated >= before.updated);
    let (saved, sent) = kit.commands(drafts.save(draft)).await;
    assert!(!saved? && sent.names().is_empty(), "{sent}");
    Ok(())
}

/// BE286, BE429.
#[test]
fn a_document_is_saved_again_and_again() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let drafts = db.collection::<Draft>();
        drafts.insert_one(draft(1)).await?;
        let mut one = read(&drafts, 1).await?;
        for title in ["a", "b"] {
            one.title = title.into();
            saves(&kit, &drafts, &mut one).await?;
        }
        // What the program has put into the library's fields is no change, and not sent.
        let stored = Tracked::into_inner(one.clone());
        let mut by_hand = one.clone();
        (by_hand.rev, by_hand.created) = (99, DateTime::from_millis(1));
        by_hand.deleted_at = Some(DateTime::now());
        let (saved, sent) = kit.commands(drafts.save(&mut by_hand)).await;
        assert!(!saved? && sent.names().is_empty(), "{sent}");
        assert_eq!(drafts.get(1).await?, Some(stored));
        by_hand.title = "c".into();
        saves(&kit, &drafts, &mut by_hand).await?;
        let error = drafts.save(&mut one).await.map(drop);
        assert!(error.is_ok(), "nothing was changed: {error:?}");

        let mut one = read(&drafts, 1).await?;
        let session = db.start_session().await?;
        session.start_transaction().await?;
        one.title = "d".into();
        assert!(drafts.save(&mut one).session(&session).await?);
        one.title = "e".into();
        assert!(drafts.save(&mut one).session(&session).await?);
        session.abort_transaction().await?;
        saves(&kit, &drafts, &mut one).await?;
        session.start_transaction().await?;
        one.title = "f".into();
        assert!(drafts.save(&mut one).session(&session).await?);
        session.commit_transaction().await?;
        assert_eq!(drafts.get(1).await?.as_ref(), Some(&*one));
        one.title = "g".into();
        saves(&kit, &drafts, &mut one).await
    })
}

#[test]
fn a_stale_save_is_refused_whichever_way_the_document_was_changed() -> TestResult {
    odm_testkit::run(async |kit| {
        let drafts = database(&kit).collection::<Draft>();
        let d = Draft::fields();
        let one = || d.id().eq(1);
        drafts.insert_one(draft(1)).await?;
        let title = |to: &str| d.title().set(to);
        for path in 0..8 {
            let mut stale = read(&drafts, 1).await?;
            stale.edits += 1;
            match path {
                0 => drop(drafts.update_one(one(), title("a")).await?),
                1 => drop(drafts.update_many(one(), title("b")).await?),
                2 => drop(drafts.find_one_and_update(one(), title("c")).await?),
                3 => {
                    let to = "d".to_owned();
                    let update = Update::pipeline(|p| p.set(&d.title(), to));
                    drop(drafts.update_one(one(), update).await?);
                }
                4 => drop(drafts.replace_one(one(), &*read(&drafts, 1).await?).await?),
                5 => drop(drafts.find_one_and_replace(one(), &*read(&drafts, 1).await?).await?),
                6 => {
                    let mut other = read(&drafts, 1).await?;
                    other.title = "e".into();
                    assert!(drafts.save(&mut other).await?);
                }
                _ => {
                    drafts.delete_one(one()).await?;
                    drafts.restore(one()).await?;
                }
            }
            let error = drafts.save(&mut stale).await.err().ok_or("a lost update")?;
            let told = (error.kind(), error.model(), error.operation(), error.path());
            let expected = (ErrorKind::Conflict, Some("Draft"), Some("save"), Some("rev"));
            assert_eq!(told, expected, "path {path}: {error}");
            assert_eq!(error.id(), Some(&Bson::Int32(1)), "{error}");
            assert_eq!(read(&drafts, 1).await?.edits, 0, "path {path}");
        }
        let mut gone = read(&drafts, 1).await?;
        gone.edits = 1;
        drafts.delete_one(one()).await?;
        let mut marked = read(&drafts, 1).await?;
        marked.edits = 1;
        for draft in [&mut gone, &mut marked] {
            let error = drafts.save(draft).await.err().ok_or("saved")?;
            assert_eq!((error.kind(), error.id()), (ErrorKind::NotFound, Some(&Bson::Int32(1))));
        }
        drafts.delete_one(one()).permanently().await?;
        let error = drafts.save(&mut gone).await.err().ok_or("saved")?;
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        Ok(())
    })
}

/// Each save that succeeds is over what the one before it stored; each other is told.
#[test]
fn no_update_is_lost_in_a_race_of_saves() -> TestResult {
    odm_testkit::run(async |kit| {
        let drafts = database(&kit).collection::<Draft>();
        drafts.insert_one(draft(1)).await?;
        let mut readers = Vec::new();
        for _ in 0..100 {
            readers.push(read(&drafts, 1).await?);
        }
        let mut tasks = JoinSet::new();
        for mut draft in readers {
            let drafts = drafts.clone();
            tasks.spawn(async move {
                let mut conflicts = 0;
                draft.edits += 1;
                let first = drafts.save(&mut draft).await;
                let mut last = first.map(drop);
                // The losers read again, a few times.
                while matches!(&last, Err(error) if error.kind() == ErrorKind::Conflict)
                    && conflicts < 3
                {
                    conflicts += 1;
                    let Some(again) = drafts.get(1).tracked().await? else { break };
                    draft = again;
                    draft.edits += 1;
                    last = drafts.save(&mut draft).await.map(drop);
                }
                Ok::<_, odm::Error>((conflicts, last))
            });
        }
        let (mut at_first, mut saved) = (0, 0);
        while let Some(done) = tasks.join_next().await {
            let (conflicts, last) = done??;
            at_first += i32::from(conflicts == 0);
            match last {
                Ok(()) => saved += 1,
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
            }
        }
        assert_eq!(at_first, 1, "of one revision one save succeeds");
        let stored = drafts.get(1).await?.ok_or("gone")?;
        assert_eq!((stored.edits, stored.rev), (saved, i64::from(saved)));
        Ok(())
    })
}
