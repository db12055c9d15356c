//! `estimated_document_count`.

use std::future::IntoFuture;

use futures::future::BoxFuture;

use crate::collection::Collection;
use crate::driver::Call;
use crate::error::Result;
use crate::model::Document;

impl<T: Document> Collection<T> {
    /// How many documents the collection has, by its metadata.
    ///
    /// Awaiting takes one round trip and reads no document, so it costs the same for any size. The
    /// number may be wrong after an unclean shutdown, and on a sharded cluster while chunks move or
    /// orphans are left. It takes no session: a transaction does not have this count, and
    /// [`count_documents`](Collection::count_documents) is exact.
    ///
    /// # Errors
    /// Those of the server and the connection; nothing is decoded.
    ///
    /// Source: [`estimatedDocumentCount`](https://www.mongodb.com/docs/manual/reference/method/db.collection.estimatedDocumentCount/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// println!("about {} posts", posts.estimated_document_count().await?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn estimated_document_count(&self) -> EstimatedDocumentCount {
        EstimatedDocumentCount { call: Call::new(self.target(), "estimated_document_count") }
    }
}

/// Counts the documents of a collection by its metadata; see
/// [`Collection::estimated_document_count`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct EstimatedDocumentCount {
    call: Call,
}

impl EstimatedDocumentCount {
    option_setters!(read_concern, read_preference, max_time, comment);
}

impl IntoFuture for EstimatedDocumentCount {
    type Output = Result<u64>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let watch = self.call.watch(None);
        watch.run(async move { self.call.estimated_document_count().await })
    }
}
