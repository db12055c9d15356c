//! `find_one_and_update`.

use std::fmt;
use std::future::IntoFuture;

use futures::future::BoxFuture;

use super::find_one_and::FindOneAnd;
use super::update::checked;
use crate::collection::Collection;
use crate::error::Result;
use crate::filter::Filter;
use crate::migrate::Change;
use crate::model::Document;
use crate::options::ReturnDocument;
use crate::sort::Sort;
use crate::update::Update;
use crate::view::View;

impl<T: Document> Collection<T> {
    /// Changes one document that matches, and gives it: as it was before, or as it is
    /// [after](FindOneAndUpdate::return_document). Both are one step.
    ///
    /// Awaiting takes one round trip and gives `None` if no document matches. On a model with a
    /// schema version the rules and round trips of [`Collection::update_one`] hold: an old document
    /// is migrated first, and given as the current struct.
    ///
    /// # Errors
    /// As [`Collection::update_one`]; [`ErrorKind::Decode`](crate::ErrorKind::Decode) for a document
    /// that does not fit the model, which was changed nevertheless.
    ///
    /// Source: [`findAndModify`](https://www.mongodb.com/docs/manual/reference/command/findAndModify/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Job { #[serde(rename = "_id")] id: i32, state: String, priority: i32 }
    /// # async fn example(jobs: Collection<Job>) -> odm::Result<()> {
    /// use odm::options::ReturnDocument;
    ///
    /// let j = Job::fields();
    /// let taken: Option<Job> = jobs
    ///     .find_one_and_update(j.state().eq("waiting"), j.state().set("taken"))
    ///     .sort(j.priority().desc())
    ///     .return_document(ReturnDocument::After)
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn find_one_and_update(&self, filter: Filter<T>, update: Update<T>) -> FindOneAndUpdate<T> {
        let find = FindOneAnd::new(self, "find_one_and_update", filter);
        let change = checked(update, find.filter()).map(Change::Update);
        FindOneAndUpdate { find, change }
    }
}

/// Changes one document of model `M` and reads it as a `T`; see
/// [`Collection::find_one_and_update`].
#[must_use = "an action does nothing until it is awaited"]
pub struct FindOneAndUpdate<M, T = M> {
    find: FindOneAnd<M, T>,
    change: Result<Change>,
}

impl<M: Document, T> FindOneAndUpdate<M, T> {
    /// Which document comes first where several match.
    pub fn sort(mut self, sort: Sort<M>) -> Self {
        self.find.sort(sort);
        self
    }

    /// Whether the document is given as it was before the change, or as it is after;
    /// [`ReturnDocument::Before`] unless set. Before an insertion there is none.
    pub fn return_document(mut self, return_document: ReturnDocument) -> Self {
        self.find.options.return_document = Some(return_document);
        self
    }

    /// Reads only the fields of a [`View`] of the model; see [`Find::project`](super::Find::project). What is
    /// changed is the whole document.
    pub fn project<V: View<Of = M>>(self) -> FindOneAndUpdate<M, V> {
        FindOneAndUpdate { find: self.find.project(), change: self.change }
    }

    upsert_setters!(find);
    option_setters!(find: session, with_deleted, write_concern, max_time, hint, collation, comment, let_vars);
}

impl<M, T> fmt::Debug for FindOneAndUpdate<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FindOneAndUpdate").field(&self.find).field(&self.change).finish()
    }
}

impl<M: Document, T: Send + 'static> IntoFuture for FindOneAndUpdate<M, T> {
    type Output = Result<Option<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.find.watch().run(self.find.change(self.change))
    }
}
