//! Errors of the server and of the connection: kind, place, and the driver's error as the source.

use std::error::Error as _;

use bson::{Bson, doc};
use odm::prelude::*;
use odm::{Database, ErrorKind};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Contact {
    email: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "users", index(contact.email, unique, name = "by_email"))]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    contact: Contact,
    #[odm(unique)]
    nicknames: Vec<String>,
}

fn user(id: i32, email: &str) -> User {
    User { id, contact: Contact { email: email.into() }, nicknames: vec![format!("n{id}")] }
}

#[test]
fn a_duplicate_key_names_index_and_value() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![User]).await?.apply().await?;
        let users = db.collection::<User>();
        users.insert_many([user(1, "a@x"), user(2, "b@x")]).await?;
        let u = User::fields();
        let by_email = || (Some("by_email".to_owned()), Some(doc! { "contact.email": "a@x" }));
        macro_rules! refused {
            ($action:expr, $operation:expr, $id:expr, $expected:expr) => {{
                let error = $action.await.err().ok_or("accepted")?;
                assert!(error.is_duplicate_key(), "{error}");
                assert_eq!((error.model(), error.operation()), (Some("User"), Some($operation)));
                assert_eq!(error.id(), Some(&Bson::Int32($id)), "{error}");
                assert_eq!(error.code(), Some(11000));
                let duplicate = error.duplicate_key();
                let found = (duplicate.map(|d| d.index.clone()), duplicate.map(|d| d.key.clone()));
                assert_eq!(found, $expected, "{error}");
                assert!(error.source().is_some_and(|source| source.is::<mongodb::error::Error>()));
                assert!(error.driver().is_some());
                error
            }};
        }

        let error = refused!(users.insert_one(user(3, "a@x")), "insert_one", 3, by_email());
        assert!(
            error.to_string().contains(r#"`by_email` has { "contact.email": "a@x" } already"#),
            "{error}"
        );
        let error = refused!(
            users.insert_many([user(3, "c@x"), user(4, "a@x")]),
            "insert_many",
            4,
            by_email()
        );
        let failures = error.write_failures();
        assert_eq!((failures.len(), failures[0].index), (1, 1));
        assert!(users.get(3).await?.is_some(), "those before the failure were written");
        let change = u.contact().email().set("a@x");
        refused!(users.update_one(u.id().eq(2), change), "update_one", 2, by_email());
        refused!(users.replace_one(u.id().eq(2), user(2, "a@x")), "replace_one", 2, by_email());
        let same_id = (Some("_id_".to_owned()), Some(doc! { "_id": 1 }));
        refused!(users.insert_one(user(1, "d@x")), "insert_one", 1, same_id);
        let mut nick = user(9, "e@x");
        nick.nicknames = vec!["new".into(), "n2".into()];
        let error = users.insert_one(&nick).await.err().ok_or("accepted")?;
        let duplicate = error.duplicate_key().ok_or("another error")?;
        assert!(duplicate.index.starts_with("nicknames_1_unique"), "{error}");
        assert_eq!(duplicate.key, doc! { "nicknames": "n2" });
        Ok(())
    })
}

/// An unordered insert writes what it can and lists the rest.
#[test]
fn an_unordered_insert_lists_what_failed() -> TestResult {
    odm_testkit::run(async |kit| {
        let users = database(&kit).collection::<User>();
        users.insert_one(user(2, "b@x")).await?;
        let all = (1..=4).chain([1]).map(|id| user(id, "x"));
        let error = users.insert_many(all).ordered(false).await.err().ok_or("accepted")?;
        let failures: Vec<_> = error
            .write_failures()
            .iter()
            .map(|failure| (failure.index, failure.duplicate_key.as_ref().map(|d| d.key.clone())))
            .collect();
        assert_eq!(failures, [(1, Some(doc! { "_id": 2 })), (4, Some(doc! { "_id": 1 }))]);
        assert_eq!(users.count_documents(Filter::new()).await?, 4);
        Ok(())
    })
}

#[test]
fn a_refusal_of_the_server_keeps_its_code_and_labels() -> TestResult {
    odm_testkit::run(async |kit| {
        let users = database(&kit).collection::<User>();
        users.insert_one(user(1, "a@x")).await?;
        let u = User::fields();
        let add_to_text = Update::raw(doc! { "$inc": { "contact.email": 1 } });
        let error = users.update_one(u.id().eq(1), add_to_text).await.err().ok_or("accepted")?;
        assert_eq!((error.kind(), error.code()), (ErrorKind::Server, Some(14)), "{error}");
        let error =
            users.find(Filter::raw(doc! { "$nonsense": 1 })).await.err().ok_or("accepted")?;
        assert_eq!((error.kind(), error.code()), (ErrorKind::Server, Some(2)), "{error}");
        assert!(!error.contains_label("TransientTransactionError"));
        Ok(())
    })
}

/// A write conflict in a transaction keeps the driver's label.
#[test]
fn labels_survive() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let users = db.collection::<User>();
        users.insert_one(user(1, "a@x")).await?;
        let u = User::fields();
        let (first, second) = (db.start_session().await?, db.start_session().await?);
        first.start_transaction().await?;
        second.start_transaction().await?;
        let change = |to: &str| users.update_one(u.id().eq(1), u.contact().email().set(to));
        change("b@x").session(&first).await?;
        let error = change("c@x").session(&second).await.err().ok_or("accepted")?;
        assert!(error.contains_label("TransientTransactionError"), "{error:?}");
        first.abort_transaction().await?;
        second.abort_transaction().await?;
        Ok(())
    })
}

/// The host and the wait are named, not only that there was a timeout.
#[test]
fn an_unreachable_server_is_named_with_the_wait() -> TestResult {
    tokio::runtime::Runtime::new()?.block_on(async {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let uri = format!("mongodb://127.0.0.1:{port}/?serverSelectionTimeoutMS=300");
        let db = Database::connect(&uri, "blog").await?;
        let error = db.collection::<User>().get(1).await.err().ok_or("found")?;
        assert_eq!(error.kind(), ErrorKind::Unreachable);
        assert_eq!((error.model(), error.operation()), (Some("User"), Some("get")));
        let message = error.to_string();
        assert!(message.contains(&format!("at 127.0.0.1:{port}")), "{message}");
        assert!(message.contains("within 0."), "{message}");
        assert!(error.source().is_some());
        Ok(())
    })
}

#[test]
fn a_malformed_connection_string_is_refused() -> TestResult {
    tokio::runtime::Runtime::new()?.block_on(async {
        let error = Database::connect("mongo://x", "blog").await.err().ok_or("connected")?;
        assert_eq!(error.operation(), Some("connect"), "{error}");
        Ok(())
    })
}

stored_like_serde!(user(1, "a@x"));
