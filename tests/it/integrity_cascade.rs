//! Cascades: over several levels, in trees and circles, of versioned models, and without
//! transactions.

use bson::{Document as BsonDocument, doc};
use odm::prelude::*;
use odm::{DbRef, ErrorKind, Ref};
use odm_testkit::{Server, TestResult};
use serde::{Deserialize, Serialize};

use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "blogs", referenced_by(Post))]
struct Blog {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts", referenced_by(Comment, Pin, Note))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(unique)]
    slug: String,
    #[odm(on_delete = "cascade")]
    blogs: Vec<Ref<Blog>>,
}

/// A tree: an answer belongs to a comment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "comments", referenced_by(Comment, Pin))]
struct Comment {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "cascade", references(slug))]
    post: Ref<Post, String>,
    #[odm(on_delete = "cascade")]
    answers: Option<Ref<Comment>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "pins")]
struct Pin {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "restrict")]
    comment: Option<Ref<Comment>>,
    #[odm(on_delete = "cascade")]
    post: Option<DbRef<Post>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "notes")]
struct NoteV1 {
    #[serde(rename = "_id")]
    id: i32,
    post: Option<i32>,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "notes", schema_version = 2, from = NoteV1)]
struct Note {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "unlink")]
    post: Option<Ref<Post>>,
    body: String,
}

impl From<NoteV1> for Note {
    fn from(old: NoteV1) -> Self {
        Self { id: old.id, post: old.post.map(Ref::new), body: old.text }
    }
}

fn post(id: i32, blogs: &[i32]) -> Post {
    Post { id, slug: format!("post-{id}"), blogs: blogs.iter().copied().map(Ref::new).collect() }
}

fn comment(id: i32, post: i32, answers: Option<i32>) -> Comment {
    Comment { id, post: Ref::new(format!("post-{post}")), answers: answers.map(Ref::new) }
}

async fn ids<T: odm::Document<Id = i32>>(db: &Database) -> TestResult<Vec<i32>> {
    let mut ids: Vec<_> = db
        .collection::<T>()
        .find(Filter::new())
        .await?
        .iter()
        .filter_map(|document| document.id().copied())
        .collect();
    ids.sort_unstable();
    Ok(ids)
}

/// Two blogs with a post each, and one of both; comments in a tree and in a circle.
async fn fill(db: &Database) -> TestResult {
    db.collection::<Blog>().insert_many([Blog { id: 1 }, Blog { id: 2 }]).await?;
    db.collection::<Post>().insert_many([post(1, &[1]), post(2, &[2]), post(3, &[2, 1])]).await?;
    let comments = [
        comment(10, 1, None),
        comment(11, 9, Some(10)),
        comment(12, 9, Some(11)),
        comment(13, 9, Some(14)),
        comment(14, 3, Some(13)),
        comment(15, 2, None),
        comment(16, 2, Some(15)),
    ];
    db.collection::<Comment>().insert_many(comments).await?;
    Ok(())
}

#[test]
fn several_levels_trees_and_circles_come_to_an_end() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        fill(&db).await?;
        let deleted = db.collection::<Blog>().delete_one(Blog::fields().id().eq(1)).await?;
        assert_eq!(deleted.deleted_count, 1);
        assert_eq!(ids::<Post>(&db).await?, [2]);
        assert_eq!(ids::<Comment>(&db).await?, [15, 16]);
        let comments = db.collection::<Comment>();
        let found = comments.find_one_and_delete(Comment::fields().post().eq("post-2"));
        assert_eq!(found.sort(Comment::fields().id().asc()).await?, Some(comment(15, 2, None)));
        assert_eq!(ids::<Comment>(&db).await?, [0_i32; 0]);
        Ok(())
    })
}

#[test]
fn a_restriction_below_refuses_the_whole() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        fill(&db).await?;
        let (blogs, pins) = (db.collection::<Blog>(), db.collection::<Pin>());
        pins.insert_one(&Pin { id: 1, comment: Some(Ref::new(12)), post: None }).await?;
        let delete = || blogs.delete_many(Blog::fields().id().eq(1));
        let error = delete().await.err().ok_or("deleted")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::Restricted, Some("comment")));
        assert_eq!(
            error.to_string().split(" (in").next(),
            Some(
                "Pin.delete_many: delete restricted by `comment`: it refers to a `Comment` that would \
                 be deleted"
            )
        );
        assert_eq!(ids::<Comment>(&db).await?.len(), 7);
        // One that is deleted itself restricts nothing.
        let pin = doc! { "$set": { "post": { "$ref": "posts", "$id": 3 } } };
        pins.driver().clone_with_type::<BsonDocument>().update_one(doc! { "_id": 1 }, pin).await?;
        assert_eq!(delete().await?.deleted_count, 1);
        assert_eq!((ids::<Pin>(&db).await?.len(), ids::<Comment>(&db).await?), (0, vec![15, 16]));
        Ok(())
    })
}

#[test]
fn referring_documents_of_old_versions_are_found_and_migrated() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        posts.insert_many([post(1, &[]), post(2, &[])]).await?;
        db.collection::<NoteV1>()
            .insert_one(&NoteV1 { id: 1, post: Some(1), text: "old".into() })
            .await?;
        let notes = db.collection::<Note>();
        notes.insert_one(&Note { id: 2, post: Some(Ref::new(1)), body: "new".into() }).await?;
        posts.delete_one(Post::fields().id().eq(1)).await?;
        let raw = db.driver().collection::<BsonDocument>("notes");
        let old = raw.find_one(doc! { "_id": 1 }).await?.ok_or("gone")?;
        let expected = doc! { "_id": 1, "body": "old", "schema_version": 2 };
        assert!(old.iter().all(|(name, value)| expected.get(name) == Some(value)), "{old}");
        assert_eq!(old.len(), expected.len(), "{old}");
        assert_eq!(notes.get(2).await?.ok_or("gone")?.post, None);

        // What a newer program wrote is left alone, and nothing is deleted.
        raw.insert_one(doc! { "_id": 3, "schema_version": 3, "post": 2 }).await?;
        let refused = posts.delete_one(Post::fields().id().eq(2)).await.err().ok_or("deleted")?;
        assert_eq!((refused.kind(), refused.model()), (ErrorKind::NewerVersion, Some("Note")));
        assert!(posts.get(2).await?.is_some());
        Ok(())
    })
}

/// A server that stands alone: no transaction, and what was begun can be repeated.
#[test]
fn without_transactions_a_delete_that_was_cut_short_is_repeated() -> TestResult {
    odm_testkit::run_with(Server::builder().standalone().failpoints(true), async |kit| {
        let db = database(&kit);
        fill(&db).await?;
        let blogs = db.collection::<Blog>();
        let delete = || blogs.delete_one(Blog::fields().id().eq(1));
        let fail_after_one = doc! {
            "configureFailPoint": "failCommand",
            "mode": { "skip": 1 },
            "data": { "failCommands": ["delete"], "errorCode": 8000 },
        };
        let off = doc! { "configureFailPoint": "failCommand", "mode": "off" };
        let admin = kit.client().database("admin");
        let mut cut_short = 0;
        // Each attempt deletes by one command, and its next one is refused.
        loop {
            admin.run_command(fail_after_one.clone()).await?;
            let result = delete().await;
            admin.run_command(off.clone()).await?;
            match result {
                Ok(deleted) => break assert_eq!(deleted.deleted_count, 1),
                Err(error) => assert_eq!(error.code(), Some(8000), "{error}"),
            }
            cut_short += 1;
            assert_eq!(blogs.count_documents(Filter::new()).await?, 2, "after {cut_short}");
        }
        assert!(cut_short > 2, "{cut_short}");
        assert_eq!(ids::<Blog>(&db).await?, [2]);
        assert_eq!(ids::<Post>(&db).await?, [2]);
        assert_eq!(ids::<Comment>(&db).await?, [15, 16]);
        Ok(())
    })
}

#[test]
fn more_keys_than_a_command_takes_are_several_commands() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (blogs, posts) = (db.collection::<Blog>(), db.collection::<Post>());
        blogs.insert_one(&Blog { id: 1 }).await?;
        posts.insert_many((0..12_000).map(|id| post(id, &[1]))).await?;
        let (deleted, sent) = kit.commands(blogs.delete_one(Blog::fields().id().eq(1))).await;
        assert_eq!(deleted?.deleted_count, 1);
        assert_eq!(posts.count_documents(Filter::new()).await?, 0);
        let posts = |command: &&odm_testkit::Command| command.collection() == Some("posts");
        assert_eq!(sent.named("delete").filter(posts).count(), 2, "{}", sent.names().join(" "));
        Ok(())
    })
}

#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(collection = "hens", referenced_by(Egg))]
struct Hen {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "cascade")]
    from: Option<Ref<Egg>>,
}

#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(collection = "eggs", referenced_by(Hen))]
struct Egg {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "cascade")]
    from: Option<Ref<Hen>>,
}

#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(collection = "idle", referenced_by(Blog))]
struct Idle {
    #[serde(rename = "_id")]
    id: i32,
}

#[test]
fn rules_that_cannot_be_kept_are_refused_before_anything_is_sent() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let delete = db.collection::<Hen>().delete_one(Hen::fields().id().eq(1));
        let (refused, sent) = kit.commands(delete).await;
        let refused = refused.err().ok_or("deleted")?;
        assert_eq!((refused.kind(), sent.len()), (ErrorKind::InvalidArgument, 0));
        let planned = db.plan(odm::models![Egg]).await.err().ok_or("planned")?;
        for error in [refused, planned] {
            let text = error.to_string();
            assert!(text.contains("lead round in a circle, `"), "{text}");
        }
        let idle = db.plan(odm::models![Idle]).await.err().ok_or("planned")?;
        assert!(idle.to_string().contains("no reference of `Blog` has"), "{idle}");
        let delete = db.collection::<Idle>().delete_many(Filter::new()).all().await;
        assert_eq!(delete.err().map(|e| e.kind()), Some(ErrorKind::InvalidArgument));
        Ok(())
    })
}
