//! What each action sends, and how many times.

use bson::doc;
use futures::TryStreamExt;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    votes: i32,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct Title {
    title: String,
}

fn posts(count: i32) -> Vec<Post> {
    (0..count).map(|id| Post { id, title: format!("post {id}"), votes: id % 10 }).collect()
}

#[test]
fn each_action_sends_one_command() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Post>();
        let p = Post::fields();
        macro_rules! sends {
            ($action:expr, $commands:expr) => {{
                let (result, sent) = kit.commands($action).await;
                assert_eq!(sent.names(), $commands, "{sent}");
                result?
            }};
        }

        let inserted = sends!(collection.insert_one(&posts(1)[0]), ["insert"]);
        assert_eq!(inserted.inserted_id, bson::Bson::Int32(0));
        let inserted = sends!(collection.insert_many(&posts(50)[1..]), ["insert"]);
        assert_eq!(inserted.inserted_ids.len(), 49);
        sends!(collection.insert_many(Vec::<Post>::new()), [""; 0]);

        assert_eq!(sends!(collection.find(p.votes().eq(3)), ["find"]).len(), 5);
        assert_eq!(sends!(collection.find(Filter::new()).limit(7).skip(2), ["find"]).len(), 7);
        let first = sends!(collection.find(Filter::new()).sort(p.id().desc()).first(), ["find"]);
        assert_eq!(first.map(|post| post.id), Some(49));
        let counted = sends!(collection.find(Filter::new()).limit(10).count(), ["aggregate"]);
        assert_eq!(counted, 10);
        let titles = sends!(collection.find(p.id().eq(3)).project::<Title>(), ["find"]);
        assert_eq!(titles, [Title { title: "post 3".into() }]);

        let one = sends!(collection.find_one(p.id().eq(3)).sort(p.id().asc()), ["find"]);
        assert_eq!(one, Some(posts(4)[3].clone()));
        assert_eq!(sends!(collection.find_one(p.id().eq(1000)), ["find"]), None);
        assert_eq!(sends!(collection.get(3), ["find"]), Some(posts(4)[3].clone()));
        assert_eq!(sends!(collection.get(1000), ["find"]), None);
        assert_eq!(sends!(collection.count_documents(p.votes().eq(3)), ["aggregate"]), 5);
        assert!(sends!(collection.exists(p.votes().eq(3)), ["find"]));
        assert!(!sends!(collection.exists(p.votes().eq(100)), ["find"]));

        let updated = sends!(collection.update_one(p.id().eq(3), p.votes().inc(1)), ["update"]);
        assert_eq!((updated.matched_count, updated.modified_count), (1, 1));
        let updated =
            sends!(collection.update_many(p.votes().eq(4), p.votes().inc(100)), ["update"]);
        assert_eq!(updated.modified_count, 6);
        let new = Post { id: 3, title: "new".into(), votes: 0 };
        let replaced = sends!(collection.replace_one(p.id().eq(3), &new), ["update"]);
        assert_eq!(replaced.modified_count, 1);
        assert_eq!(collection.get(3).await?, Some(new));

        assert_eq!(sends!(collection.delete_one(p.id().eq(3)), ["delete"]).deleted_count, 1);
        assert_eq!(sends!(collection.delete_many(p.votes().gte(100)), ["delete"]).deleted_count, 5);
        let all = sends!(collection.update_many(Filter::new(), p.votes().set(0)).all(), ["update"]);
        assert_eq!(all.matched_count, 44);
        assert_eq!(
            sends!(collection.delete_many(Filter::new()).all(), ["delete"]).deleted_count,
            44
        );
        Ok(())
    })
}

#[test]
fn a_find_of_many_takes_one_command_a_batch() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Post>();
        collection.insert_many(posts(250)).await?;
        let by_id = || collection.find(Filter::new()).sort(Post::fields().id().asc());

        let (found, sent) = kit.commands(by_id()).await;
        assert_eq!(found?, posts(250));
        assert_eq!(sent.names(), ["find"], "{sent}");

        let (found, sent) =
            kit.commands(async { by_id().stream().await?.try_collect::<Vec<_>>().await }).await;
        assert_eq!(found?, posts(250));
        assert_eq!(sent.names(), ["find", "getMore"], "{sent}");

        // What the first batch holds anyway is not asked for; what a limit ends, ends the cursor.
        for (limit, batch_size) in [(1_u32, None), (101, None), (102, Some(103)), (249, Some(250))]
        {
            let (found, sent) = kit.commands(by_id().limit(limit)).await;
            assert_eq!(found?, posts(i32::try_from(limit)?));
            assert_eq!(sent.names(), ["find"], "{sent}");
            assert_eq!(sent[0].body.get_i32("batchSize").ok(), batch_size, "{sent}");
        }

        let rows = collection.aggregate(odm::Pipeline::new().sort(Post::fields().id().asc()));
        let (found, sent) = kit.commands(rows).await;
        assert_eq!(found?, posts(250));
        assert_eq!(sent.names(), ["aggregate"], "{sent}");

        let (found, sent) = kit.commands(by_id().batch_size(100)).await;
        assert_eq!(found?, posts(250));
        assert_eq!(sent.names(), ["find", "getMore", "getMore"], "{sent}");

        let (found, sent) = kit
            .commands(async {
                by_id().batch_size(100).stream().await?.try_collect::<Vec<_>>().await
            })
            .await;
        assert_eq!(found?, posts(250));
        assert_eq!(sent.names(), ["find", "getMore", "getMore"], "{sent}");
        Ok(())
    })
}

/// What is sent is what the builders were told, in stored names.
#[test]
fn options_are_sent_as_the_server_knows_them() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Post>();
        let p = Post::fields();
        let find = collection
            .find(p.title().eq("x"))
            .sort(p.votes().desc() + p.id().asc())
            .limit(5)
            .skip(1)
            .batch_size(2)
            .project::<Title>();
        let (found, sent) = kit.commands(find).await;
        found?;
        let driver_adds = ["lsid", "$db", "$clusterTime", "$readPreference"];
        let body = sent[0].body.clone().into_iter();
        let body: bson::Document =
            body.filter(|(name, _)| !driver_adds.contains(&name.as_str())).collect();
        let expected = doc! {
            "find": "posts", "batchSize": 2, "filter": { "title": "x" }, "limit": 5_i64,
            "projection": { "title": 1, "_id": 0 }, "skip": 1_i64, "sort": { "votes": -1, "_id": 1 },
        };
        for (name, value) in &expected {
            let same = body.get(name).map(|found| found.to_string() == value.to_string());
            assert_eq!(same, Some(true), "{name} of {body}");
        }
        assert_eq!(body.len(), expected.len(), "{body}");

        let insert = collection.insert_many(posts(2)).ordered(false);
        let (inserted, sent) = kit.commands(insert).await;
        inserted?;
        assert!(!sent[0].body.get_bool("ordered")?);
        Ok(())
    })
}

/// Refused before anything is sent: nothing reaches the server.
#[test]
fn mistakes_are_refused_before_anything_is_sent() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Post>();
        let p = Post::fields();
        let post = &posts(1)[0];
        let conflict = p.votes().inc(1) + p.votes().set(3);
        let twice = p.votes().asc() + p.votes().desc();
        macro_rules! refused {
            ($action:expr, $message:expr) => {{
                let (result, sent) = kit.commands($action).await;
                let error = result.err().ok_or("accepted")?;
                assert_eq!(error.kind(), odm::ErrorKind::InvalidArgument, "{error}");
                assert!(error.to_string().contains($message), "{error}");
                assert!(error.to_string().starts_with("Post."), "{error}");
                assert!(sent.is_empty(), "{sent}");
            }};
        }

        let everything = "matches every document";
        refused!(collection.delete_many(Filter::new()), everything);
        refused!(collection.delete_one(Filter::new()), everything);
        refused!(collection.update_one(Filter::new(), p.votes().inc(1)), everything);
        refused!(
            collection.update_many(Filter::new() & Filter::new(), p.votes().inc(1)),
            everything
        );
        refused!(
            collection.update_many(Filter::new() | p.id().eq(1), p.votes().inc(1)),
            everything
        );
        refused!(collection.delete_many(Filter::raw(doc! { "$and": [{}] })), everything);
        refused!(collection.delete_many(p.title().nin(Vec::<String>::new())), everything);
        refused!(collection.delete_many(!p.title().in_(Vec::<String>::new())), everything);
        refused!(collection.replace_one(Filter::new(), post), everything);
        refused!(collection.update_one(p.id().eq(1), conflict), "changes the path twice");
        refused!(collection.update_one(p.id().eq(1), Update::new()), "the update is empty");
        refused!(
            collection.update_one(p.id().eq(1), Update::raw(doc! { "votes": 1 })),
            "not an update operator"
        );
        refused!(collection.find(Filter::new()).sort(twice), "names the path twice");
        Ok(())
    })
}

stored_like_serde!(posts(1)[0].clone());
