//! `find_one` and `get`.

use std::fmt;
use std::future::IntoFuture;

use futures::future::BoxFuture;

use super::Find;
use crate::collection::Collection;
use crate::driver::Call;
use crate::error::Result;
use crate::filter::Filter;
use crate::model::Document;
use crate::path::{FieldType, IntoKey, Name, Path};
use crate::relation::{IntoLookup, LookupStrategy};
use crate::sort::Sort;
use crate::tracked::Tracked;
use crate::view::View;

impl<T: Document> Collection<T> {
    /// Finds one document that matches: the first by the sort, if one is given.
    ///
    /// Awaiting takes one round trip and gives `None` if no document matches.
    ///
    /// # Errors
    /// As [`Collection::find`].
    ///
    /// Source: [`find`](https://www.mongodb.com/docs/manual/reference/command/find/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let p = Post::fields();
    /// let best: Option<Post> = posts.find_one(Filter::new()).sort(p.votes().desc()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn find_one(&self, filter: Filter<T>) -> FindOne<T> {
        FindOne { find: self.find(filter).call(Call::new(self.target(), "find_one")) }
    }

    /// Finds the document with this `_id`.
    ///
    /// Awaiting takes one round trip and gives `None` if there is none. For many documents, one find
    /// with [`in_`](crate::path::Path::in_) takes one for them all; for what other documents refer to,
    /// a [lookup](crate::action::Find::lookup) does. A debug build tells by a `tracing` warning of the
    /// target `odm`, once for each line of the program, where a loop gets one after the other.
    ///
    /// # Errors
    /// As [`Collection::find`].
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: String }
    /// # async fn example(users: Collection<User>) -> odm::Result<()> {
    /// let alex: Option<User> = users.get("alex").await?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get(&self, id: impl IntoKey<<T::Id as FieldType>::Key>) -> FindOne<T> {
        #[cfg(debug_assertions)]
        crate::driver::note_one(T::MODEL, std::panic::Location::caller());
        let path = Path::<T, T::Id>::new(Name::from(std::borrow::Cow::Borrowed("_id")));
        FindOne { find: self.find(path.eq(id)).call(Call::new(self.target(), "get")) }
    }
}

/// Finds one document; see [`Collection::find_one`] and [`Collection::get`].
#[must_use = "an action does nothing until it is awaited"]
pub struct FindOne<M, T = M> {
    find: Find<M, T>,
}

impl<M: Document, T: Send + 'static> FindOne<M, T> {
    /// Which document comes first where several match.
    pub fn sort(mut self, sort: Sort<M>) -> Self {
        self.find = self.find.sort(sort);
        self
    }

    /// Leaves out this many documents first.
    pub fn skip(mut self, skip: u64) -> Self {
        self.find = self.find.skip(skip);
        self
    }

    /// Reads only the fields of a [`View`] of the model; see [`Find::project`].
    pub fn project<V: View<Of = M>>(self) -> FindOne<M, V> {
        FindOne { find: self.find.project() }
    }

    /// Whether an old document is also stored at the current schema version; see
    /// [`Find::write_back`].
    pub fn write_back(mut self, write_back: bool) -> Self {
        self.find = self.find.write_back(write_back);
        self
    }

    option_setters!(find: session, with_deleted, read_concern, read_preference, max_time, hint, collation, comment, let_vars);
}

impl<M: Document, T: Send + 'static> FindOne<M, T> {
    /// Loads the documents of a relation; see [`Find::lookup`].
    pub fn lookup(mut self, lookup: impl IntoLookup<M>) -> Self {
        self.find = self.find.lookup(lookup);
        self
    }

    /// How the lookups are done; see [`Find::strategy`].
    pub fn strategy(mut self, strategy: LookupStrategy) -> Self {
        self.find = self.find.strategy(strategy);
        self
    }

    /// The lookups by the server, in the find's own round trip; see [`Find::strategy`].
    pub fn with_lookup(self) -> Self {
        self.strategy(LookupStrategy::Lookup)
    }

    /// The lookups by one more find for each path; see [`Find::strategy`].
    pub fn with_batches(self) -> Self {
        self.strategy(LookupStrategy::Batches)
    }
}

impl<M: Document> FindOne<M> {
    /// Reads a document that remembers what is stored, so that a [`save`](Collection::save) sends
    /// what has changed since; see [`Find::tracked`].
    pub fn tracked(self) -> FindOne<M, Tracked<M>> {
        FindOne { find: self.find.tracked() }
    }
}

impl<M, T> fmt::Debug for FindOne<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FindOne").field(&self.find).finish()
    }
}

impl<M: Document, T: Send + 'static> IntoFuture for FindOne<M, T> {
    type Output = Result<Option<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.find.first())
    }
}
