//! `update_one` and `update_many`.

use std::future::IntoFuture;

use bson::{Bson, Document as BsonDocument, doc};
use futures::future::BoxFuture;
use mongodb::results::UpdateResult;

use super::upsert::{self, Readable, Upsert};
use super::{not_everything, room};
use crate::collection::Collection;
use crate::driver::Call;
use crate::error::Result;
use crate::explain::Explain;
use crate::filter::Filter;
use crate::migrate::{Change, Guard};
use crate::model::Document;
use crate::update::{Modification, Update};

impl<T: Document> Collection<T> {
    /// Changes one document that matches, atomically.
    ///
    /// Awaiting takes one round trip and gives the driver's [`UpdateResult`]. The filter and the
    /// change are one step: a condition in the filter guards the change against others.
    ///
    /// On a model with a schema version only a document of the current version is changed, and an
    /// older one is migrated first. Round trips: one for a current document named by its `_id`, four
    /// for an old one, two where there is none. Another filter is first resolved to an `_id`: two
    /// for a current document, three for an old one, one where there is none.
    ///
    /// An update that adds to a list with a bound (`#[odm(embedded(max = N))]`) changes a document that
    /// has room alone. One round trip where the filter names the `_id`, else two; another one for each
    /// such list where nothing matched.
    ///
    /// # Errors
    /// [`ErrorKind::TooMany`](crate::ErrorKind::TooMany) if a list would be longer than its bound;
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty filter, an
    /// empty update, one that conflicts with itself or changes the `_id` or the schema version, and
    /// for [`matched`](crate::path::Path::matched) elements that the filter does not tell, before
    /// anything is sent;
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey);
    /// [`ErrorKind::NewerVersion`](crate::ErrorKind::NewerVersion) or
    /// [`ErrorKind::UnknownVersion`](crate::ErrorKind::UnknownVersion) for a document of a version
    /// that this program does not know, [`ErrorKind::Migrate`](crate::ErrorKind::Migrate) for an old
    /// one that cannot be migrated: each is left as it is.
    ///
    /// Source: [`update`](https://www.mongodb.com/docs/manual/reference/command/update/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32, voters: Vec<String> }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let p = Post::fields();
    /// let voted = posts
    ///     .update_one(
    ///         p.id().eq(1) & !p.voters().contains("calvin"),
    ///         p.votes().inc(1) + p.voters().push("calvin"),
    ///     )
    ///     .await?;
    /// println!("{}", voted.modified_count);
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_one(&self, filter: Filter<T>, update: Update<T>) -> UpdateOne {
        let filter = not_everything(filter.into_document(), "name the document to change");
        UpdateOne {
            call: Call::new(self.target(), "update_one"),
            change: checked(update, &filter).map(Change::Update),
            filter,
            upsert: Upsert::No,
            readable: upsert::readable::<T>,
            guard: Guard::of::<T>(),
        }
    }

    /// Changes every document that matches, each atomically.
    ///
    /// Awaiting takes one round trip and gives the driver's [`UpdateResult`]. On a model with a
    /// schema version it takes one more; older documents that match are migrated first, with one for
    /// each and one to see that none is left. The driver does not retry it: after a lost connection
    /// some documents may have been changed and others not.
    ///
    /// Of an update that adds to lists with a bound, it is first asked whether one of the documents has
    /// no room: then none is changed. One round trip more for each such list. A document that is filled
    /// by others in between is left out.
    ///
    /// # Errors
    /// As [`Collection::update_one`]; an empty filter is taken after
    /// [`all`](UpdateMany::all).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let reset = Post::fields().votes().set(0);
    /// posts.update_many(Filter::new(), reset).all().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_many(&self, filter: Filter<T>, update: Update<T>) -> UpdateMany {
        let filter = filter.into_document();
        UpdateMany {
            call: Call::new(self.target(), "update_many"),
            update: checked(update, &filter),
            filter,
            all: false,
            guard: Guard::of::<T>(),
        }
    }
}

/// The update, checked against its filter and model; a filter that has an error tells it itself.
pub(super) fn checked<T: Document>(
    update: Update<T>,
    filter: &Result<BsonDocument>,
) -> Result<Modification> {
    update.checked(filter.as_ref().unwrap_or(&BsonDocument::new()), T::MODEL)
}

/// Changes one document; see [`Collection::update_one`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct UpdateOne {
    call: Call,
    filter: Result<BsonDocument>,
    change: Result<Change>,
    upsert: Upsert,
    readable: Readable,
    guard: Option<Guard>,
}

impl UpdateOne {
    upsert_setters!();
    option_setters!(session, with_deleted, write_concern, hint, collation, comment, let_vars);

    /// How the server would run it: the indexes used, keys and documents examined. One round trip;
    /// nothing is changed. On a versioned model, without the conditions on the version.
    ///
    /// # Errors
    /// As awaiting the update.
    pub async fn explain(self) -> Result<Explain> {
        let parts = self.change.and_then(|change| change.to_parts());
        explain(&self.call, self.filter, parts, false).await
    }
}

impl IntoFuture for UpdateOne {
    type Output = Result<UpdateResult>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { call, filter, change, upsert, readable, guard } = self;
        let watch = call.watch(filter.as_ref().ok());
        watch.run(upsert::change_one(call, filter, change, upsert, readable, guard))
    }
}

/// Changes documents; see [`Collection::update_many`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct UpdateMany {
    call: Call,
    filter: Result<BsonDocument>,
    update: Result<Modification>,
    all: bool,
    guard: Option<Guard>,
}

impl UpdateMany {
    /// Takes an empty filter: every document of the collection is changed.
    pub fn all(mut self) -> Self {
        self.all = true;
        self
    }

    option_setters!(session, with_deleted, write_concern, hint, collation, comment, let_vars);

    /// How the server would run it: the indexes used, keys and documents examined. One round trip;
    /// nothing is changed. On a versioned model, without the conditions on the version.
    ///
    /// # Errors
    /// As awaiting the update.
    pub async fn explain(self) -> Result<Explain> {
        let parts = self.update.map(|update| update.to_parts());
        explain(&self.call, self.filter, parts, true).await
    }
}

impl IntoFuture for UpdateMany {
    type Output = Result<UpdateResult>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.watch(self.filter.as_ref().ok()).run(async move {
            let filter = match self.all {
                true => self.filter,
                false => not_everything(self.filter, "say `.all()` to change them all"),
            };
            let context = |error| self.call.context(error);
            let (filter, update) = (filter.map_err(context)?, self.update.map_err(context)?);
            let rooms = upsert::rooms_of(&self.call, &update)?;
            room::refuse_full(&self.call, &filter, &rooms).await?;
            let filter = room::with_room(filter, &rooms);
            match self.guard {
                None => self.call.update_many(filter, &update).await,
                Some(guard) => guard.change_many(&self.call, filter, &update).await,
            }
        })
    }
}

/// Explains an update by its parts: the change and its array filters.
pub(super) async fn explain(
    call: &Call,
    filter: Result<BsonDocument>,
    parts: Result<(Bson, Option<Vec<BsonDocument>>)>,
    multi: bool,
) -> Result<Explain> {
    let context = |error| call.context(error);
    let (filter, (change, array_filters)) = (filter.map_err(context)?, parts.map_err(context)?);
    let mut statement = doc! { "q": filter, "u": change, "multi": multi };
    if let Some(array_filters) = array_filters {
        statement.insert("arrayFilters", array_filters);
    }
    call.explain_update(statement).await.map(Explain::new)
}
