//! `replace_one`.

use std::borrow::Borrow;
use std::future::IntoFuture;

use bson::Document as BsonDocument;
use futures::future::BoxFuture;
use mongodb::results::UpdateResult;

use super::not_everything;
use super::upsert::{self, Readable, Upsert};
use crate::collection::Collection;
use crate::driver::Call;
use crate::error::Result;
use crate::filter::Filter;
use crate::migrate::{Change, Guard};
use crate::model::Document;

impl<T: Document> Collection<T> {
    /// Replaces one document that matches by another, whole: fields that the model does not
    /// declare are lost. To change some fields, use [`Collection::update_one`].
    ///
    /// Awaiting takes one round trip and gives the driver's [`UpdateResult`]. On a model with a
    /// schema version the rules of [`Collection::update_one`] hold: no document of a newer version
    /// is replaced.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty filter,
    /// before anything is sent; [`ErrorKind::Server`](crate::ErrorKind::Server) if the replacement
    /// has another `_id` than the document;
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey);
    /// [`ErrorKind::NewerVersion`](crate::ErrorKind::NewerVersion) and
    /// [`ErrorKind::UnknownVersion`](crate::ErrorKind::UnknownVersion).
    ///
    /// Source: [`update`](https://www.mongodb.com/docs/manual/reference/command/update/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String }
    /// # async fn example(posts: Collection<Post>, post: Post) -> odm::Result<()> {
    /// posts.replace_one(Post::fields().id().eq(post.id), &post).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace_one(&self, filter: Filter<T>, replacement: impl Borrow<T>) -> ReplaceOne {
        ReplaceOne {
            call: Call::new(self.target(), "replace_one"),
            filter: not_everything(filter.into_document(), "name the document to replace"),
            change: replacement.borrow().encode().map(Change::Replace),
            upsert: Upsert::No,
            readable: upsert::readable::<T>,
            guard: Guard::of::<T>(),
        }
    }
}

/// Replaces one document; see [`Collection::replace_one`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct ReplaceOne {
    call: Call,
    filter: Result<BsonDocument>,
    change: Result<Change>,
    upsert: Upsert,
    readable: Readable,
    guard: Option<Guard>,
}

impl ReplaceOne {
    upsert_setters!();
    option_setters!(session, with_deleted, write_concern, hint, collation, comment, let_vars);
}

impl IntoFuture for ReplaceOne {
    type Output = Result<UpdateResult>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { call, filter, change, upsert, readable, guard } = self;
        let watch = call.watch(filter.as_ref().ok());
        watch.run(upsert::change_one(call, filter, change, upsert, readable, guard))
    }
}
