//! Relations between documents: references, what refers back, and loading either.
//!
//! A [`Ref`] holds a key of another model's document, a [`DbRef`] also its collection; [`Many`] and
//! [`One`] are what refers back. [`Find::lookup`](crate::action::Find::lookup) names what to load by
//! its path ([`Lookup`], without types `node`). The targets are fetched by `$in` batches (`fetch`)
//! or by `$lookup` (`join`); both go through one placement (`resolve`, `found`), so that the results
//! are equal.

mod db_ref;
mod db_ref_path;
mod declared;
mod erased;
mod fetch;
mod found;
mod graph;
mod held;
mod join;
mod key;
mod lookup;
mod many;
mod node;
mod reference;
mod related;
mod required;
mod resolve;
mod rule;
mod state;
mod stored;
mod two_way;
mod unlink;

pub use db_ref::DbRef;
pub use db_ref_path::HoldsDbRef;
pub use declared::{Inverse, Place, Reference, RefersTo};
pub(crate) use erased::OfViewMut;
pub use erased::{Namespace, Shared, Slot, Visit};
pub(crate) use fetch::{one_of, size_of};
pub(crate) use held::{Held, References, Through};
pub(crate) use join::{Joined, guard_of_joins, plan_joins};
pub use key::Key;
pub use lookup::{Followed, IntoLookup, Lookup, LookupStrategy};
pub use many::{InverseField, Many, One};
pub(crate) use node::{MAP_VALUES, Node, can_match};
pub use reference::{ById, Ref, RefId, RefKey};
pub use related::Relation;
pub(crate) use required::require;
pub(crate) use resolve::{Parent, Targets, resolve};
pub use rule::{Findable, OnDelete, ReferencedBy, Referrer, Rule, Single, Unlinkable};
pub(crate) use two_way::{Side, TwoWay, id_of_db_ref};
pub(crate) use unlink::{Unlink, plan_find, plan_unlink};
