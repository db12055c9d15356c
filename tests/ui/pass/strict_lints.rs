// Generated code keeps the lints of the crate that it stands in.

#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    unused_qualifications,
    unused_results,
    unnameable_types,
    single_use_lifetimes,
    trivial_casts,
    let_underscore_drop,
    elided_lifetimes_in_paths,
    absolute_paths_not_starting_with_crate,
    non_camel_case_types,
    non_upper_case_globals,
    rust_2018_idioms
)]
#![forbid(unsafe_code)]
//! A crate that documents everything.

use odm::bson::DateTime;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

/// What is published.
#[derive(Debug, Clone, Serialize, Deserialize, Document)]
#[odm(schema_version = 1, index(author, -when), index(comments.who))]
pub struct Post {
    /// The identity.
    #[serde(rename = "_id")]
    pub id: i32,
    /// Who wrote it.
    pub author: String,
    /// When it was written.
    #[odm(ttl = "30d")]
    pub when: DateTime,
    /// What others say.
    pub comments: Vec<Comment>,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    seen: DateTime,
    target: Target,
    status: Status,
    email: Email,
    #[serde(flatten)]
    meta: Meta,
}

/// What one of them says.
#[derive(Debug, Clone, Serialize, Deserialize, Embedded)]
pub struct Comment {
    /// Who says it.
    pub who: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Target {
    Post { title: String },
    None,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, Embedded)]
enum Status {
    Draft,
}

#[derive(Debug, Clone, Serialize, Deserialize, Embedded)]
struct Email(String);

#[derive(Debug, Clone, Serialize, Deserialize, Embedded)]
pub(crate) struct Meta {
    pub(crate) language: String,
}

fn main() {
    let post = Post {
        id: 1,
        author: String::new(),
        when: DateTime::from_millis(0),
        comments: vec![Comment { who: String::new() }],
        seen: DateTime::from_millis(0),
        target: Target::Post { title: String::new() },
        status: Status::Draft,
        email: Email(String::new()),
        meta: Meta { language: String::new() },
    };
    assert!(post.encode().is_ok());
    assert!(matches!(Target::None, Target::None));
}
