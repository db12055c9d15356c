//! What explain says of finds, updates, deletes; the spans and warnings of actions.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use odm::prelude::*;
use odm::{Explain, LookupStrategy, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};
use tracing::span::{Attributes, Id, Record};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts", index(author, -votes))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: Ref<User>,
    votes: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: String,
}

fn post(id: i32) -> Post {
    Post { id, author: Ref::new(format!("user {}", id % 10)), votes: id }
}

fn figures(explain: &Explain) -> (u64, u64, u64) {
    (explain.keys_examined(), explain.documents_examined(), explain.returned())
}

#[test]
fn explain_tells_indexes_and_figures() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        posts.insert_many((0..100).map(post)).await?;
        db.plan(odm::models![Post]).await?.apply().await?;
        let p = Post::fields();
        let by_author = || p.author().eq("user 3");

        let explain = posts.find(by_author()).explain().await?;
        assert_eq!(figures(&explain), (10, 10, 10), "{explain}");
        assert_eq!(explain.stages(), ["IXSCAN", "FETCH"]);
        let index: Vec<_> = explain.indexes().collect();
        assert_eq!(index.len(), 1, "{explain}");
        let expected =
            format!("IXSCAN {}, FETCH: 10 keys and 10 documents examined, 10 returned", index[0]);
        assert_eq!(explain.to_string(), expected);
        assert!(explain.document().contains_key("queryPlanner"));

        let explain = posts.find(p.votes().gte(90)).sort(p.votes().asc()).explain().await?;
        assert!(explain.is_collection_scan(), "{explain}");
        assert_eq!(figures(&explain), (0, 100, 10), "{explain}");
        assert_eq!(explain.stages(), ["COLLSCAN", "SORT"]);
        assert_eq!(explain.indexes().count(), 0);

        let explain = posts.find(by_author()).limit(3).skip(1).explain().await?;
        assert_eq!(explain.returned(), 3, "{explain}");

        // With a join, the aggregation is explained; figures include the joined collection.
        let joined = posts
            .find(by_author())
            .lookup(p.author())
            .strategy(LookupStrategy::Lookup)
            .explain()
            .await?;
        assert!(joined.indexes().count() >= 1, "{joined}");
        assert!(joined.keys_examined() >= 10, "{joined}");

        let votes = p.votes().inc(1);
        let explain = posts.update_many(by_author(), votes.clone()).explain().await?;
        assert_eq!(explain.documents_examined(), 10, "{explain}");
        assert!(explain.stages().contains(&"UPDATE".to_owned()), "{explain}");
        let explain = posts.update_one(by_author(), votes).explain().await?;
        assert_eq!(explain.documents_examined(), 1, "{explain}");
        let explain = posts.delete_many(by_author()).explain().await?;
        assert!(explain.stages().contains(&"DELETE".to_owned()), "{explain}");
        assert_eq!(explain.documents_examined(), 10, "{explain}");
        let explain = posts.delete_one(p.id().eq(3)).explain().await?;
        assert!(!explain.is_collection_scan(), "{explain}");
        assert_eq!(posts.count_documents(Filter::new()).await?, 100, "nothing was changed");
        assert_eq!(posts.get(3).await?, Some(post(3)));

        // A hint counts.
        let hinted = posts
            .find(by_author())
            .hint(odm::options::Hint::Keys(bson::doc! { "_id": 1 }))
            .explain()
            .await?;
        assert_eq!(hinted.indexes().collect::<Vec<_>>(), ["_id_"], "{hinted}");
        Ok(())
    })
}

/// Keeps the fields of the library's spans and events.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn add(&self, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Fields<'a>(&'a mut String);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        // Times differ in each run.
        if field.name() != "duration_ms" {
            self.0.push_str(&format!(" {}={value:?}", field.name()));
        }
    }
}

impl tracing::Subscriber for Seen {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "odm"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = "span".to_owned();
        span.record(&mut Fields(&mut text));
        self.add(text);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut text = "record".to_owned();
        values.record(&mut Fields(&mut text));
        if text != "record" {
            self.add(text);
        }
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = event.metadata().level().to_string();
        event.record(&mut Fields(&mut text));
        self.add(text);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn every_action_has_a_span_and_slow_ones_a_warning() -> TestResult {
    odm_testkit::run(async |kit| {
        let seen = Seen::default();
        let guard = tracing::subscriber::set_default(seen.clone());
        let db = database(&kit);
        let p = Post::fields();
        let posts = db.collection::<Post>();
        posts.insert_many((0..3).map(post)).await?;
        assert_eq!(
            seen.take(),
            [r#"span model="Post" action="insert_many" collection="posts""#, "record documents=3"]
        );
        let mut stream = posts.find(Filter::new()).stream().await?;
        while futures::TryStreamExt::try_next(&mut stream).await?.is_some() {}
        drop(stream);
        assert_eq!(
            seen.take(),
            [r#"span model="Post" action="find" collection="posts""#, "record documents=3"]
        );
        let error = posts.find(Filter::raw(bson::doc! { "$wrong": 1 })).await.err();
        let told = seen.take();
        assert!(error.is_some() && told.iter().any(|text| text.contains("error=")), "{told:?}");

        let slow = db.slow_query_threshold(Duration::ZERO).collection::<Post>();
        slow.update_many(p.votes().gt(1), p.votes().inc(1)).await?;
        let told = seen.take();
        let warning = told.last().map(String::as_str).unwrap_or_default();
        assert!(warning.starts_with("WARN"), "{told:?}");
        for part in [r#"model="Post""#, r#"action="update_many""#, "documents=1", r#""$gt": "?""#] {
            assert!(
                warning.contains(part) || warning.contains(&part.replace('"', "\\\"")),
                "{part}: {warning}"
            );
        }
        drop(guard);
        Ok(())
    })
}

stored_like_serde!(post(1));
