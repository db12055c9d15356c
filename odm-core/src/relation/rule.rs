//! Rules of references: what a delete does to the documents that refer to what it deletes.
//!
//! The referring model declares the rule, the model that is referred to names the models that have
//! some: so its delete actions know all of them, and the compiler that none is passed by.

use std::collections::{BTreeSet, HashSet, VecDeque};

use super::reference::{RefId, RefKey};
use super::{DbRef, Held, Ref, References, Relation};
use crate::error::{Error, Result};
use crate::migrate::Guard;
use crate::model::{Document, Model};
use crate::path::{Nullable, Path, Queryable};

/// What a delete does to the documents that refer to what it deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnDelete {
    /// Nothing is deleted while there are any.
    Restrict,
    /// The references are taken away.
    Unlink,
    /// They are deleted too.
    Cascade,
}

/// The rule of one reference, as its model declares it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rule {
    /// The path of the reference, in stored names.
    pub path: String,
    /// The model that is referred to.
    pub target: &'static Model,
    /// What a delete of a target does.
    pub on_delete: OnDelete,
}

/// A model that has rules about another, which names it by `referenced_by`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Referrer {
    /// The model whose documents refer.
    pub model: &'static Model,
    pub(crate) guard: Option<Guard>,
}

impl Referrer {
    /// What the derive calls.
    #[doc(hidden)]
    #[must_use]
    pub fn of<T: Document>() -> Self {
        Self { model: T::MODEL, guard: Guard::of::<T>() }
    }
}

impl Rule {
    fn of<M, R: Relation, V>(path: &Path<M, R, V>, on_delete: OnDelete) -> Self {
        Self { path: path.as_str().to_owned(), target: R::Target::MODEL, on_delete }
    }

    /// What the derive calls.
    #[doc(hidden)]
    #[must_use]
    pub fn restrict<M, R, V>(path: &Path<M, R, V>) -> Self
    where
        R: Relation<Target: ReferencedBy<M>> + Findable,
        V: Queryable,
    {
        Self::of(path, OnDelete::Restrict)
    }

    /// What the derive calls.
    #[doc(hidden)]
    #[must_use]
    pub fn cascade<M, R, V>(path: &Path<M, R, V>) -> Self
    where
        R: Relation<Target: ReferencedBy<M>> + Findable,
        V: Queryable,
    {
        Self::of(path, OnDelete::Cascade)
    }

    /// What the derive calls.
    #[doc(hidden)]
    #[must_use]
    pub fn unlink<M, R, V>(path: &Path<M, R, V>) -> Self
    where
        R: Relation<Target: ReferencedBy<M>> + Unlinkable,
        V: Queryable,
    {
        Self::of(path, OnDelete::Unlink)
    }

    /// The reference with the way to it.
    pub(crate) fn held(&self, of: &Model) -> Result<Held> {
        let references = References::of(of);
        let is_it = |held: &Held| {
            held.path() == self.path && std::ptr::eq((held.reference.target)(), self.target)
        };
        let held = references.held.into_iter().find(is_it);
        held.filter(|held| self.on_delete != OnDelete::Unlink || held.can_unlink()).ok_or_else(
            || {
                let message = format!(
                    "no `on_delete` rule can be kept about the references at this \
                                   path, to `{}`",
                    self.target.name
                );
                Error::invalid(message).with_model(of.name).with_path(self.path.clone())
            },
        )
    }
}

/// A model that names `M` among those that have rules about it. The derive implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not know that `{M}` has an `on_delete` rule about it",
    label = "the delete actions of `{Self}` would pass the rule by",
    note = "add `#[odm(referenced_by({M}))]` to `{Self}`"
)]
pub trait ReferencedBy<M> {}

/// References that the server finds by their keys, so that rules can be kept.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have an `on_delete` rule",
    label = "the server cannot find who refers by it",
    note = "a rule is about a `Ref` or `DbRef`, or an `Option`, list or set of them: the server finds no values in a map, an array of fixed length or a list of lists"
)]
pub trait Findable {}

/// References of which one can be taken away.
#[diagnostic::on_unimplemented(
    message = "`{Self}` must be there, so that `unlink` cannot take it away",
    label = "neither optional nor in a list",
    note = "declare it as `Option<{Self}>`, or use `restrict` or `cascade`"
)]
pub trait Unlinkable: Findable {}

/// One reference, or none.
#[doc(hidden)]
pub trait Single: Findable {}

impl<T: Document, K: RefKey<T>> Findable for Ref<T, K> where K::Value: RefId {}
impl<T: Document, K: RefKey<T>> Single for Ref<T, K> where K::Value: RefId {}
impl<T: Document<Id: RefId>> Findable for DbRef<T> {}
impl<T: Document<Id: RefId>> Single for DbRef<T> {}

macro_rules! optional {
    ($($type:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl<R: Findable> Findable for $type {}
        #[diagnostic::do_not_recommend]
        impl<R: Single> Single for $type {}
        #[diagnostic::do_not_recommend]
        impl<R: Findable> Unlinkable for $type {}
    )+};
}

optional!(Option<R>, Nullable<R>);

#[diagnostic::do_not_recommend]
impl<R: Findable> Findable for Box<R> {}
#[diagnostic::do_not_recommend]
impl<R: Single> Single for Box<R> {}
#[diagnostic::do_not_recommend]
impl<R: Unlinkable> Unlinkable for Box<R> {}

macro_rules! lists {
    ($($type:ty $([$parameter:ident])?),+) => {$(
        #[diagnostic::do_not_recommend]
        impl<R: Single $(, $parameter)?> Findable for $type {}
        #[diagnostic::do_not_recommend]
        impl<R: Single $(, $parameter)?> Unlinkable for $type {}
    )+};
}

lists!(Vec<R>, VecDeque<R>, BTreeSet<R>, HashSet < R, S > [S]);
