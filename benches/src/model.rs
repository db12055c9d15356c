//! The documents: a post of about 700 bytes, as it is and with a schema version.

use bson::DateTime;
use bson::oid::ObjectId;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

use crate::seed::Seed;

/// A model whose documents are made from a number.
pub(crate) trait Sample: odm::Document {
    fn numbered(number: u32) -> Self;

    /// What is summed, so that both sides prove that they have read.
    fn votes(&self) -> i32;
}

/// What a reader says about a post.
#[derive(Debug, Clone, Serialize, Deserialize, Embedded)]
pub(crate) struct Comment {
    who: String,
    text: String,
}

/// The same fields for each model, so that only the declaration differs.
macro_rules! post_model {
    ($(#[$attribute:meta])* $name:ident) => {
        #[derive(Debug, Clone, Serialize, Deserialize, Document)]
        $(#[$attribute])*
        pub(crate) struct $name {
            #[serde(rename = "_id")]
            pub(crate) id: ObjectId,
            author: String,
            title: String,
            text: String,
            when: DateTime,
            tags: Vec<String>,
            votes: i32,
            voters: Vec<String>,
            comments: Vec<Comment>,
        }

        impl Sample for $name {
            fn numbered(number: u32) -> Self {
                let mut seed = Seed::new(number);
                Self {
                    id: seed.object_id(),
                    author: seed.user(),
                    title: seed.words(5),
                    text: seed.words(24),
                    when: seed.date(),
                    tags: seed.several(3, Seed::word),
                    votes: seed.below(1_000),
                    voters: seed.several(4, Seed::user),
                    comments: seed.several(3, comment),
                }
            }

            fn votes(&self) -> i32 {
                self.votes
            }
        }
    };
}

post_model! {
    /// A post of a blog.
    #[odm(collection = "posts")]
    Post
}

post_model! {
    /// A post of a blog, with a schema version in each document.
    #[odm(collection = "versioned_posts", schema_version = 1)]
    VersionedPost
}

fn comment(seed: &mut Seed) -> Comment {
    Comment { who: seed.user(), text: seed.words(8) }
}
