//! `restore`: takes a soft delete back.

use std::future::IntoFuture;

use bson::{Bson, Document as BsonDocument};
use futures::future::BoxFuture;
use mongodb::results::UpdateResult;

use super::not_everything;
use crate::collection::Collection;
use crate::driver::{Call, Visible};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::migrate::Guard;
use crate::model::Document;
use crate::update::Modification;

impl<T: Document> Collection<T> {
    /// Takes the soft delete of the documents that match back: they are found again.
    ///
    /// Awaiting takes one round trip and gives the driver's [`UpdateResult`]. What `on_delete` rules
    /// did when the documents were deleted is not undone.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty filter and for
    /// a model without a soft delete, before anything is sent;
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey) if another document has taken a
    /// unique value meanwhile.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Note { #[serde(rename = "_id")] id: i32, #[odm(soft_delete)] deleted_at: Option<bson::DateTime> }
    /// # async fn example(notes: Collection<Note>) -> odm::Result<()> {
    /// notes.delete_one(Note::fields().id().eq(1)).await?;
    /// notes.restore(Note::fields().id().eq(1)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn restore(&self, filter: Filter<T>) -> Restore {
        let filter = not_everything(filter.into_document(), "name the documents to restore");
        let field = T::MODEL.stamps.soft_delete;
        let field = field.ok_or_else(|| Error::invalid("the model has no `soft_delete`"));
        Restore {
            call: Call::new(self.target(), "restore").seeing(Visible::Deleted),
            sent: filter.and_then(|filter| Ok((filter, field?))),
            guard: Guard::of::<T>(),
        }
    }
}

/// Restores deleted documents; see [`Collection::restore`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct Restore {
    call: Call,
    sent: Result<(BsonDocument, &'static str)>,
    guard: Option<Guard>,
}

impl Restore {
    option_setters!(session, write_concern, hint, collation, comment, let_vars);
}

impl IntoFuture for Restore {
    type Output = Result<UpdateResult>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { call, sent, guard } = self;
        let watch = call.watch(sent.as_ref().ok().map(|(filter, _)| filter));
        watch.run(async move {
            let (filter, field) = sent.map_err(|error| call.context(error))?;
            let update = Modification::mark(field, Bson::Null);
            match guard {
                None => call.update_many(filter, &update).await,
                Some(guard) => guard.change_many(&call, filter, &update).await,
            }
        })
    }
}
