//! Every action on a session: what a transaction does is seen in it, and gone after an abort.

use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    votes: i32,
}

fn post(id: i32) -> Post {
    Post { id, votes: 0 }
}

#[test]
fn every_action_takes_part_in_a_transaction() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        let p = Post::fields();
        posts.insert_one(post(1)).await?;

        let session = db.start_session().await?;
        session.start_transaction().await?;
        let (done, sent) = kit
            .commands(async {
                posts.insert_one(post(2)).session(&session).await?;
                posts.insert_many([post(3), post(4), post(5)]).session(&session).await?;
                posts.update_one(p.id().eq(2), p.votes().set(2)).session(&session).await?;
                posts.update_many(p.id().gte(3), p.votes().set(3)).session(&session).await?;
                posts
                    .replace_one(p.id().eq(1), &Post { id: 1, votes: 1 })
                    .session(&session)
                    .await?;
                posts.delete_one(p.id().eq(4)).session(&session).await?;
                posts.delete_many(p.id().eq(5)).session(&session).await?;
                let by_id = posts.find(Filter::new()).sort(p.id().asc()).session(&session);
                let votes: Vec<_> = by_id.await?.iter().map(|post| post.votes).collect();
                assert_eq!(votes, [1, 2, 3]);
                assert_eq!(posts.get(2).session(&session).await?.map(|post| post.votes), Some(2));
                assert_eq!(posts.count_documents(Filter::new()).session(&session).await?, 3);
                assert!(posts.exists(p.votes().eq(3)).session(&session).await?);
                let first = posts.find_one(p.votes().gt(1)).sort(p.id().asc()).session(&session);
                assert_eq!(first.await?.map(|post| post.id), Some(2));
                Ok::<_, odm::Error>(())
            })
            .await;
        done?;
        assert!(sent.iter().all(|command| command.body.contains_key("txnNumber")), "{sent}");
        assert_eq!(posts.count_documents(Filter::new()).await?, 1, "not seen from outside");
        session.abort_transaction().await?;
        assert_eq!(posts.find(Filter::new()).await?, [post(1)]);

        session.start_transaction().await?;
        posts.insert_one(post(6)).session(&session).await?;
        session.commit_transaction().await?;
        assert!(posts.get(6).await?.is_some());
        Ok(())
    })
}

/// MG9554: two actions on one session take turns; the driver would refuse them.
#[test]
fn actions_on_one_session_take_turns() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        let session = db.start_session().await?;
        session.start_transaction().await?;
        let inserts = (0..20).map(|id| {
            let insert = posts.insert_one(post(id)).session(&session);
            tokio::spawn(async move { insert.await })
        });
        for insert in futures::future::join_all(inserts).await {
            insert??;
        }
        session.commit_transaction().await?;
        assert_eq!(posts.count_documents(Filter::new()).await?, 20);
        Ok(())
    })
}

/// A cursor of several batches stays on its session.
#[test]
fn a_long_find_stays_in_its_transaction() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        posts.insert_many((0..250).map(post)).await?;
        let session = db.start_session().await?;
        session.start_transaction().await?;
        let find = posts.find(Filter::new()).session(&session).batch_size(100);
        let (found, sent) = kit.commands(find).await;
        assert_eq!(found?.len(), 250);
        assert_eq!(sent.names(), ["find", "getMore", "getMore"], "{sent}");
        assert!(sent.iter().all(|command| command.body.contains_key("txnNumber")), "{sent}");
        session.abort_transaction().await?;
        Ok(())
    })
}

stored_like_serde!(post(1));
