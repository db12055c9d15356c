//! `exists`.

use std::future::IntoFuture;

use bson::{Document as BsonDocument, doc};
use futures::future::BoxFuture;

use crate::collection::Collection;
use crate::driver::{Call, FindOptions};
use crate::error::Result;
use crate::filter::Filter;
use crate::model::Document;

impl<T: Document> Collection<T> {
    /// Whether a document matches.
    ///
    /// Awaiting takes one round trip, in which at most one `_id` comes back.
    ///
    /// # Errors
    /// Those of a find; nothing is decoded.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: String }
    /// # async fn example(users: Collection<User>) -> odm::Result<()> {
    /// if users.exists(User::fields().id().eq("alex")).await? {
    ///     println!("taken");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn exists(&self, filter: Filter<T>) -> Exists {
        Exists { call: Call::new(self.target(), "exists"), filter: filter.into_document() }
    }
}

/// Whether a document matches; see [`Collection::exists`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct Exists {
    call: Call,
    filter: Result<BsonDocument>,
}

impl Exists {
    option_setters!(
        session,
        with_deleted,
        read_concern,
        read_preference,
        max_time,
        hint,
        collation,
        comment
    );
}

impl IntoFuture for Exists {
    type Output = Result<bool>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.watch(self.filter.as_ref().ok()).run(async move {
            let filter = self.filter.map_err(|error| self.call.context(error))?;
            let options = FindOptions {
                limit: Some(1),
                projection: Some(doc! { "_id": 1 }),
                ..FindOptions::default()
            };
            let first = self.call.find(filter, options).await?.next(|_| Ok(())).await;
            first.transpose().map(|first| first.is_some())
        })
    }
}
