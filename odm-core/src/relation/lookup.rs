//! What to load: references by their paths, with those inside of their targets.

use std::fmt;
use std::marker::PhantomData;

use super::reference::RefId;
use super::{Ref, erased::Erased};
use crate::driver::Target;
use crate::error::Result;
use crate::migrate::{self, Read, ReadFn};
use crate::model::{Document, Model};
use crate::path::{FieldType, Path, Queryable};

/// How referenced documents are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LookupStrategy {
    /// [`Lookup`](Self::Lookup) for one parent, [`Batches`](Self::Batches) for more.
    #[default]
    Auto,
    /// By the server, in the find's own round trip: `$lookup` stages of an aggregation.
    Lookup,
    /// By one more find for each reference path, with the ids of all parents in one `$in`.
    Batches,
}

/// A field type that refers to documents: a [`Ref`], or an `Option`, list or `Box` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reference",
    label = "a lookup follows fields of type `Ref`",
    note = "declare the field as `Ref<Model>`, `Option<Ref<Model>>` or `Vec<Ref<Model>>`"
)]
pub trait Relation: FieldType {
    /// The model that is referred to.
    type Target: Document;
}

impl<T: Document<Id: RefId>> Relation for Ref<T> {
    type Target = T;
}

impl<R: Relation> Relation for Option<R> {
    type Target = R::Target;
}

impl<R: Relation> Relation for Vec<R> {
    type Target = R::Target;
}

impl<R: Relation> Relation for Box<R> {
    type Target = R::Target;
}

/// A reference of model `M` to load, with what to load inside of its target.
#[must_use = "a lookup does nothing until an action takes it"]
pub struct Lookup<M> {
    pub(crate) node: Result<Node>,
    marker: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Lookup<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lookup").field(&self.node).finish()
    }
}

/// What [`Find::lookup`](crate::action::Find::lookup) takes: the path of a reference, or a
/// [`Lookup`].
pub trait IntoLookup<M> {
    /// The lookup.
    fn into_lookup(self) -> Lookup<M>;
}

impl<M> IntoLookup<M> for Lookup<M> {
    fn into_lookup(self) -> Self {
        self
    }
}

impl<M, C: Relation, V: Queryable> IntoLookup<M> for Path<M, C, V> {
    fn into_lookup(self) -> Lookup<M> {
        let node = self.name.checked().map(Node::new::<C::Target>);
        Lookup { node, marker: PhantomData }
    }
}

impl<M, C: Relation, V: Queryable> Path<M, C, V> {
    /// Loads a reference inside of the documents that this one refers to.
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
    pub fn lookup(&self, inner: impl IntoLookup<C::Target>) -> Lookup<M> {
        let node = self.clone().into_lookup().node.and_then(|mut node| {
            node.children.push(inner.into_lookup().node?);
            Ok(node)
        });
        Lookup { node, marker: PhantomData }
    }
}

/// A lookup without its types.
#[derive(Clone)]
pub(crate) struct Node {
    /// The path of the reference in stored names.
    pub(crate) path: String,
    pub(crate) target: &'static Model,
    pub(crate) read: ReadFn<Box<dyn Erased>>,
    pub(crate) children: Vec<Node>,
    /// Tells the nodes of one find apart, outer before inner.
    pub(crate) number: usize,
}

impl Node {
    fn new<T: Document>(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            target: T::MODEL,
            read: |raw| {
                let Read { value, write_back } = migrate::read::<T>(raw)?;
                Ok(Read { value: Box::new(value), write_back })
            },
            children: Vec::new(),
            number: 0,
        }
    }

    /// Adds a node to others: what is asked for inside of one path is asked for at once.
    pub(crate) fn add_to(self, nodes: &mut Vec<Self>) {
        match nodes.iter_mut().find(|node| node.path == self.path) {
            Some(node) => {
                self.children.into_iter().for_each(|child| child.add_to(&mut node.children));
            }
            None => nodes.push(self),
        }
    }

    /// Numbers the node and those inside of it, from `next` on.
    pub(crate) fn renumber(&mut self, next: &mut usize) {
        self.number = *next;
        *next += 1;
        self.children.iter_mut().for_each(|child| child.renumber(next));
    }

    pub(crate) fn segments(&self) -> Vec<&str> {
        self.path.split('.').collect()
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("path", &self.path)
            .field("target", &self.target.name)
            .field("children", &self.children)
            .finish()
    }
}

/// Whether `$lookup` can follow the nodes: it stays in one database, and knows no positions.
pub(crate) fn can_join(nodes: &[Node], target: &Target) -> bool {
    nodes.iter().all(|node| {
        target.is_beside(node.target)
            && !node.segments().iter().any(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            && can_join(&node.children, target)
    })
}
