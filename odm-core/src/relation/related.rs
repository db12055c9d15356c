//! Field types that lead to documents of another model.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::reference::{RefId, RefKey};
use super::{DbRef, Many, One, Place, Ref};
use crate::model::Document;
use crate::path::Nullable;

/// A field type that leads to documents of another model: a [`Ref`] or [`DbRef`], an `Option`,
/// list, set or map of them, or what refers back ([`Many`], [`One`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reference",
    label = "a lookup follows fields of type `Ref`",
    note = "declare the field as `Ref<Model>`, `Option<Ref<Model>>` or `Vec<Ref<Model>>`; what refers back is `Many<Model>` or `One<Model>` with `#[odm(inverse = …)]`"
)]
pub trait Relation: 'static {
    /// The model that is referred to.
    type Target: Document;

    /// The type of the key that is stored; `()` where nothing is.
    type Key: 'static;

    /// How many there are, and where.
    const PLACE: Place;

    /// Whether it is stored as a DBRef.
    const IS_DB_REF: bool = false;
}

impl<T: Document, K: RefKey<T>> Relation for Ref<T, K>
where
    K::Value: RefId,
{
    type Target = T;
    type Key = K::Value;
    const PLACE: Place = Place::One;
}

impl<T: Document<Id: RefId>> Relation for DbRef<T> {
    type Target = T;
    type Key = T::Id;
    const PLACE: Place = Place::One;
    const IS_DB_REF: bool = true;
}

impl<T: Document> Relation for Many<T> {
    type Target = T;
    type Key = ();
    const PLACE: Place = Place::Inverse;
}

impl<T: Document> Relation for One<T> {
    type Target = T;
    type Key = ();
    const PLACE: Place = Place::Inverse;
}

/// Types that hold references.
macro_rules! around {
    ($($type:ty $([$parameter:ident])? => $place:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<R: Relation $(, $parameter: 'static)?> Relation for $type {
            type Target = R::Target;
            type Key = R::Key;
            const PLACE: Place = $place;
            const IS_DB_REF: bool = R::IS_DB_REF;
        }
    )+};
}

around! {
    Option<R> => R::PLACE.optional();
    Nullable<R> => R::PLACE.optional();
    Box<R> => R::PLACE;
    Vec<R> => R::PLACE.list();
    VecDeque<R> => R::PLACE.list();
    BTreeSet<R> => R::PLACE.list();
    HashSet<R, S> [S] => R::PLACE.list();
    BTreeMap<String, R> => Place::Map;
    HashMap<String, R, S> [S] => Place::Map;
}

#[diagnostic::do_not_recommend]
impl<R: Relation, const N: usize> Relation for [R; N] {
    type Target = R::Target;
    type Key = R::Key;
    const PLACE: Place = R::PLACE.fixed();
    const IS_DB_REF: bool = R::IS_DB_REF;
}
