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
mod options;
mod session;
mod target;
mod transaction;
mod watch;
mod write_back;

pub(crate) use call::{Call, FindOneAndOptions, FindOptions};
pub(crate) use cursor::Batches;
pub use database::Database;
pub use session::{Session, StartSession, StartTransaction};
pub(crate) use target::Target;
pub use transaction::{Transaction, Tx};
pub(crate) use watch::{Counted, Watch};
