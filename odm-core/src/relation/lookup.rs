//! What to load: relations by their paths, with what of them, and what inside of them.

use std::fmt;
use std::marker::PhantomData;

use bson::Bson;

use super::node::{Node, Wants};
use super::{RefersTo, Relation};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::model::Document;
use crate::path::Path;
use crate::sort::Sort;
use crate::view::View;

/// How related documents are fetched. Each gives the same result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LookupStrategy {
    /// [`Lookup`](Self::Lookup) for one parent, and where a lookup decides
    /// [which parents](Lookup::required) are found or in
    /// [which order](Lookup::sort_parents); [`Batches`](Self::Batches) else.
    #[default]
    Auto,
    /// By the server, in the find's own round trip: `$lookup` stages of an aggregation.
    Lookup,
    /// By one more find for each path, with the keys of all parents in one `$in`. Those of one level
    /// are sent together.
    Batches,
}

/// A relation of model `M` to load, with what to load of its target `T`.
///
/// ```
/// # use odm::prelude::*;
/// # use odm::{Many, Ref};
/// use odm::relation::Lookup;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Publisher { #[serde(rename = "_id")] id: String, #[serde(skip)] #[odm(inverse = publisher)] books: Many<Book> }
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Book { #[serde(rename = "_id")] id: i32, pages: i32, publisher: Ref<Publisher> }
/// let (p, b) = (Publisher::fields(), Book::fields());
/// let longest = Lookup::new(p.books()).filter(b.pages().gt(100)).sort(b.pages().desc()).limit(3);
/// # let _ = longest;
/// ```
#[must_use = "a lookup does nothing until an action takes it"]
pub struct Lookup<M, T> {
    pub(crate) node: Result<Node>,
    marker: PhantomData<fn() -> (M, T)>,
}

impl<M, T> Clone for Lookup<M, T> {
    fn clone(&self) -> Self {
        Self { node: self.node.clone(), marker: PhantomData }
    }
}

impl<M, T> fmt::Debug for Lookup<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lookup").field(&self.node).finish()
    }
}

/// What [`Find::lookup`](crate::action::Find::lookup) takes: the path of a relation, or a
/// [`Lookup`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relation of `{M}`",
    label = "a lookup follows fields of type `Ref`, `DbRef`, `Many` or `One`",
    note = "declare the field as `Ref<Model>`, `Option<Ref<Model>>` or `Vec<Ref<Model>>`; what refers back is `Many<Model>` or `One<Model>` with `#[odm(inverse = …)]`"
)]
pub trait IntoLookup<M> {
    /// The model that is referred to.
    type Target: Document;

    /// The lookup.
    fn into_lookup(self) -> Lookup<M, Self::Target>;
}

impl<M, T: Document> IntoLookup<M> for Lookup<M, T> {
    type Target = T;

    fn into_lookup(self) -> Self {
        self
    }
}

impl<M, C: Relation, V: Followed> IntoLookup<M> for Path<M, C, V> {
    type Target = C::Target;

    fn into_lookup(self) -> Lookup<M, C::Target> {
        Lookup::new(self)
    }
}

/// Paths that a lookup may follow: any but those of positional operators.
#[diagnostic::on_unimplemented(
    message = "a positional path cannot be followed",
    label = "this path is for updates",
    note = "`.matched()`, `.all_elements()` and `.filtered(…)` are for updates; a lookup names the list itself, or one element by `.at(0)`"
)]
pub trait Followed: 'static {}
#[diagnostic::do_not_recommend]
impl Followed for crate::path::Direct {}
#[diagnostic::do_not_recommend]
impl Followed for crate::path::InArray {}
#[diagnostic::do_not_recommend]
impl Followed for crate::path::InMap {}

impl<M, C: Relation, V: Followed> Path<M, C, V> {
    /// Loads a relation inside of the documents that this one leads to.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # use odm::Ref;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Company { #[serde(rename = "_id")] id: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: String, company: Ref<Company> }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, author: Ref<User> }
    /// let author = Post::fields().author().lookup(User::fields().company());
    /// # let _ = author;
    /// ```
    pub fn lookup(&self, inner: impl IntoLookup<C::Target>) -> Lookup<M, C::Target> {
        Lookup::new(self.clone()).lookup(inner)
    }
}

impl<M, C, V> Path<M, C, V> {
    /// Loads a relation of a model to itself, and again from each document that it leads to:
    /// `max_depth` times more, as the server's `$graphLookup` counts, so 0 is a plain lookup.
    ///
    /// A document is loaded at each place where it is referred to, so a cycle goes round until the
    /// depth ends. By batches it takes one round trip for each level that has documents not yet
    /// seen, by `$graphLookup` none beside the find's own.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # use odm::Ref;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Category { #[serde(rename = "_id")] id: String, parent: Option<Ref<Category>> }
    /// let path_to_the_root = Category::fields().parent().graph_lookup(20);
    /// # let _ = path_to_the_root;
    /// ```
    ///
    /// Source: [`$graphLookup`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/graphLookup/).
    pub fn graph_lookup(&self, max_depth: u8) -> Lookup<M, M>
    where
        M: Document,
        C: RefersTo<M>,
        V: Followed,
    {
        Lookup::new(self.clone()).with(|node| node.wants = Wants::Graph { max_depth })
    }
}

impl<M, T: Document> Lookup<M, T> {
    /// The documents at a relation's path: those that a reference leads to, or that refer back.
    pub fn new<C, V>(path: Path<M, C, V>) -> Self
    where
        C: Relation<Target = T>,
        V: Followed,
    {
        Self { node: Node::of::<C>(&path.name), marker: PhantomData }
    }

    fn with(mut self, change: impl FnOnce(&mut Node)) -> Self {
        if let Ok(node) = &mut self.node {
            change(node);
        }
        self
    }

    fn with_result<R>(mut self, value: Result<R>, change: impl FnOnce(&mut Node, R)) -> Self {
        match (&mut self.node, value) {
            (Ok(node), Ok(value)) => change(node, value),
            (Ok(_), Err(error)) => self.node = Err(error),
            (Err(_), _) => {}
        }
        self
    }

    /// Loads only the documents that match. A reference to another stays not loaded; of what refers
    /// back, only these are loaded.
    pub fn filter(self, filter: Filter<T>) -> Self {
        self.with_result(filter.into_document(), |node, filter| {
            node.filter = Some(match node.filter.take() {
                Some(other) => crate::filter::both(other, filter),
                None => filter,
            });
        })
    }

    /// The order of the documents of each parent, for what refers back and for
    /// [`limit`](Lookup::limit). After these keys they are in the order of their `_id`s.
    ///
    /// References keep the order in which their parent holds them. Strings are in the order of their
    /// bytes, whatever collation the collection has.
    pub fn sort(self, sort: Sort<T>) -> Self {
        let keys = sort.into_document().and_then(|sort| {
            let key = |(path, direction): (String, Bson)| match direction {
                Bson::Int32(direction) => Ok((path, direction < 0)),
                _ => Err(Error::invalid("a lookup sorts by values of fields").with_path(path)),
            };
            sort.into_iter().map(key).collect::<Result<Vec<_>>>()
        });
        self.with_result(keys, |node, keys| node.sort = keys)
    }

    /// At most this many documents for each parent: the first by the sort, else by `_id`. 0 means no
    /// limit. From server 5.0 for what refers back.
    pub fn limit(self, limit: u32) -> Self {
        self.with(|node| node.limit = Some(limit).filter(|&limit| limit > 0))
    }

    /// Reads only the fields of a [`View`] of the documents: ask for them by
    /// [`Ref::view`](super::Ref::view) and [`Many::views`](super::Many::views).
    ///
    /// # Errors
    /// The find gives [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the view
    /// refuses unknown fields and lacks the key that the documents are joined by.
    pub fn project<V: View<Of = T>>(self) -> Self {
        self.with_result(V::projection(), |node, projection| node.project::<T, V>(projection))
    }

    /// Counts the documents that refer back, and loads none: [`Many::count`](super::Many::count).
    ///
    /// By batches the server counts them, in one round trip for all parents.
    pub fn count(self) -> Self {
        self.with(|node| node.wants = Wants::Count)
    }

    /// Loads a relation inside of the documents, too.
    pub fn lookup(self, inner: impl IntoLookup<T>) -> Self {
        let inner = inner.into_lookup().node;
        let inner = self.node.and_then(|mut node| {
            inner?.add_to(&mut node.children)?;
            Ok(node)
        });
        Self { node: inner, marker: PhantomData }
    }

    /// Goes on where a document cannot be read: the reference to it has
    /// [the error](super::Ref::try_get), and a `Many` has [its own](super::Many::errors). Without
    /// it, the parent cannot be read either, as its place in the result tells.
    pub fn skip_errors(self) -> Self {
        self.with(|node| node.skip_errors = true)
    }

    /// Finds deleted documents too, of a model with a soft delete: without it, a reference to one
    /// leads nowhere.
    pub fn with_deleted(self) -> Self {
        self.with(|node| node.with_deleted = true)
    }

    /// Finds only the parents that this leads anywhere from: an inner join. With a
    /// [filter](Lookup::filter), those that have a related document that matches.
    ///
    /// The same holds for the find's `count`. By batches it takes one round trip more, to find the
    /// keys of what is related.
    pub fn required(self) -> Self {
        self.with(|node| node.required = true)
    }

    /// Sorts the parents by fields of the related documents, before the find's own sort; parents
    /// without any come first. Only the server can do that, by `$lookup` of all that the find
    /// matches.
    pub fn sort_parents(self, sort: Sort<T>) -> Self {
        self.with_result(sort.into_document(), |node, sort| node.parent_sort = Some(sort))
    }
}
