//! References between documents, and loading what they refer to.
//!
//! A [`Ref`] holds an id. [`Find::lookup`](crate::action::Find::lookup) names references to load by
//! their paths ([`Lookup`]); the targets are fetched by `$in` batches or by `$lookup`
//! (`join`), and both go through one placement (`resolve`), so that the results are equal.

mod erased;
mod join;
mod key;
mod lookup;
mod reference;
mod resolve;

pub use erased::{Shared, Slot, Visit};
pub(crate) use join::{Joined, plan_joins};
pub use key::Key;
pub use lookup::{IntoLookup, Lookup, LookupStrategy, Relation};
pub(crate) use lookup::{Node, can_join};
pub use reference::Ref;
pub(crate) use resolve::{Targets, resolve};
