//! Documents without a declared model, and models in other collections than the declared one.

use bson::{Bson, Document as BsonDocument, RawDocumentBuf, doc};
use odm::path::{Path, dynamic};
use odm::prelude::*;
use odm::{ErrorKind, LookupStrategy, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

fn path(text: &'static str) -> Path<BsonDocument, Bson> {
    dynamic(text)
}

/// What is stored is what was given, byte for byte, and so is what is read: also where serde would
/// take a document for a value of another type.
#[test]
fn documents_of_any_form_stay_as_they_are() -> TestResult {
    odm_testkit::run(async |kit| {
        let events = database(&kit).collection_named::<BsonDocument>("events");
        assert_eq!(events.name(), "events");
        let documents = [
            doc! { "_id": 1, "z": 1, "a": 2_i64, "m": { "y": [1.0, null, "x"], "b": {} } },
            doc! { "_id": 2, "at": { "$oid": "no id" }, "n": { "$numberLong": "1" }, "u": Bson::Undefined },
            doc! { "_id": { "b": 1, "a": 2 }, "s": Bson::Symbol("s".into()), "k": Bson::MaxKey },
        ];
        events.insert_many(&documents).await?;
        assert_eq!(events.find(Filter::new()).await?, documents);
        for document in &documents {
            let raw = RawDocumentBuf::try_from(document)?;
            let id = document.get("_id").cloned().unwrap_or_default();
            let stored = events.driver_raw().find_one(doc! { "_id": id.clone() }).await?;
            assert_eq!(stored.as_ref(), Some(&raw));
            assert_eq!(events.get(id).await?.as_ref(), Some(document));
        }
        Ok(())
    })
}

#[test]
fn dynamic_paths_filter_sort_and_update() -> TestResult {
    odm_testkit::run(async |kit| {
        let events = database(&kit).collection_named::<BsonDocument>("events");
        events
            .insert_many((0..10).map(|id| {
                doc! { "_id": id, "device": { "kind": if id % 2 == 0 { "door" } else { "lamp" } },
                "readings": [{ "unit": "C", "value": id }, { "unit": "F", "value": 100 }] }
            }))
            .await?;
        let readings = path("readings");
        let warm = readings.elem_match(|r| r.key("unit").eq("C") & r.key("value").gt(3));
        let found = events
            .find(path("device.kind").eq("door") & warm)
            .sort(path("readings.0.value").desc())
            .await?;
        let ids: Vec<_> = found.iter().filter_map(|event| event.get_i32("_id").ok()).collect();
        assert_eq!(ids, [8, 6, 4]);

        let update = path("seen").inc(1) + path("readings").at(1).key("value").set(99.5);
        events.update_one(path("_id").eq(4), update).await?;
        let event = events.get(4).await?.unwrap_or_default();
        assert_eq!(event.get_i32("seen")?, 1);
        assert_eq!(event.get_array("readings")?[1], doc! { "unit": "F", "value": 99.5 }.into());

        // A value is compared, and never acts.
        let all = events.count_documents(path("device").ne(doc! { "$exists": false })).await?;
        assert_eq!(all, 10);
        let (refused, sent) = kit.commands(events.find(path("$where").eq("true"))).await;
        assert_eq!(refused.map_err(|error| error.kind()), Err(ErrorKind::InvalidArgument));
        assert_eq!(sent.names(), [""; 0]);
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    follows: Option<Ref<Post>>,
}

stored_like_serde!(Post { id: 1, follows: Some(Ref::new(2)) });

/// A model is read and written in a collection of another name; what it refers to is in the declared
/// one, by either strategy.
#[test]
fn a_model_in_another_collection_refers_to_the_declared_one() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (posts, archive) = (db.collection(), db.collection_named::<Post>("posts_2024"));
        posts.insert_many([Post { id: 1, follows: None }, Post { id: 2, follows: None }]).await?;
        archive.insert_one(Post { id: 3, follows: Some(Ref::new(2)) }).await?;
        archive.insert_one(Post { id: 2, follows: Some(Ref::new(1)) }).await?;
        assert_eq!(posts.find(Filter::new()).count().await?, 2);
        for strategy in [LookupStrategy::Lookup, LookupStrategy::Batches] {
            let p = Post::fields();
            let found = archive.find(p.id().eq(3)).lookup(p.follows()).strategy(strategy).await?;
            let followed = found[0].follows.as_ref().and_then(Ref::get);
            assert_eq!(followed.map(|post| post.follows.is_none()), Some(true), "{strategy:?}");
        }
        Ok(())
    })
}
