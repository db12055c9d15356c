//! What an action may be told beside its arguments, in the driver's words.

use std::time::Duration;

use bson::{Bson, Document};
use mongodb::options::{Collation, Hint, ReadConcern, SelectionCriteria, WriteConcern};

/// The options of one action. What is not set here is the model's, the client's or the server's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    pub(crate) read_concern: Option<ReadConcern>,
    pub(crate) write_concern: Option<WriteConcern>,
    pub(crate) selection_criteria: Option<SelectionCriteria>,
    pub(crate) max_time: Option<Duration>,
    pub(crate) hint: Option<Hint>,
    pub(crate) collation: Option<Collation>,
    pub(crate) comment: Option<Bson>,
    pub(crate) let_vars: Option<Document>,
    pub(crate) allow_disk_use: Option<bool>,
}

impl Options {
    /// What also holds for the reads of other collections that an action needs: what is said of the
    /// documents of its own does not.
    pub(super) fn of_others(&self) -> Self {
        Self { hint: None, collation: None, let_vars: None, ..self.clone() }
    }
}

/// Gives a driver's action those of the named options that are set.
macro_rules! with_options {
    ($call:expr, $action:ident, [$($name:ident),* $(,)?]) => {
        if let Some(options) = &$call.options {
            $(
                if let Some(value) = &options.$name {
                    $action = $action.$name(value.clone());
                }
            )*
        }
    };
}

pub(super) use with_options;
