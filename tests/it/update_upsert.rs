//! Upserts: what they insert, what is refused, and many at once.

use bson::doc;
use bson::oid::ObjectId;
use futures::future::join_all;
use odm::ErrorKind;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "pages")]
struct Page {
    #[serde(rename = "_id")]
    id: ObjectId,
    #[odm(unique)]
    url: String,
    views: i64,
    title: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
}

/// Its `_id` is no ObjectId, and `qty` is required.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "items", index(shelf, place, unique))]
struct Item {
    #[serde(rename = "_id")]
    id: String,
    shelf: i32,
    place: Option<i32>,
    qty: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "versioned", schema_version = 1)]
struct CounterV1 {
    #[serde(rename = "_id")]
    id: String,
    n: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "versioned", schema_version = 2, from = CounterV1)]
struct Counter {
    #[serde(rename = "_id")]
    id: String,
    count: i32,
    #[odm(unique)]
    label: Option<String>,
}

impl From<CounterV1> for Counter {
    fn from(old: CounterV1) -> Self {
        Self { id: old.id, count: old.n, label: None }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "versioned", schema_version = 3, from = Counter)]
struct CounterV3 {
    #[serde(rename = "_id")]
    id: String,
    total: i32,
}

impl From<Counter> for CounterV3 {
    fn from(old: Counter) -> Self {
        Self { id: old.id, total: old.count }
    }
}

fn item() -> Item {
    Item { id: "a".into(), shelf: 1, place: Some(2), qty: 3 }
}

#[test]
fn an_upsert_inserts_what_the_filter_and_the_update_say() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (pages, items) = (db.collection::<Page>(), db.collection::<Item>());
        let (p, i) = (Page::fields(), Item::fields());
        let seen = || p.views().inc(1) + p.title().set_on_insert("new");

        let (result, sent) =
            kit.commands(pages.update_one(p.url().eq("/home"), seen()).upsert()).await;
        let id = result?.upserted_id.and_then(|id| id.as_object_id()).ok_or("not inserted")?;
        assert_eq!(sent.names(), ["update"], "{sent}");
        let inserted =
            Page { id, url: "/home".into(), views: 1, title: Some("new".into()), tags: vec![] };
        assert_eq!(pages.get(id).await?, Some(inserted));

        let again = p.views().inc(1) + p.title().set_on_insert("other");
        let result = pages.update_one(p.url().eq("/home"), again).upsert().await?;
        assert_eq!((result.matched_count, result.upserted_id), (1, None));
        let page = pages.get(id).await?.ok_or("gone")?;
        assert_eq!((page.views, page.title.as_deref()), (2, Some("new")));

        // The `_id` from the filter, and from the update.
        let full = || i.shelf().set(1) + i.place().set(2) + i.qty().inc(3);
        items.update_one(i.id().eq("a"), full()).upsert().await?;
        assert_eq!(items.get("a").await?, Some(item()));
        let at = i.shelf().eq(7) & i.place().eq(8);
        let update = i.id().set_on_insert("b") + i.qty().set(1);
        items.update_one(at.clone(), update.clone()).upsert().await?;
        items.update_one(at, update).upsert().await?;
        assert_eq!(items.count_documents(Filter::new()).await?, 2);
        assert_eq!(items.get("b").await?.map(|item| item.place), Some(Some(8)));
        Ok(())
    })
}

#[test]
fn a_replacement_is_inserted_as_it_is() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let items = db.collection::<Item>();
        let i = Item::fields();
        let result = items.replace_one(i.id().eq("a"), item()).upsert().await?;
        assert_eq!(result.upserted_id, Some("a".into()));
        let more = Item { qty: 9, ..item() };
        let result = items.replace_one(i.id().eq("a"), &more).upsert().await?;
        assert_eq!((result.modified_count, result.upserted_id), (1, None));
        assert_eq!(items.find(Filter::new()).await?, [more]);

        let counters = db.collection::<Counter>();
        let counter = Counter { id: "c".into(), count: 1, label: None };
        counters.replace_one(Counter::fields().id().eq("c"), &counter).upsert().await?;
        let raw = counters.driver().find_one(doc! {}).await?.ok_or("gone")?;
        assert_eq!(raw.keys().nth(1).map(String::as_str), Some("schema_version"), "{raw}");
        assert_eq!(counters.get("c").await?, Some(counter));
        Ok(())
    })
}

#[test]
fn what_could_not_be_read_or_would_be_doubled_is_refused() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (pages, items, counters) =
            (db.collection::<Page>(), db.collection::<Item>(), db.collection::<Counter>());
        let (p, i, c) = (Page::fields(), Item::fields(), Counter::fields());
        macro_rules! refused {
            ($action:expr, $path:expr, $message:expr) => {{
                let (result, sent) = kit.commands($action).await;
                let error = result.err().ok_or($message)?;
                assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
                assert_eq!(error.path(), $path, "{error}");
                assert!(error.to_string().contains($message), "{error}");
                assert!(sent.is_empty(), "{sent}");
            }};
        }
        let key = "names the `_id` or all keys of a unique index";
        let seen = || p.views().inc(1);
        refused!(pages.update_one(p.views().eq(1), seen()).upsert(), None, key);
        refused!(pages.update_one(p.url().gt("a"), seen()).upsert(), None, key);
        refused!(pages.update_one(p.url().eq("a") | p.views().eq(1), seen()).upsert(), None, key);
        refused!(pages.update_one(p.id().in_([ObjectId::new(); 2]), seen()).upsert(), None, key);
        let one_key = i.shelf().eq(1) & i.id().exists(true);
        refused!(items.update_one(one_key, i.qty().set(1)).upsert(), None, key);
        let no_value = i.shelf().eq(1) & i.place().eq(None);
        refused!(items.update_one(no_value, i.qty().set(1)).upsert(), None, key);
        refused!(items.replace_one(i.shelf().eq(1), item()).upsert(), None, key);
        refused!(items.find_one_and_update(i.qty().eq(1), i.qty().inc(1)).upsert(), None, key);
        refused!(items.find_one_and_replace(i.qty().eq(1), item()).upsert(), None, key);

        let unreadable = "could not be read";
        let partly = i.shelf().set(1);
        refused!(items.update_one(i.id().eq("a"), partly).upsert(), Some("qty"), unreadable);
        let at = i.shelf().eq(1) & i.place().eq(2);
        // The server would generate an ObjectId.
        refused!(items.update_one(at, i.qty().set(1)).upsert(), Some("_id"), unreadable);
        // The server would insert the element in place of the list.
        let tagged = p.url().eq("a") & p.tags().contains("x");
        refused!(pages.update_one(tagged, seen()).upsert(), Some("tags"), unreadable);
        let any = p.tags().contains("x");
        let update = seen() + p.url().set("a");
        refused!(pages.update_one(any, update).upsert_on_any_filter(), Some("tags"), unreadable);

        let elements = p.tags().all_elements().set("x") + seen();
        refused!(
            pages.update_one(p.url().eq("a"), elements).upsert(),
            Some("tags.$[]"),
            "no elements"
        );
        let other_id = i.id().set_on_insert("b") + i.shelf().set(1) + i.qty().set(1);
        refused!(items.update_one(i.id().eq("a"), other_id).upsert(), Some("_id"), "not the one");
        refused!(items.replace_one(i.id().eq("b"), item()).upsert(), Some("_id"), "never changes");
        // MG5973: the version is the library's to write, in an upsert as elsewhere.
        let version = Update::raw(doc! { "$set": { "schema_version": 2, "count": 1 } });
        let path = Some("schema_version");
        let message = "only the library writes";
        refused!(counters.update_one(c.id().eq("a"), version.clone()).upsert(), path, message);
        refused!(counters.update_one(c.id().eq("a"), version), path, message);
        let pipeline = Update::raw_pipeline([doc! { "$unset": "schema_version" }]);
        refused!(counters.update_one(c.id().eq("a"), pipeline), path, message);
        let twice = p.url().eq("a") & Filter::raw(doc! { "$and": [{ "url": "b" }] });
        refused!(pages.update_one(twice, seen()).upsert(), Some("url"), "asks twice");
        Ok(())
    })
}

#[test]
fn any_filter_is_taken_where_it_is_asked_for() -> TestResult {
    odm_testkit::run(async |kit| {
        let pages = database(&kit).collection::<Page>();
        let p = Page::fields();
        let update =
            || p.url().set_on_insert("/a") + p.views().set_on_insert(0) + p.title().set("t");
        for upserted in [true, false] {
            let action = pages.update_one(p.tags().size(0), update() + p.tags().set([""; 0]));
            let result = action.upsert_on_any_filter().await?;
            assert_eq!(result.upserted_id.is_some(), upserted);
        }
        Ok(())
    })
}

/// Tasks that upsert one key at the same time leave one document, and each of them succeeds.
#[test]
fn upserts_at_once_insert_one_document() -> TestResult {
    const TASKS: i64 = 40;
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![Page, Counter]).await?.apply().await?;
        let (pages, counters) = (db.collection::<Page>(), db.collection::<Counter>());
        let (p, c) = (Page::fields(), Counter::fields());
        for round in 0..5 {
            let (url, id) = (format!("/{round}"), format!("{round}"));
            let by_url = (0..TASKS).map(|_| {
                let upsert = pages.update_one(p.url().eq(&url), p.views().inc(1)).upsert();
                tokio::spawn(async move { upsert.await })
            });
            let by_find_and_modify = (0..TASKS).map(|_| {
                let upsert = pages.find_one_and_update(p.url().eq(&url), p.views().inc(1)).upsert();
                tokio::spawn(async move { upsert.await })
            });
            let by_id = (0..TASKS).map(|_| {
                let upsert = counters.update_one(c.id().eq(&id), c.count().inc(1)).upsert();
                tokio::spawn(async move { upsert.await })
            });
            let by_label = (0..TASKS).map(|_| {
                let update = c.id().set_on_insert(format!("l{id}")) + c.count().inc(1);
                let upsert = counters.update_one(c.label().eq(&id), update).upsert();
                tokio::spawn(async move { upsert.await })
            });
            let (by_url, by_find_and_modify, by_id, by_label) = tokio::join!(
                join_all(by_url),
                join_all(by_find_and_modify),
                join_all(by_id),
                join_all(by_label)
            );
            let mut inserted = 0;
            for result in by_url {
                inserted += u32::from(result??.upserted_id.is_some());
            }
            for result in by_find_and_modify {
                inserted += u32::from(result??.is_none());
            }
            for result in by_id.into_iter().chain(by_label) {
                inserted += u32::from(result??.upserted_id.is_some());
            }
            assert_eq!(inserted, 3);
            let page = pages.find(p.url().eq(&url)).await?;
            assert_eq!(page.iter().map(|page| page.views).collect::<Vec<_>>(), [2 * TASKS]);
            let counted = counters.find(c.id().eq(&id) | c.label().eq(&id)).await?;
            assert_eq!(counted.iter().map(|c| c.count).collect::<Vec<_>>(), [40, 40]);
        }
        Ok(())
    })
}

/// A document that has the key and does not match the rest of the filter stays alone.
#[test]
fn a_guard_that_does_not_hold_is_a_duplicate_key() -> TestResult {
    odm_testkit::run(async |kit| {
        let items = database(&kit).collection::<Item>();
        let i = Item::fields();
        items.insert_one(item()).await?;
        let filter = i.id().eq("a") & i.qty().lt(2);
        let update = i.shelf().set(5) + i.qty().inc(1);
        let (result, sent) = kit.commands(items.update_one(filter, update).upsert()).await;
        let error = result.err().ok_or("accepted")?;
        assert_eq!(error.kind(), ErrorKind::DuplicateKey, "{error}");
        assert_eq!(sent.names(), ["update", "update"], "tried once more: {sent}");
        assert_eq!(items.find(Filter::new()).await?, [item()]);
        Ok(())
    })
}

#[test]
fn an_upsert_sees_documents_of_other_versions() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        // Without the unique index, so that the server would let a second document in.
        let (before, counters, after) = (
            db.collection::<CounterV1>(),
            db.collection::<Counter>(),
            db.collection::<CounterV3>(),
        );
        let c = Counter::fields();
        let add = || c.count().inc(1);

        // Inserted: one round trip, with the version.
        let upsert = |id: &str| counters.update_one(c.id().eq(id), add()).upsert();
        let (result, sent) = kit.commands(upsert("new")).await;
        assert!(result?.upserted_id.is_some());
        assert_eq!(sent.names(), ["update"], "{sent}");
        let raw = counters.driver().find_one(doc! { "_id": "new" }).await?.ok_or("gone")?;
        assert_eq!(raw, doc! { "_id": "new", "schema_version": 2, "count": 1 });
        let (result, sent) = kit.commands(upsert("new")).await;
        assert_eq!((result?.modified_count, sent.names()), (1, vec!["update"]), "{sent}");

        // Old: migrated and changed.
        before.insert_one(CounterV1 { id: "old".into(), n: 5 }).await?;
        let (result, sent) = kit.commands(upsert("old")).await;
        assert_eq!(result?.modified_count, 1);
        assert_eq!(sent.names(), ["update", "find", "update", "update"], "{sent}");
        assert_eq!(counters.get("old").await?.map(|counter| counter.count), Some(6));

        // Newer: an error, by the `_id`, under a guard, by another key, and by any filter.
        let newer = CounterV3 { id: "newer".into(), total: 9 };
        after.insert_one(&newer).await?;
        let set_label = doc! { "$set": { "label": "x" } };
        after.driver().update_one(doc! { "_id": "newer" }, set_label).await?;
        let driver = counters.driver();
        let everything = || driver.count_documents(doc! {});
        let count = everything().await?;
        let full = || c.id().set_on_insert("other") + add();
        for (filter, update) in [
            (c.id().eq("newer"), add()),
            (c.id().eq("newer") & c.count().lt(5), add()),
            (c.label().eq("x"), full()),
        ] {
            let error = counters.update_one(filter.clone(), update.clone()).upsert().await.err();
            assert_eq!(error.map(|e| e.kind()), Some(ErrorKind::NewerVersion), "{filter}");
            let found = counters.find_one_and_update(filter.clone(), update).upsert().await.err();
            assert_eq!(found.map(|e| e.kind()), Some(ErrorKind::NewerVersion), "{filter}");
        }
        let any = c.label().gte("x");
        let error = counters.update_one(any, full()).upsert_on_any_filter().await.err();
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::NewerVersion));
        let mine = Counter { id: "newer".into(), count: 0, label: None };
        let error = counters.replace_one(c.id().eq("newer"), &mine).upsert().await.err();
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::NewerVersion));
        assert_eq!(everything().await?, count);
        assert_eq!(after.get("newer").await?, Some(newer));
        Ok(())
    })
}

/// In a transaction the server's refusal would end it: the document is looked for first.
#[test]
fn an_upsert_in_a_transaction_looks_first() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (before, counters) = (db.collection::<CounterV1>(), db.collection::<Counter>());
        let c = Counter::fields();
        before.insert_one(CounterV1 { id: "old".into(), n: 5 }).await?;
        let session = db.start_session().await?;
        session.start_transaction().await?;
        for id in ["old", "new"] {
            counters.update_one(c.id().eq(id), c.count().inc(1)).upsert().session(&session).await?;
        }
        session.commit_transaction().await?;
        let mut counts: Vec<_> =
            counters.find(Filter::new()).await?.into_iter().map(|counter| counter.count).collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 6]);
        Ok(())
    })
}

/// A pipeline makes a document of the current version, whatever its stages leave out.
#[test]
fn a_pipeline_keeps_the_version() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let counters = db.collection::<Counter>();
        let c = Counter::fields();
        let anew =
            || Update::raw_pipeline([doc! { "$replaceWith": { "count": { "$literal": 7 } } }]);
        counters.update_one(c.id().eq("a"), anew()).upsert().await?;
        counters.update_one(c.id().eq("a"), anew()).await?;
        let add = Update::raw_pipeline([doc! { "$set": { "count": { "$add": ["$count", 1] } } }]);
        counters.update_one(c.id().eq("a"), add).await?;
        let raw = counters.driver().find(doc! {}).await?;
        let raw: Vec<bson::Document> = futures::TryStreamExt::try_collect(raw).await?;
        assert_eq!(raw, [doc! { "_id": "a", "count": 8, "schema_version": 2 }]);
        let mixed = c.count().inc(1) + Update::raw_pipeline([doc! { "$set": { "count": 1 } }]);
        let error = counters.update_one(c.id().eq("a"), mixed).await.err();
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::InvalidArgument));
        for (stage, message) in [
            (doc! { "$set": { "_id": 2 } }, "never changes"),
            (doc! { "$unset": ["count", "_id"] }, "never changes"),
            (doc! { "$match": {} }, "takes no stage `$match`"),
        ] {
            let action = counters.update_one(c.id().eq("a"), Update::raw_pipeline([stage]));
            let error = action.await.err().ok_or(message)?;
            assert!(error.to_string().contains(message), "{error}");
        }
        Ok(())
    })
}

stored_like_serde!(
    item(),
    Page { id: ObjectId::new(), url: "u".into(), views: 1, title: None, tags: vec![] },
    Counter { id: "c".into(), count: 1, label: Some("l".into()) },
);
