//! Integrity: whether what documents refer to is there, and taking away what leads nowhere.
//!
//! [`Database::verify`](crate::Database::verify) counts, and [`Database::repair`] mends what it is
//! told to mend. The walk over a model's fields is [`relation`](crate::relation)'s; here are the
//! pipelines (`values`, `counting`), which are pure, and what is done with their results.
//!
//! [`Database::repair`]: crate::Database::repair

mod counting;
mod examine;
mod repair;
mod report;
mod two_way;
mod values;
mod verify;

pub use repair::{Repair, RepairReport, Repaired};
pub use report::{Check, Drift, Report, Unchecked};
pub use verify::Verify;
