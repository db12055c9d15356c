//! A task as those who take part in it see it, whatever its documents are.

use std::time::Duration;

use futures::future::{BoxFuture, LocalBoxFuture};
use serde_json::{Map, Value};

use crate::Result;
use crate::bench::Bench;
use crate::measure::Run;

/// One task, measured for the library, the bare driver, and others.
pub(crate) trait Contest: Sync {
    fn name(&self) -> &'static str;

    /// The document that a create inserts, without `_id`, in JSON.
    fn template(&self) -> Result<(&'static str, Map<String, Value>)>;

    /// Runs all by turns.
    fn run<'a>(
        &'a self,
        bench: &'a Bench,
        others: &'a [&'a dyn Contestant],
    ) -> LocalBoxFuture<'a, Result<Outcome>>;
}

/// Who takes part besides the library and the driver.
pub(crate) trait Contestant {
    /// What carries out a task once, on a collection that is ready for it.
    fn entry(&self, order: Order)
    -> Box<dyn Fn() -> BoxFuture<'static, Result<Run>> + Send + Sync>;
}

/// What a contestant is told.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) verb: &'static str,
    /// The name of the model, which is that of its collection.
    pub(crate) model: &'static str,
    /// What is updated, or found by.
    pub(crate) field: &'static str,
    pub(crate) count: u32,
    /// The length of the binary field; 0 if there is none.
    pub(crate) image: usize,
}

/// What one run does, and the medians: the library's, the driver's, and the others' in their order.
pub(crate) struct Outcome {
    pub(crate) what: String,
    pub(crate) times: Vec<Duration>,
}
