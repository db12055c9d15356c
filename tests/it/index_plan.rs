//! The index plan: missing, differing, undeclared; applied once, then nothing is sent.

use bson::{DateTime, doc};
use odm::plan::Hazard;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::database;

#[derive(Debug, Clone, Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, Document)]
#[odm(
    collection = "posts",
    index(author, -when),
    index(comments.who, sparse, name = "commenters"),
    index(votes, hidden, partial = |p| p.votes().gt(10) & p.author().exists(true)),
)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: String,
    when: DateTime,
    #[odm(index)]
    tags: Vec<String>,
    #[odm(unique)]
    slug: Option<String>,
    votes: i32,
    comments: Vec<Comment>,
    #[odm(ttl = "1day")]
    expires: Option<DateTime>,
    #[odm(desc, unique)]
    serial: i64,
}

#[test]
fn what_is_declared_is_created_and_then_nothing_is_sent() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let plan = db.plan(odm::models![Post]).await?;
        assert_eq!(plan.steps().len(), 7);
        let shown = plan.to_string();
        assert!(shown.contains("create index `author_1_when_-1`"), "{shown}");
        assert!(shown.ends_with("7 to apply\n"), "{shown}");
        let hazards: Vec<_> = plan
            .steps()
            .iter()
            .filter(|step| step.hazard() == Hazard::ChecksData)
            .map(|step| step.index())
            .collect();
        assert_eq!(hazards.len(), 2, "{hazards:?}");

        let (applied, sent) = kit.commands(async { plan.apply().await }).await;
        assert_eq!(applied?.created.len(), 7);
        assert_eq!(sent.names(), ["createIndexes"; 7], "{sent}");

        let mut listed = db.driver().collection::<bson::Document>("posts").list_indexes().await?;
        let mut found = Vec::new();
        while listed.advance().await? {
            found.push(bson::Document::try_from(listed.current())?);
        }
        let listed = |keys: bson::Document| {
            found.iter().find(move |index| index.get_document("key").is_ok_and(|key| *key == keys))
        };
        assert!(
            listed(doc! { "author": 1_i64, "when": -1_i64 })
                .or_else(|| listed(doc! { "author": 1, "when": -1 }))
                .is_some(),
            "{found:?}"
        );

        let (plan, sent) = kit.commands(db.plan(odm::models![Post])).await;
        let plan = plan?;
        assert_eq!(sent.names(), ["listIndexes"], "{sent}");
        assert!(
            plan.is_empty() && plan.differences().is_empty() && plan.undeclared().is_empty(),
            "{plan}"
        );
        assert_eq!(plan.to_string(), "nothing to apply\n");
        let (applied, sent) = kit.commands(async { plan.apply().await }).await;
        assert!(applied?.created.is_empty() && sent.is_empty(), "{sent}");
        Ok(())
    })
}

/// MG3984: two documents may lack a unique optional value, as null or missing; two may not share
/// one. A query by the value uses the index.
#[test]
fn a_unique_option_admits_many_without_a_value() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![Post]).await?.apply().await?;
        let posts = db.collection::<Post>();
        let post = |id: i32, slug: Option<&str>| Post {
            id,
            author: "a".into(),
            when: DateTime::now(),
            tags: vec![],
            slug: slug.map(str::to_owned),
            votes: 0,
            comments: vec![],
            expires: None,
            serial: id.into(),
        };
        posts.insert_many([post(1, None), post(2, None), post(3, Some("x"))]).await?;
        posts
            .driver()
            .insert_many([doc! { "_id": 4, "serial": 4_i64 }, doc! { "_id": 5, "serial": 5_i64 }])
            .await?;
        let error = posts.insert_one(post(6, Some("x"))).await.err().ok_or("accepted")?;
        assert_eq!(error.duplicate_key().map(|key| key.key.clone()), Some(doc! { "slug": "x" }));

        let explained = db.driver().run_command(doc! {
            "explain": { "find": "posts", "filter": Post::fields().slug().eq("x").into_document()? },
            "verbosity": "queryPlanner",
        });
        let plan = explained.await?.to_string();
        assert!(plan.contains("IXSCAN") && !plan.contains("COLLSCAN"), "{plan}");
        Ok(())
    })
}

mod least {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
    pub(super) struct Part {
        x: Option<i32>,
    }

    #[derive(Debug, Clone, Serialize, Deserialize, Document)]
    #[odm(collection = "parts")]
    pub(super) struct Optional {
        #[serde(rename = "_id")]
        pub(super) id: i32,
        #[odm(unique)]
        pub(super) number: Option<i64>,
        #[odm(unique)]
        pub(super) float: Option<f64>,
        #[odm(unique)]
        pub(super) date: Option<DateTime>,
        #[odm(unique)]
        pub(super) uuid: Option<bson::Uuid>,
        #[odm(unique)]
        pub(super) oid: Option<bson::oid::ObjectId>,
        #[odm(unique)]
        pub(super) part: Option<Part>,
        #[odm(unique)]
        pub(super) flag: Option<bool>,
    }

    pub(super) fn value(id: i32) -> Optional {
        Optional {
            id,
            number: Some(i64::MIN),
            float: Some(f64::NEG_INFINITY),
            date: Some(DateTime::MIN),
            uuid: Some(bson::Uuid::from_bytes([0; 16])),
            oid: Some(bson::oid::ObjectId::from_bytes([0; 12])),
            part: Some(Part { x: None }),
            flag: Some(false),
        }
    }

    pub(super) fn none(id: i32) -> Optional {
        Optional {
            id,
            number: None,
            float: None,
            date: None,
            uuid: None,
            oid: None,
            part: None,
            flag: None,
        }
    }
}

/// The partial filter of a unique option takes in the least value of each type.
#[test]
fn a_unique_option_of_each_type_refuses_a_second_value() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![least::Optional]).await?.apply().await?;
        let parts = db.collection::<least::Optional>();
        parts.insert_many([least::none(1), least::none(2), least::value(3)]).await?;
        let only = |change: fn(&mut least::Optional, least::Optional)| {
            let mut part = least::none(4);
            change(&mut part, least::value(4));
            part
        };
        for (name, part) in [
            ("number", only(|a, b| a.number = b.number)),
            ("float", only(|a, b| a.float = b.float)),
            ("date", only(|a, b| a.date = b.date)),
            ("uuid", only(|a, b| a.uuid = b.uuid)),
            ("oid", only(|a, b| a.oid = b.oid)),
            ("part", only(|a, b| a.part = b.part)),
            ("flag", only(|a, b| a.flag = b.flag)),
        ] {
            let error = parts.insert_one(part).await.err().ok_or(name)?;
            assert!(error.is_duplicate_key(), "{name}: {error}");
        }
        Ok(())
    })
}

#[derive(Debug, Clone, Serialize, Deserialize, Embedded)]
struct Address {
    zip: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, Document)]
#[odm(collection = "people", index(address.zip, unique), index(moves.zip, unique))]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    address: Option<Address>,
    moves: Vec<Address>,
    #[odm(unique)]
    phones: Vec<String>,
}

/// What lies under an optional document or in an array may be absent too.
#[test]
fn a_unique_key_may_be_absent_with_what_holds_it() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![Person]).await?.apply().await?;
        let people = db.collection::<Person>();
        let none = |id| Person { id, address: None, moves: vec![], phones: vec![] };
        let address = Address { zip: "1".into() };
        let full = |id| Person {
            address: Some(address.clone()),
            moves: vec![address.clone()],
            phones: vec!["2".into()],
            ..none(id)
        };
        people.insert_many([none(1), none(2), full(3)]).await?;
        for person in [
            Person { address: full(4).address, ..none(4) },
            Person { moves: full(4).moves, ..none(4) },
            Person { phones: full(4).phones, ..none(4) },
        ] {
            let error = people.insert_one(&person).await.err().ok_or("accepted")?;
            assert!(error.is_duplicate_key(), "{error} of {person:?}");
        }
        Ok(())
    })
}

#[derive(Debug, Clone, Serialize, Deserialize, Document)]
#[odm(collection = "shared")]
struct First {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(index)]
    a: i32,
    #[odm(index)]
    b: i32,
}

#[derive(Debug, Clone, Serialize, Deserialize, Document)]
#[odm(collection = "shared", index(c, name = "mine"))]
struct Second {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(index)]
    b: i32,
    c: i32,
}

/// Two models on one collection are planned together: neither is foreign to the other.
#[test]
fn models_of_one_collection_share_a_plan() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let models = odm::models![First, Second];
        let (plan, sent) = kit.commands(db.plan(models)).await;
        let plan = plan?;
        assert_eq!(sent.names(), ["listIndexes"]);
        let names: Vec<_> = plan.steps().iter().map(|step| step.index().to_owned()).collect();
        assert_eq!(names, ["a_1", "b_1", "mine"]);
        plan.apply().await?;
        assert!(db.plan(models).await?.is_empty());
        let alone = db.plan(odm::models![Second]).await?;
        assert_eq!(
            alone.undeclared().iter().map(|index| index.index()).collect::<Vec<_>>(),
            ["a_1"]
        );
        Ok(())
    })
}

/// What differs is shown and left as it is; what is not declared is shown and kept.
#[test]
fn differences_are_shown_and_nothing_is_dropped() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let raw = db.driver().collection::<bson::Document>("shared");
        let command = doc! { "createIndexes": "shared", "indexes": [
            { "key": { "a": 1 }, "name": "a_1", "unique": true },
            { "key": { "b": 1.0 }, "name": "another_name" },
            { "key": { "d": 1 }, "name": "d_1", "expireAfterSeconds": 7.0 },
        ] };
        db.driver().run_command(command).await?;
        let plan = db.plan(odm::models![First]).await?;
        assert!(plan.is_empty(), "b has its index under another name: {plan}");
        assert_eq!(plan.differences().len(), 1);
        let shown = plan.to_string();
        assert!(shown.contains("differs: declared `a_1` { \"a\": 1 }, exists as `a_1`"), "{shown}");
        assert!(shown.contains("`d_1`") && shown.contains("not declared"), "{shown}");
        plan.apply().await?;
        assert_eq!(raw.list_index_names().await?.len(), 4);
        Ok(())
    })
}

/// A unique index on data that has duplicates is refused with the value; the other steps stand.
#[test]
fn duplicates_are_named_when_a_unique_index_is_built() -> TestResult {
    #[derive(Debug, Serialize, Deserialize, Document)]
    #[odm(collection = "users")]
    struct User {
        #[serde(rename = "_id")]
        id: i32,
        #[odm(index)]
        age: i32,
        #[odm(unique)]
        email: String,
    }
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let users = db.collection::<User>();
        users.insert_many((1..=2).map(|id| User { id, age: 3, email: "a@x".into() })).await?;
        let error = db.plan(odm::models![User]).await?.apply().await.err().ok_or("applied")?;
        assert!(error.is_duplicate_key(), "{error}");
        assert_eq!((error.model(), error.operation()), (Some("User"), Some("apply")));
        assert_eq!(error.duplicate_key().map(|key| key.key.clone()), Some(doc! { "email": "a@x" }));
        let plan = db.plan(odm::models![User]).await?;
        assert_eq!(
            plan.steps().iter().map(|step| step.index()).collect::<Vec<_>>(),
            ["email_1_unique"]
        );
        Ok(())
    })
}

/// What no server takes is refused by the plan, before anything is sent.
#[test]
fn an_impossible_declaration_is_refused() -> TestResult {
    #[derive(Debug, Serialize, Deserialize, Document)]
    #[odm(collection = "odd", index(a, partial = |_| Filter::raw(doc! { "a": { "$ne": 1 } })))]
    struct Odd {
        #[serde(rename = "_id")]
        id: i32,
        a: i32,
    }
    #[derive(Debug, Serialize, Deserialize, Document)]
    #[odm(collection = "anything")]
    struct Anything {
        #[serde(rename = "_id")]
        id: i32,
        #[odm(unique)]
        data: Option<bson::Bson>,
    }
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (plan, sent) = kit.commands(db.plan(odm::models![Odd])).await;
        let error = plan.err().ok_or("planned")?;
        assert!(error.to_string().contains("$ne") && sent.is_empty(), "{error}");
        let error = db.plan(odm::models![Anything]).await.err().ok_or("planned")?;
        assert_eq!((error.model(), error.path()), (Some("Anything"), Some("data")));
        Ok(())
    })
}
