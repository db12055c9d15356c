//! `find_one_and_replace`.

use std::borrow::Borrow;
use std::fmt;
use std::future::IntoFuture;

use futures::future::BoxFuture;

use super::find_one_and::FindOneAnd;
use crate::collection::Collection;
use crate::error::Result;
use crate::filter::Filter;
use crate::migrate::Change;
use crate::model::Document;
use crate::options::ReturnDocument;
use crate::sort::Sort;
use crate::view::View;

impl<T: Document> Collection<T> {
    /// Replaces one document that matches by another, whole, and gives it: as it was before, or as
    /// it is [after](FindOneAndReplace::return_document). Both are one step.
    ///
    /// Awaiting takes one round trip and gives `None` if no document matches. On a model with a
    /// schema version the rules and round trips of [`Collection::update_one`] hold: an old document
    /// is migrated first, and given as the current struct.
    ///
    /// # Errors
    /// As [`Collection::replace_one`]; [`ErrorKind::Decode`](crate::ErrorKind::Decode) for a
    /// document that does not fit the model, which was replaced nevertheless.
    ///
    /// Source: [`findAndModify`](https://www.mongodb.com/docs/manual/reference/command/findAndModify/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String }
    /// # async fn example(posts: Collection<Post>, post: Post) -> odm::Result<()> {
    /// let before = posts.find_one_and_replace(Post::fields().id().eq(post.id), &post).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn find_one_and_replace(
        &self,
        filter: Filter<T>,
        replacement: impl Borrow<T>,
    ) -> FindOneAndReplace<T> {
        FindOneAndReplace {
            find: FindOneAnd::new(self, "find_one_and_replace", filter),
            change: replacement.borrow().encode().map(Change::Replace),
        }
    }
}

/// Replaces one document of model `M` and reads it as a `T`; see
/// [`Collection::find_one_and_replace`].
#[must_use = "an action does nothing until it is awaited"]
pub struct FindOneAndReplace<M, T = M> {
    find: FindOneAnd<M, T>,
    change: Result<Change>,
}

impl<M: Document, T> FindOneAndReplace<M, T> {
    /// Which document comes first where several match.
    pub fn sort(mut self, sort: Sort<M>) -> Self {
        self.find.sort(sort);
        self
    }

    /// Whether the document is given as it was before, or as it is after; [`ReturnDocument::Before`]
    /// unless set. Before an insertion there is none.
    pub fn return_document(mut self, return_document: ReturnDocument) -> Self {
        self.find.options.return_document = Some(return_document);
        self
    }

    /// Reads only the fields of a [`View`] of the model; see [`Find::project`](super::Find::project).
    pub fn project<V: View<Of = M>>(self) -> FindOneAndReplace<M, V> {
        FindOneAndReplace { find: self.find.project(), change: self.change }
    }

    upsert_setters!(find);
    option_setters!(find: session, with_deleted, write_concern, max_time, hint, collation, comment, let_vars);
}

impl<M, T> fmt::Debug for FindOneAndReplace<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FindOneAndReplace").field(&self.find).field(&self.change).finish()
    }
}

impl<M: Document, T: Send + 'static> IntoFuture for FindOneAndReplace<M, T> {
    type Output = Result<Option<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.find.watch().run(self.find.change(self.change))
    }
}
