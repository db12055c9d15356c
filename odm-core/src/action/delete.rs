//! `delete_one` and `delete_many`.

use std::future::IntoFuture;

use bson::{Document as BsonDocument, doc};
use futures::FutureExt;
use futures::future::BoxFuture;
use mongodb::results::DeleteResult;

use super::not_everything;
use crate::collection::Collection;
use crate::deletion::{Deletion, Last, has_rules};
use crate::driver::Call;
use crate::error::Result;
use crate::explain::Explain;
use crate::filter::Filter;
use crate::migrate::{Guard, Write};
use crate::model::Document;

impl<T: Document> Collection<T> {
    /// Deletes one document that matches.
    ///
    /// Awaiting takes one round trip and gives the driver's [`DeleteResult`]. On a model with a
    /// schema version no document of a newer one is deleted; a filter that does not name the `_id`
    /// is first resolved to one, in one round trip more; where nothing was deleted,
    /// one more finds out why.
    ///
    /// Where other models have `on_delete` rules about this one, they are kept: the keys of what
    /// matches are read, what refers to it is looked for, changed or deleted, all in one transaction;
    /// on the given session where there is one. Round trips: one to find, one or more for each rule
    /// and level, one for each model to delete, and the commit. On a server without transactions
    /// restrictions are checked first and referring documents deleted first, so that a delete which
    /// was cut short can be repeated. The count is of the documents that match.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty filter,
    /// before anything is sent; [`ErrorKind::NewerVersion`](crate::ErrorKind::NewerVersion) and
    /// [`ErrorKind::UnknownVersion`](crate::ErrorKind::UnknownVersion);
    /// [`ErrorKind::Restricted`](crate::ErrorKind::Restricted) where a rule forbids it, and then
    /// nothing is changed; [`ErrorKind::OlderVersion`](crate::ErrorKind::OlderVersion) where an old
    /// document has to be migrated before rules can be kept.
    ///
    /// Source: [`delete`](https://www.mongodb.com/docs/manual/reference/command/delete/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: String }
    /// # async fn example(users: Collection<User>) -> odm::Result<()> {
    /// let deleted = users.delete_one(User::fields().id().eq("alex")).await?;
    /// assert_eq!(deleted.deleted_count, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_one(&self, filter: Filter<T>) -> DeleteOne {
        DeleteOne {
            call: Call::new(self.target(), "delete_one"),
            filter: not_everything(filter.into_document(), "name the document to delete"),
            guard: Guard::of::<T>(),
        }
    }

    /// Deletes every document that matches.
    ///
    /// Awaiting takes one round trip and gives the driver's [`DeleteResult`]; on a model with a
    /// schema version one more, since nothing is deleted where a document that matches is of a newer
    /// version. The driver does not retry it: after a lost connection some documents may be gone and others not.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty filter,
    /// before anything is sent, unless after [`all`](DeleteMany::all);
    /// [`ErrorKind::NewerVersion`](crate::ErrorKind::NewerVersion) and
    /// [`ErrorKind::UnknownVersion`](crate::ErrorKind::UnknownVersion), and then nothing is deleted;
    /// where other models have rules about this one, those of [`delete_one`](Self::delete_one), which
    /// also says how the rules are kept.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// posts.delete_many(Post::fields().votes().lt(0)).await?;
    /// posts.delete_many(Filter::new()).all().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_many(&self, filter: Filter<T>) -> DeleteMany {
        DeleteMany {
            call: Call::new(self.target(), "delete_many"),
            filter: filter.into_document(),
            all: false,
            guard: Guard::of::<T>(),
        }
    }
}

/// Deletes one document; see [`Collection::delete_one`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct DeleteOne {
    call: Call,
    filter: Result<BsonDocument>,
    guard: Option<Guard>,
}

impl DeleteOne {
    option_setters!(session, permanently, write_concern, hint, collation, comment, let_vars);

    /// How the server would run it: the indexes used, keys and documents examined. One round trip;
    /// nothing is deleted. On a versioned model, without the conditions on the version.
    ///
    /// # Errors
    /// As awaiting the delete.
    pub async fn explain(self) -> Result<Explain> {
        let filter = self.filter.map_err(|error| self.call.context(error))?;
        let statement = doc! { "q": filter, "limit": 1 };
        self.call.explain_delete(statement).await.map(Explain::new)
    }
}

impl IntoFuture for DeleteOne {
    type Output = Result<DeleteResult>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.watch(self.filter.as_ref().ok()).run(async move {
            let filter = self.filter.map_err(|error| self.call.context(error))?;
            let guard = self.guard;
            if !has_rules(&self.call) {
                return delete_one(&self.call, filter, guard).await;
            }
            let last = move |call: Call, filter| {
                async move { delete_one(&call, filter, guard).await }.boxed()
            };
            keep_rules(&self.call, &filter, true, guard, &last).await
        })
    }
}

async fn delete_one(
    call: &Call,
    filter: BsonDocument,
    guard: Option<Guard>,
) -> Result<DeleteResult> {
    let Some(guard) = guard else { return call.delete_one(filter).await };
    let write = Write { call, filter: &filter, sort: None, insertion: None };
    let deleted = guard.delete_one(&write, |filter| async move {
        let result = call.delete_one(filter).await?;
        Ok((result.deleted_count > 0).then_some(result))
    });
    Ok(deleted.await?.unwrap_or_default())
}

async fn delete_many(
    call: &Call,
    filter: BsonDocument,
    guard: Option<Guard>,
) -> Result<DeleteResult> {
    match guard {
        None => call.delete_many(filter).await,
        Some(guard) => guard.delete_many(call, filter).await,
    }
}

/// Deletes and does what the rules about the model ask for.
async fn keep_rules(
    call: &Call,
    filter: &BsonDocument,
    one: bool,
    guard: Option<Guard>,
    last: Last<'_, DeleteResult>,
) -> Result<DeleteResult> {
    let deletion = Deletion { call, filter, sort: None, one, guard, last };
    let results = deletion.run().await?;
    let mut sum = DeleteResult::default();
    sum.deleted_count = results.iter().map(|result| result.deleted_count).sum();
    Ok(sum)
}

/// Deletes documents; see [`Collection::delete_many`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct DeleteMany {
    call: Call,
    filter: Result<BsonDocument>,
    all: bool,
    guard: Option<Guard>,
}

impl DeleteMany {
    /// Takes an empty filter: every document of the collection is deleted.
    pub fn all(mut self) -> Self {
        self.all = true;
        self
    }

    option_setters!(session, permanently, write_concern, hint, collation, comment, let_vars);

    /// How the server would run it: the indexes used, keys and documents examined. One round trip;
    /// nothing is deleted. On a versioned model, without the conditions on the version.
    ///
    /// # Errors
    /// As awaiting the delete.
    pub async fn explain(self) -> Result<Explain> {
        let filter = self.filter.map_err(|error| self.call.context(error))?;
        let statement = doc! { "q": filter, "limit": 0 };
        self.call.explain_delete(statement).await.map(Explain::new)
    }
}

impl IntoFuture for DeleteMany {
    type Output = Result<DeleteResult>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.watch(self.filter.as_ref().ok()).run(async move {
            let filter = match self.all {
                true => self.filter,
                false => not_everything(self.filter, "say `.all()` to delete them all"),
            };
            let filter = filter.map_err(|error| self.call.context(error))?;
            let guard = self.guard;
            if !has_rules(&self.call) {
                return delete_many(&self.call, filter, guard).await;
            }
            let last = move |call: Call, filter| {
                async move { delete_many(&call, filter, guard).await }.boxed()
            };
            keep_rules(&self.call, &filter, false, guard, &last).await
        })
    }
}
