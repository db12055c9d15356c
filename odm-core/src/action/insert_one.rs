//! `insert_one`.

use std::borrow::Borrow;
use std::future::IntoFuture;

use bson::RawDocumentBuf;
use futures::future::BoxFuture;
use mongodb::results::InsertOneResult;

use crate::collection::Collection;
use crate::driver::Call;
use crate::error::Result;
use crate::model::Document;

impl<T: Document> Collection<T> {
    /// Inserts one document.
    ///
    /// Awaiting takes one round trip and gives the driver's [`InsertOneResult`]. An optional `_id`
    /// that is `None` is generated as an ObjectId and is found there.
    ///
    /// # Errors
    /// [`ErrorKind::TooMany`](crate::ErrorKind::TooMany) if a list is longer than its bound, before
    /// anything is sent;
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey) with the index and value;
    /// [`ErrorKind::Encode`](crate::ErrorKind::Encode) before anything is sent.
    ///
    /// Source: [`insert`](https://www.mongodb.com/docs/manual/reference/command/insert/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// posts.insert_one(&Post { id: 1 }).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn insert_one(&self, document: impl Borrow<T>) -> InsertOne {
        InsertOne {
            call: Call::new(self.target(), "insert_one"),
            document: document.borrow().encode(),
        }
    }
}

/// Inserts one document; see [`Collection::insert_one`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct InsertOne {
    call: Call,
    document: Result<RawDocumentBuf>,
}

impl InsertOne {
    option_setters!(session, write_concern, comment);
}

impl IntoFuture for InsertOne {
    type Output = Result<InsertOneResult>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.watch(None).run(async move {
            let document = self.document.map_err(|error| self.call.context(error))?;
            self.call.insert_one(&document).await
        })
    }
}
