//! Null, missing and a value are three things.

use bson::doc;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

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
