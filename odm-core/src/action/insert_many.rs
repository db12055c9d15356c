//! `insert_many`.

use std::borrow::Borrow;
use std::future::IntoFuture;

use bson::RawDocumentBuf;
use futures::future::BoxFuture;
use mongodb::results::InsertManyResult;

use crate::collection::Collection;
use crate::driver::Call;
use crate::error::Result;
use crate::model::Document;

impl<T: Document> Collection<T> {
    /// Inserts documents, in as few commands as the server's limits allow.
    ///
    /// Awaiting takes one round trip for each 100,000 documents or 48 MB, none without documents,
    /// and gives the driver's [`InsertManyResult`]. Ordered unless said otherwise: the first
    /// document that is refused ends the insert.
    ///
    /// # Errors
    /// [`ErrorKind::TooMany`](crate::ErrorKind::TooMany) if a list is longer than its bound, before
    /// anything is sent;
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey) and others of the server: those
    /// documents that could not be written are listed by
    /// [`Error::write_failures`](crate::Error::write_failures), the others were written (of an
    /// ordered insert, those before the failure).
    /// [`ErrorKind::Encode`](crate::ErrorKind::Encode) for the first document that cannot be
    /// encoded, before any is sent.
    ///
    /// Source: [`insert`](https://www.mongodb.com/docs/manual/reference/command/insert/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// posts.insert_many([Post { id: 1 }, Post { id: 2 }]).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn insert_many<D: Borrow<T>>(&self, documents: impl IntoIterator<Item = D>) -> InsertMany {
        InsertMany {
            call: Call::new(self.target(), "insert_many"),
            documents: documents.into_iter().map(|document| document.borrow().encode()).collect(),
            ordered: true,
        }
    }
}

/// Inserts documents; see [`Collection::insert_many`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct InsertMany {
    call: Call,
    documents: Result<Vec<RawDocumentBuf>>,
    ordered: bool,
}

impl InsertMany {
    /// Whether the first document that is refused ends the insert. `true` unless set.
    pub fn ordered(mut self, ordered: bool) -> Self {
        self.ordered = ordered;
        self
    }

    option_setters!(session, write_concern, comment);
}

impl IntoFuture for InsertMany {
    type Output = Result<InsertManyResult>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.watch(None).run(async move {
            let documents = self.documents.map_err(|error| self.call.context(error))?;
            match documents.is_empty() {
                true => Ok(InsertManyResult::default()),
                false => self.call.insert_many(&documents, self.ordered).await,
            }
        })
    }
}
