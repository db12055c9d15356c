//! Sends write-backs: one unordered command for those of a read, which it never fails.

use bson::{Bson, Document, doc};
use mongodb::options::{Collation, ReadPreference, SelectionCriteria};

use super::Call;
use crate::error::Result;
use crate::migrate::{Collected, WriteBack, WriteBacks};

/// The collation under which only equal strings are equal.
const SIMPLE: &str = "simple";

impl Call {
    /// Whether what a read upgraded may be written back: not in a transaction, and not where the
    /// read may have seen the past: on a secondary, or in a snapshot.
    pub(crate) fn can_write_back(&self) -> bool {
        let of_call = self.options.as_ref().and_then(|options| options.selection_criteria.as_ref());
        let primary = match of_call.or_else(|| self.target().collection().selection_criteria()) {
            None | Some(SelectionCriteria::ReadPreference(ReadPreference::Primary)) => true,
            Some(_) => false,
        };
        primary && !self.session.as_ref().is_some_and(super::Session::reads_the_past)
    }

    /// Sends the write-backs of a read and counts what became of them. One round trip, none
    /// without write-backs.
    pub(crate) async fn send_write_backs(&self, collected: &mut Collected) {
        if collected.is_empty() {
            return;
        }
        let (list, left_out) = collected.take();
        let mut counts = WriteBacks { not_sent: left_out, ..WriteBacks::default() };
        let total = list.len() as u64;
        match self.can_write_back() && total > 0 {
            true => match self.run_write_backs(list).await {
                Ok(reply) => {
                    counts.refused = reply.get_array("writeErrors").map_or(0, |e| e.len() as u64);
                    counts.written = reply.get("n").and_then(number).unwrap_or_default();
                    counts.lost_race = total.saturating_sub(counts.refused + counts.written);
                }
                Err(error) => {
                    tracing::warn!(%error, "write-backs failed");
                    counts.not_sent += total;
                }
            },
            false => counts.not_sent += total,
        }
        tracing::debug!(?counts, collection = self.target().collection().name(), "write-backs");
        self.target().write_backs().add(counts);
    }

    async fn run_write_backs(&self, list: Vec<WriteBack>) -> mongodb::error::Result<Document> {
        let updates: Vec<_> = list
            .into_iter()
            .map(|WriteBack { filter, update, .. }| {
                doc! { "q": filter, "u": update, "collation": { "locale": SIMPLE } }
            })
            .collect();
        let name = self.target().collection().name();
        let command = doc! { "update": name, "updates": updates, "ordered": false };
        let run = self.target().database().run_command(command);
        match &self.session {
            Some(session) => match session.turn().await {
                Ok(mut turn) => run.session(&mut *turn).await,
                Err(error) => Err(mongodb::error::Error::custom(error)),
            },
            None => run.await,
        }
    }

    /// Sends one write-back for a write that waits for it.
    ///
    /// # Errors
    /// The server's refusal.
    pub(crate) async fn write_back(&self, write_back: WriteBack) -> Result<()> {
        let id = match write_back.filter.get("_id") {
            Some(Bson::Document(condition)) => condition.get("$eq").cloned(),
            id => id.cloned(),
        };
        let written = self.update_simple(write_back.filter, write_back.update).await;
        let counts = match written.map_err(|error| error.with_id(id))?.matched_count {
            0 => WriteBacks { lost_race: 1, ..WriteBacks::default() },
            _ => WriteBacks { written: 1, ..WriteBacks::default() },
        };
        self.target().write_backs().add(counts);
        Ok(())
    }

    pub(in crate::driver) fn simple() -> Collation {
        Collation::builder().locale(SIMPLE).build()
    }
}

fn number(value: &Bson) -> Option<u64> {
    match value {
        Bson::Int32(number) => u64::try_from(*number).ok(),
        Bson::Int64(number) => u64::try_from(*number).ok(),
        Bson::Double(number) => Some(*number as u64),
        _ => None,
    }
}
