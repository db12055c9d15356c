// What the messages advise: chrono and UUID by helpers, any serde type as opaque, tagged enums.

use bson::serde_helpers::datetime::FromChrono04DateTime;
use bson::serde_helpers::uuid_1;
use chrono::{DateTime, Utc};
use odm::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id", with = "uuid_1::AsBinary")]
    id: uuid::Uuid,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    #[odm(ttl = "30d")]
    when: DateTime<Utc>,
    #[serde(with = "FromChrono04DateTime")]
    seen: DateTime<Utc>,
    #[serde(with = "uuid_1::AsBinary")]
    token: uuid::Uuid,
    #[odm(opaque)]
    length: Duration,
    #[odm(opaque)]
    target: External,
}

#[derive(Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id", skip_serializing_if = "Option::is_none")]
    id: Option<odm::bson::oid::ObjectId>,
}

#[derive(Clone, Serialize, Deserialize)]
enum External {
    Post { title: String },
}

fn main() {
    let p = Post::fields();
    let filter = p.when().gt(DateTime::UNIX_EPOCH) & p.token().eq(uuid::Uuid::nil());
    assert!(filter.into_document().is_ok());
    assert!(p.id().eq(uuid::Uuid::nil()).into_document().is_ok());
    assert!(User { id: None }.id().is_none());
    assert!(p.length().eq(Duration::ZERO).into_document().is_ok());
    assert!(p.target().eq(External::Post { title: "x".into() }).into_document().is_ok());
}
