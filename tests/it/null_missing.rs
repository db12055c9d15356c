//! Null, missing and a value are three things.

use bson::doc;
use odm::Nullable;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::filter_table::{Row, assert_found, assert_sent};
use crate::support::{assert_stored_like_serde, database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Profile {
    bio: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
}

fn user(id: i32) -> User {
    User { id, email: None, profile: None }
}

/// PR13949: documents where the field is missing (1), null (2) and a value (3).
#[test]
fn each_question_has_its_row_in_the_table() -> TestResult {
    odm_testkit::run(async |kit| {
        let users = database(&kit).collection::<User>();
        users
            .driver()
            .insert_many([
                doc! { "_id": 1 },
                doc! { "_id": 2, "email": null },
                doc! { "_id": 3, "email": "a@x" },
            ])
            .await?;
        let email = User::fields().email();
        for (filter, expected) in [
            (email.is_none(), &[1, 2][..]),
            (email.eq(None), &[1, 2]),
            (email.is_null(), &[2]),
            (email.is_missing(), &[1]),
            (email.exists(true), &[2, 3]),
            (email.exists(false), &[1]),
            (email.ne(None), &[3]),
            (!email.is_none(), &[3]),
            (!email.is_null(), &[1, 3]),
            (!email.is_missing(), &[2, 3]),
            (email.eq("a@x"), &[3]),
            (email.ne("a@x"), &[1, 2]),
            (email.in_([Some("a@x".to_owned()), None]), &[1, 2, 3]),
        ] {
            let shown = filter.to_string();
            let found = users.find(filter).sort(User::fields().id().asc()).await?;
            let ids: Vec<_> = found.iter().map(|user| user.id).collect();
            assert_eq!(ids, expected, "{shown}");
        }
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts")]
struct Contact {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(default, skip_serializing_if = "Nullable::is_missing")]
    email: Nullable<String>,
    #[serde(default, skip_serializing_if = "Nullable::is_missing")]
    visits: Nullable<i64>,
    #[serde(default, skip_serializing_if = "Nullable::is_missing")]
    profile: Nullable<Profile>,
    #[serde(default, skip_serializing_if = "Nullable::is_missing")]
    tags: Nullable<Vec<String>>,
    #[serde(default, deserialize_with = "odm::null_as_empty")]
    groups: Vec<String>,
}

fn contact(id: i32) -> Contact {
    Contact {
        id,
        email: Nullable::Missing,
        visits: Nullable::Missing,
        profile: Nullable::Missing,
        tags: Nullable::Missing,
        groups: vec![],
    }
}

/// Fields in documents without them (1), with null (2), and with a value (3); one with an address and
/// an empty list (4).
fn three_states() -> Vec<Row<Contact>> {
    let c = Contact::fields();
    let email = c.email();
    vec![
        (email.is_missing(), doc! { "email": { "$exists": false } }, &[1]),
        (email.is_null(), doc! { "email": { "$type": "null" } }, &[2]),
        (email.is_none(), doc! { "email": null }, &[1, 2]),
        (email.eq(None), doc! { "email": null }, &[1, 2]),
        (email.exists(true), doc! { "email": { "$exists": true } }, &[2, 3, 4]),
        (email.ne(None), doc! { "email": { "$ne": null } }, &[3, 4]),
        (email.eq("a@x"), doc! { "email": "a@x" }, &[3]),
        (email.ne("a@x"), doc! { "email": { "$ne": "a@x" } }, &[1, 2, 4]),
        (email.starts_with("a"), doc! { "email": { "$regex": "^a" } }, &[3]),
        (c.visits().gt(1), doc! { "visits": { "$gt": 1_i64 } }, &[3]),
        (c.visits().modulo(2, 0), doc! { "visits": { "$mod": [2_i64, 0_i64] } }, &[3]),
        (c.profile().bio().eq("b"), doc! { "profile.bio": "b" }, &[3]),
        (c.tags().contains("t"), doc! { "tags": "t" }, &[3]),
        (c.groups().contains("g"), doc! { "groups": "g" }, &[3]),
        (c.groups().is_none(), doc! { "groups": null }, &[1, 2]),
        (c.groups().at(0).is_missing(), doc! { "groups.0": { "$exists": false } }, &[1, 2, 4]),
        (
            !c.groups().at(0).is_missing(),
            doc! { "groups.0": { "$not": { "$exists": false } } },
            &[3],
        ),
    ]
}

fn contacts() -> Vec<bson::Document> {
    vec![
        doc! { "_id": 1 },
        doc! { "_id": 2, "email": null, "visits": null, "profile": null, "tags": null, "groups": null },
        doc! {
            "_id": 3, "email": "a@x", "visits": 2_i64, "profile": { "bio": "b" }, "tags": ["t"],
            "groups": ["g"],
        },
        doc! { "_id": 4, "email": "b@x", "groups": [] },
    ]
}

#[test]
fn filters_of_three_states_become_the_servers_words() -> TestResult {
    assert_sent(three_states())
}

/// The three states go through reads and writes as they are, and filters tell them apart.
#[test]
fn nullable_fields_keep_their_three_states() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = assert_found(&kit, contacts(), three_states()).await?;

        let read = collection.find(Filter::new()).sort(Contact::fields().id().asc()).await?;
        let states: Vec<_> = read.iter().map(|contact| contact.email.clone()).collect();
        let value = |text: &str| Nullable::Value(text.to_owned());
        assert_eq!(states, [Nullable::Missing, Nullable::Null, value("a@x"), value("b@x")]);
        let groups: Vec<_> = read.iter().map(|contact| contact.groups.len()).collect();
        assert_eq!(groups, [0, 0, 1, 0]);
        for (contact, stored) in read.iter().zip(contacts()) {
            collection.replace_one(Contact::fields().id().eq(contact.id), contact).await?;
            let mut written =
                collection.driver().find_one(doc! { "_id": contact.id }).await?.ok_or("gone")?;
            let mut stored = stored.clone();
            // Null and missing lists become empty ones; all else is as it was.
            assert!(written.remove("groups").is_some_and(|groups| groups.as_array().is_some()));
            stored.remove("groups");
            assert_eq!(written, stored);
        }
        let c = Contact::fields();
        collection.update_one(c.id().eq(3), c.email().set(None) + c.visits().inc(1)).await?;
        collection.update_one(c.id().eq(4), c.email().unset()).await?;
        let read = collection.find(c.id().gte(3)).sort(c.id().asc()).await?;
        assert_eq!((&read[0].email, &read[0].visits), (&Nullable::Null, &Nullable::Value(3)));
        assert_eq!(read[1].email, Nullable::Missing);
        Ok(())
    })
}

#[test]
fn nullable_models_are_stored_like_serde() -> TestResult {
    odm_testkit::run(async |kit| {
        let full = Contact {
            email: Nullable::Null,
            visits: Nullable::Value(1),
            profile: Nullable::Value(Profile { bio: "b".into() }),
            tags: Nullable::Value(vec!["t".into()]),
            groups: vec!["g".into()],
            ..contact(2)
        };
        assert_stored_like_serde(&kit, &[contact(1), full]).await
    })
}

/// A missing value where no field can be left out.
#[test]
fn a_missing_value_in_a_list_is_not_written() {
    let written = bson::serialize_to_bson(&vec![Nullable::<i32>::Missing]);
    assert!(written.is_err_and(|error| error.to_string().contains("skip_serializing_if")));
}

/// OD272: an optional embedded document that is `None` stays `None` through insert, update, read.
#[test]
fn none_stays_none() -> TestResult {
    odm_testkit::run(async |kit| {
        let users = database(&kit).collection::<User>();
        let u = User::fields();
        users.insert_one(user(1)).await?;
        users.update_one(u.id().eq(1), u.email().set("a@x")).await?;
        assert_eq!(users.get(1).await?.map(|user| user.profile), Some(None));

        let profile = Profile { bio: "x".into() };
        users.update_one(u.id().eq(1), u.profile().set(profile.clone())).await?;
        assert_eq!(users.get(1).await?.and_then(|user| user.profile), Some(profile));
        users.update_one(u.id().eq(1), u.profile().set(None)).await?;
        assert_eq!(users.get(1).await?.map(|user| user.profile), Some(None));
        users.update_one(u.id().eq(1), u.profile().unset()).await?;
        let raw = users.driver().find_one(doc! {}).await?.ok_or("gone")?;
        assert!(!raw.contains_key("profile") && raw.contains_key("email"));
        assert_eq!(users.get(1).await?.map(|user| user.profile), Some(None));
        Ok(())
    })
}

stored_like_serde!(
    user(1),
    User { email: Some("a".into()), profile: Some(Profile { bio: "b".into() }), ..user(2) }
);
