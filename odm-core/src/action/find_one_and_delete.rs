//! `find_one_and_delete`.

use std::fmt;
use std::future::IntoFuture;

use futures::future::BoxFuture;

use super::find_one_and::FindOneAnd;
use crate::collection::Collection;
use crate::error::Result;
use crate::filter::Filter;
use crate::model::Document;
use crate::sort::Sort;
use crate::view::View;

impl<T: Document> Collection<T> {
    /// Deletes one document that matches, and gives it. Both are one step.
    ///
    /// Awaiting takes one round trip and gives `None` if no document matches. On a model with a
    /// schema version the rules and round trips of [`Collection::delete_one`] hold: an old document
    /// is deleted as it is, and given as the current struct; a newer one stays. `on_delete` rules of
    /// other models are kept as there.
    ///
    /// # Errors
    /// As [`Collection::delete_one`]; [`ErrorKind::Decode`](crate::ErrorKind::Decode) and
    /// [`ErrorKind::Migrate`](crate::ErrorKind::Migrate) for a document that cannot be read as the
    /// model, which was deleted nevertheless.
    ///
    /// Source: [`findAndModify`](https://www.mongodb.com/docs/manual/reference/command/findAndModify/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Job { #[serde(rename = "_id")] id: i32, done: bool }
    /// # async fn example(jobs: Collection<Job>) -> odm::Result<()> {
    /// let j = Job::fields();
    /// let first: Option<Job> =
    ///     jobs.find_one_and_delete(j.done().eq(true)).sort(j.id().asc()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn find_one_and_delete(&self, filter: Filter<T>) -> FindOneAndDelete<T> {
        FindOneAndDelete { find: FindOneAnd::new(self, "find_one_and_delete", filter) }
    }
}

/// Deletes one document of model `M` and reads it as a `T`; see
/// [`Collection::find_one_and_delete`].
#[must_use = "an action does nothing until it is awaited"]
pub struct FindOneAndDelete<M, T = M> {
    find: FindOneAnd<M, T>,
}

impl<M: Document, T> FindOneAndDelete<M, T> {
    /// Which document comes first where several match.
    pub fn sort(mut self, sort: Sort<M>) -> Self {
        self.find.sort(sort);
        self
    }

    /// Reads only the fields of a [`View`] of the model; see [`Find::project`](super::Find::project). What is
    /// deleted is the whole document.
    pub fn project<V: View<Of = M>>(self) -> FindOneAndDelete<M, V> {
        FindOneAndDelete { find: self.find.project() }
    }

    option_setters!(find: session, permanently, write_concern, max_time, hint, collation, comment, let_vars);
}

impl<M, T> fmt::Debug for FindOneAndDelete<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FindOneAndDelete").field(&self.find).finish()
    }
}

impl<M: Document, T: Send + 'static> IntoFuture for FindOneAndDelete<M, T> {
    type Output = Result<Option<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.find.watch().run(self.find.delete())
    }
}
