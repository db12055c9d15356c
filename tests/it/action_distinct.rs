//! `distinct`, and the counts: what they give, and what they send.

use std::collections::BTreeSet;

use bson::{Bson, doc};
use mongodb::options::Collation;
use odm::prelude::*;
use odm::{ErrorKind, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Comment {
    #[serde(rename = "w")]
    who: String,
    likes: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Embedded)]
#[serde(rename_all = "lowercase")]
enum State {
    Draft,
    Published,
}

/// SD1814: the field is stored as `sr`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "sr")]
    serial: i64,
    tags: Vec<String>,
    more: Option<Vec<String>>,
    codes: BTreeSet<i32>,
    rank: Option<i32>,
    author: Ref<User>,
    editors: Vec<Ref<User>>,
    comments: Vec<Comment>,
    state: State,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    day: bson::DateTime,
}

fn post(id: i32) -> Post {
    let user = |n: i32| Ref::new(format!("user {n}"));
    Post {
        id,
        serial: i64::from(id % 3) << 40,
        tags: vec![format!("tag {}", id % 2), "all".into()],
        more: (id % 2 == 0).then(|| vec!["more".into()]),
        codes: [id % 2, 7].into(),
        rank: (id % 4 > 0).then_some(id % 4),
        author: user(id % 2),
        editors: vec![user(1), user(id % 3)],
        comments: vec![Comment { who: format!("who {}", id % 2), likes: vec![id % 3, 9] }],
        state: if id % 2 == 0 { State::Draft } else { State::Published },
        day: bson::DateTime::from_millis(0),
    }
}

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort();
    values
}

#[test]
fn values_have_the_type_of_the_field_or_its_elements() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        posts.insert_many((0..12).map(post)).await?;
        let p = Post::fields();
        let all = || Filter::<Post>::new();

        let (serials, sent) = kit.commands(posts.distinct(p.serial(), p.id().lt(2))).await;
        assert_eq!(sent.names(), ["distinct"], "{sent}");
        assert_eq!(sent[0].body.get_str("key")?, "sr");
        assert_eq!(sorted(serials?), [0, 1 << 40]);

        assert_eq!(sorted(posts.distinct(p.tags(), all()).await?), ["all", "tag 0", "tag 1"]);
        // A null in place of a list has no elements.
        assert_eq!(posts.distinct(p.more(), all()).await?, ["more"]);
        assert_eq!(sorted(posts.distinct(p.codes(), all()).await?), [0, 1, 7]);
        let ranks: Vec<Option<i32>> = posts.distinct(p.rank(), all()).await?;
        assert_eq!(sorted(ranks), [None, Some(1), Some(2), Some(3)]);
        let authors: Vec<String> = posts.distinct(p.author(), all()).await?;
        assert_eq!(sorted(authors), ["user 0", "user 1"]);
        assert_eq!(posts.distinct(p.editors(), all()).await?.len(), 3);
        assert_eq!(sorted(posts.distinct(p.comments().who(), all()).await?), ["who 0", "who 1"]);
        assert_eq!(sorted(posts.distinct(p.comments().likes(), all()).await?), [0, 1, 2, 9]);
        let states = posts.distinct(p.state().to_owned(), all()).await?;
        assert_eq!(sorted(states), [State::Draft, State::Published]);
        Ok(())
    })
}

#[test]
fn what_distinct_refuses() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        let p = Post::fields();
        let (refused, sent) = kit.commands(posts.distinct(p.day(), Filter::new())).await;
        let error = refused.err().ok_or("not refused")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::InvalidArgument, Some("day")));
        assert_eq!(sent.len(), 0, "{sent}");

        let raw = posts.driver();
        raw.insert_one(doc! { "_id": 1, "sr": 1.5, "tags": ["a", 5], "rank": "x" }).await?;
        let error = posts.distinct(p.tags(), Filter::new()).await.err().ok_or("not refused")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::Decode, Some("tags")), "{error}");
        assert!(error.to_string().contains("expected a string, found int 5"), "{error}");
        let error = posts.distinct(p.rank(), Filter::new()).await.err().ok_or("not refused")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::Decode, Some("rank")), "{error}");
        assert_eq!(error.operation(), Some("distinct"));
        Ok(())
    })
}

#[test]
fn options_of_distinct_and_the_counts() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let users = db.collection::<User>();
        users.insert_many(["a", "A", "b"].map(|id| User { id: id.into() })).await?;
        let u = User::fields();
        let plain = Collation::builder()
            .locale("en")
            .strength(mongodb::options::CollationStrength::Secondary);
        let ids = users.distinct(u.id(), Filter::new()).collation(plain.build()).await?;
        assert_eq!(ids.len(), 2);

        let (count, sent) = kit.commands(users.estimated_document_count()).await;
        assert_eq!((count?, sent.names()), (3, vec!["count"]));
        let comment = Bson::from("why");
        let (count, sent) = kit.commands(users.estimated_document_count().comment("why")).await;
        assert_eq!((count?, sent[0].body.get("comment")), (3, Some(&comment)));

        let count = || users.count_documents(Filter::new());
        assert_eq!(count().limit(2).await?, 2);
        assert_eq!(count().limit(0).await?, 3);
        assert_eq!(count().skip(2).await?, 1);
        assert_eq!(count().skip(5).await?, 0);

        let session = db.start_session().await?;
        session.start_transaction().await?;
        users.insert_one(&User { id: "c".into() }).session(&session).await?;
        assert_eq!(users.distinct(u.id(), Filter::new()).session(&session).await?.len(), 4);
        assert_eq!(users.distinct(u.id(), Filter::new()).await?.len(), 3);
        session.abort_transaction().await?;
        Ok(())
    })
}

/// BE496: a lookup joins after the filter, so a find, its count and a count of the filter agree. A
/// filter on a field of the target does not compile (`tests/ui/relation`).
#[test]
fn counts_agree_with_finds_that_join() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        posts.insert_many((0..12).map(post)).await?;
        // Of two authors, one is there.
        db.collection::<User>().insert_one(&User { id: "user 0".into() }).await?;
        let p = Post::fields();
        for filter in [p.author().eq("user 0"), p.author().eq("user 1"), p.author().ne("user 0")] {
            for strategy in [odm::LookupStrategy::Lookup, odm::LookupStrategy::Batches] {
                let find = || posts.find(filter.clone()).lookup(p.author()).strategy(strategy);
                assert_eq!(find().await?.len(), 6);
                assert_eq!(find().count().await?, 6);
                assert_eq!(find().limit(4).await?.len() as u64, find().limit(4).count().await?);
                assert_eq!(posts.count_documents(filter.clone()).await?, 6);
            }
        }
        let deleted = posts.delete_many(p.author().eq("user 1")).await?;
        assert_eq!(deleted.deleted_count, 6);
        Ok(())
    })
}

stored_like_serde!(post(1), post(2));
