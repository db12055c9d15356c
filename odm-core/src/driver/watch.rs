//! Watches actions: a `tracing` span for each, and a warning for those that are slow.

use std::future::Future;
use std::time::{Duration, Instant};

use bson::{Bson, Document};
use futures::future::BoxFuture;
use mongodb::results::{DeleteResult, InsertManyResult, InsertOneResult, UpdateResult};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::Call;
use crate::error::Result;

/// The span of an action, and what a warning would say.
pub(crate) struct Watch {
    span: Span,
    started: Instant,
    slow: Option<Box<Slow>>,
}

struct Slow {
    after: Duration,
    model: &'static str,
    action: &'static str,
    namespace: String,
    filter: Option<String>,
}

impl Call {
    /// Begins to watch the action. Costs next to nothing where nobody listens.
    pub(crate) fn watch(&self, filter: Option<&Document>) -> Watch {
        let span = tracing::debug_span!(
            target: "odm",
            "action",
            model = self.target().model.name,
            action = self.operation(),
            collection = self.target().collection().name(),
            documents = Empty,
            duration_ms = Empty,
            error = Empty,
        );
        let slow = self.target().slow_after().map(|after| {
            Box::new(Slow {
                after,
                model: self.target().model.name,
                action: self.operation(),
                namespace: self.target().namespace().to_string(),
                filter: filter.map(|filter| without_values(filter).to_string()),
            })
        });
        Watch { span, started: Instant::now(), slow }
    }
}

impl Watch {
    /// Runs the action within its span.
    pub(crate) fn run<'a, R: Counted + Send>(
        self,
        action: impl Future<Output = Result<R>> + Send + 'a,
    ) -> BoxFuture<'a, Result<R>> {
        let action = action.instrument(self.span.clone());
        Box::pin(async move {
            let result = action.await;
            match &result {
                Ok(result) => self.finish(result.documents()),
                Err(error) => {
                    self.span.record("error", tracing::field::display(error));
                    self.finish(0);
                }
            }
            result
        })
    }

    /// The action has ended and was about so many documents.
    pub(crate) fn finish(&self, documents: u64) {
        let duration = self.started.elapsed();
        let duration_ms = duration.as_secs_f64() * 1_000.0;
        self.span.record("documents", documents);
        self.span.record("duration_ms", duration_ms);
        let Some(slow) = self.slow.as_ref().filter(|slow| duration >= slow.after) else { return };
        tracing::warn!(
            target: "odm",
            parent: &self.span,
            model = slow.model,
            action = slow.action,
            namespace = slow.namespace,
            filter = slow.filter,
            documents,
            duration_ms,
            "slow action"
        );
    }
}

/// A filter with its values left out, so that logs hold none.
fn without_values(filter: &Document) -> Document {
    filter.iter().map(|(key, value)| (key.clone(), without_value(value))).collect()
}

fn without_value(value: &Bson) -> Bson {
    match value {
        Bson::Document(inner) => without_values(inner).into(),
        Bson::Array(items) if items.iter().all(|item| matches!(item, Bson::Document(_))) => {
            items.iter().map(without_value).collect::<Vec<_>>().into()
        }
        _ => "?".into(),
    }
}

/// What an action returns, as a number of documents.
pub(crate) trait Counted {
    fn documents(&self) -> u64;
}

impl Counted for bool {
    fn documents(&self) -> u64 {
        (*self).into()
    }
}

impl Counted for u64 {
    fn documents(&self) -> u64 {
        *self
    }
}

impl<T> Counted for Vec<T> {
    fn documents(&self) -> u64 {
        self.len() as u64
    }
}

impl<T> Counted for Option<T> {
    fn documents(&self) -> u64 {
        self.is_some().into()
    }
}

impl Counted for InsertOneResult {
    fn documents(&self) -> u64 {
        1
    }
}

impl Counted for InsertManyResult {
    fn documents(&self) -> u64 {
        self.inserted_ids.len() as u64
    }
}

impl Counted for UpdateResult {
    fn documents(&self) -> u64 {
        self.matched_count + u64::from(self.upserted_id.is_some())
    }
}

impl Counted for DeleteResult {
    fn documents(&self) -> u64 {
        self.deleted_count
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn logs_hold_no_values() {
        let filter = doc! {
            "name": "secret",
            "votes": { "$gt": 3 },
            "tags": { "$in": ["a", "b"] },
            "$or": [{ "a": 1 }, { "b": { "$regex": "x" } }],
        };
        let expected = doc! {
            "name": "?",
            "votes": { "$gt": "?" },
            "tags": { "$in": "?" },
            "$or": [{ "a": "?" }, { "b": { "$regex": "?" } }],
        };
        assert_eq!(without_values(&filter), expected);
    }
}
