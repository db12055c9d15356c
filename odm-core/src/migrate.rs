//! Schema versions: reading old documents as the current struct, writing them back, and keeping
//! writes off documents of another version.
//!
//! The chain of versions is the chain of `from = Old` on the structs (`chain`). A read that
//! upgraded a document yields a `WriteBack`, which is sent after the read; a write asks its
//! `Guard` first.

mod chain;
mod guard;
mod write_back;

pub use chain::{Ancestor, First, Stored};
pub(crate) use chain::{Read, ReadFn, bring_up, current, is_current, read};
pub(crate) use guard::{Change, Guard, Tries, Write, id_filter, names_id, of_current_version};
pub use write_back::WriteBacks;
pub(crate) use write_back::{Collected, Counters, WriteBack};
