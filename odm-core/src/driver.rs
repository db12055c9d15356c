//! The one room that talks to the driver: handles, sessions, the verbs, cursors, errors.
//!
//! In come BSON values and a model's static description; out come raw documents, the driver's
//! results and [`Error`](crate::Error)s. Nothing here is generic over a model.

mod call;
mod cursor;
mod database;
mod duplicate;
mod explain;
mod failure;
mod indexes;
#[cfg(debug_assertions)]
mod one_by_one;
mod options;
mod outcome;
mod session;
mod stamp;
mod target;
mod transaction;
mod watch;
mod write_back;

pub(crate) use call::{Call, FindOneAndOptions, FindOptions, WHOLE};
pub(crate) use cursor::{Batches, Position};
pub use database::Database;
#[cfg(debug_assertions)]
pub(crate) use one_by_one::note as note_one;
pub(crate) use outcome::Outcome;
pub use session::{Session, StartSession, StartTransaction};
pub(crate) use stamp::Visible;
pub(crate) use target::Target;
pub use transaction::{Transaction, Tx};
pub(crate) use watch::{Counted, Watch};
