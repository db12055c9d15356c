//! Documents that are fetched one by one in a loop: a warning in debug builds, and a check in tests.

use std::sync::{Arc, Mutex, PoisonError};

use odm::Ref;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};
use tracing::span::{Attributes, Id, Record};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: Ref<User>,
}

fn post(id: i32) -> Post {
    Post { id, author: Ref::new(id) }
}

/// The warnings of a thread.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Text<'a>(&'a mut String);

impl tracing::field::Visit for Text<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!("{}={value:?} ", field.name()));
    }
}

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "odm" && *metadata.level() == tracing::Level::WARN
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = String::new();
        event.record(&mut Text(&mut text));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_loop_of_gets_is_told_once_and_a_lookup_is_none() -> TestResult {
    odm_testkit::run(async |kit| {
        let warnings = Warnings::default();
        let _guard = tracing::subscriber::set_default(warnings.clone());
        let db = database(&kit);
        let (posts, users) = (db.collection::<Post>(), db.collection::<User>());
        posts.insert_many((0..40).map(post)).await?;
        users.insert_many((0..40).map(|id| User { id })).await?;

        for post in posts.find(Filter::new()).limit(9).await? {
            users.get(post.author.id()).await?;
        }
        let found = posts.find(Filter::new()).lookup(Post::fields().author()).await?;
        assert!(found.iter().all(|post| post.author.is_loaded()));
        assert_eq!(warnings.take(), [""; 0]);

        for post in posts.find(Filter::new()).await? {
            users.get(post.author.id()).await?;
        }
        let told = warnings.take();
        assert_eq!(told.len(), 1, "{told:?}");
        for part in ["User", "one_by_one.rs", "in_", "lookup"] {
            assert!(told[0].contains(part), "{part}: {told:?}");
        }
        Ok(())
    })
}

#[test]
fn requests_in_tasks_of_their_own_are_no_loop() -> TestResult {
    odm_testkit::run(async |kit| {
        let warnings = Warnings::default();
        let users = database(&kit).collection::<User>();
        for id in 0..40 {
            let (users, warnings) = (users.clone(), warnings.clone());
            tokio::spawn(async move {
                let get = tracing::subscriber::with_default(warnings, || users.get(id));
                get.await
            })
            .await??;
        }
        assert_eq!(warnings.take(), [""; 0]);
        Ok(())
    })
}

#[test]
fn a_test_can_hold_the_number_of_commands() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        posts.insert_many((0..3).map(post)).await?;
        let find = || posts.find(Filter::new()).lookup(Post::fields().author());
        assert_eq!(kit.expect_commands(2, find()).await?.len(), 3);
        assert_eq!(kit.expect_commands(..=2, find()).await?.len(), 3);
        let error = kit.expect_commands(1, find()).await.err().ok_or("two were taken for one")?;
        let lines: Vec<_> = error.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 4, "{error}");
        assert!(lines[1].contains("find") && lines[1].contains("posts"), "{error}");
        assert_eq!(lines[3], "expected 1 command");
        Ok(())
    })
}

stored_like_serde!(post(1));
