//! `count_documents`.

use std::future::IntoFuture;

use bson::Document as BsonDocument;
use futures::future::BoxFuture;

use crate::collection::Collection;
use crate::driver::Call;
use crate::error::Result;
use crate::filter::Filter;
use crate::model::Document;

impl<T: Document> Collection<T> {
    /// How many documents match.
    ///
    /// Awaiting takes one round trip. The server counts by an aggregation, and so exactly, also in
    /// a transaction.
    ///
    /// # Errors
    /// Those of a find; nothing is decoded.
    ///
    /// Source: [`countDocuments`](https://www.mongodb.com/docs/manual/reference/method/db.collection.countDocuments/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let popular = posts.count_documents(Post::fields().votes().gte(100)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn count_documents(&self, filter: Filter<T>) -> CountDocuments {
        CountDocuments {
            call: Call::new(self.target(), "count_documents"),
            filter: filter.into_document(),
            limit: None,
            skip: None,
        }
    }
}

/// Counts documents; see [`Collection::count_documents`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct CountDocuments {
    call: Call,
    filter: Result<BsonDocument>,
    limit: Option<u64>,
    skip: Option<u64>,
}

impl CountDocuments {
    /// Counts to this number at most; 0 means no limit.
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = (limit > 0).then_some(limit.into());
        self
    }

    /// Leaves out this many of the documents that match.
    pub fn skip(mut self, skip: u64) -> Self {
        self.skip = Some(skip);
        self
    }

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

impl IntoFuture for CountDocuments {
    type Output = Result<u64>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.watch(self.filter.as_ref().ok()).run(async move {
            let filter = self.filter.map_err(|error| self.call.context(error))?;
            self.call.count_documents(filter, self.limit, self.skip).await
        })
    }
}
