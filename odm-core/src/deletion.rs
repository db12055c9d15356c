//! Deletes of documents that others may refer to: what the rules of `on_delete` ask for is done with
//! them, in one transaction where the server has transactions.
//!
//! In comes what an action would delete ([`Deletion`]). `network` lists the models that rules lead
//! to, and is pure; `closure` finds the documents that are to be deleted; `apply` checks, changes and
//! deletes, so that what was begun can be repeated.

mod apply;
mod closure;
mod network;

use bson::{Bson, Document as BsonDocument};
use futures::future::BoxFuture;

pub(crate) use network::{check_network, rules_about};

use crate::driver::Call;
use crate::error::{Error, Result};
use crate::filter::{both, equal_to};
use crate::migrate::Guard;
use crate::relation::size_of;

/// Deletes the documents of the action itself, of those that the filter matches.
pub(crate) type Last<'a, R> =
    &'a (dyn Fn(Call, BsonDocument) -> BoxFuture<'static, Result<R>> + Sync);

/// A delete of a model that others have rules about.
#[derive(Clone, Copy)]
pub(crate) struct Deletion<'a, R> {
    pub(crate) call: &'a Call,
    pub(crate) filter: &'a BsonDocument,
    /// Which document is picked where several match.
    pub(crate) sort: Option<&'a BsonDocument>,
    /// Whether one document is deleted at most.
    pub(crate) one: bool,
    pub(crate) guard: Option<Guard>,
    pub(crate) last: Last<'a, R>,
}

/// Whether other models have rules about what the action deletes. References lead to the declared
/// collection, and into no other that holds the same model.
pub(crate) fn has_rules(call: &Call) -> bool {
    let target = call.target();
    !(target.model.referrers)().is_empty() && target.collection().name() == target.model.collection
}

impl<R: Send> Deletion<'_, R> {
    /// Keeps the rules and deletes: the results of [`Last`], none where nothing matches.
    ///
    /// On a session of the user's everything is done on that; else in a transaction, or without one
    /// on a server that has none.
    pub(crate) async fn run(self) -> Result<Vec<R>> {
        let call = self.call;
        let nodes = network::network(call.target().model, self.guard);
        let nodes = &nodes.map_err(|error| call.context(error))?;
        if !call.is_acknowledged() {
            let message = "a delete that keeps `on_delete` rules needs the server's answers: the \
                           write concern `w: 0` gives none";
            return Err(call.context(Error::invalid(message)));
        }
        if call.has_session() {
            return self.attempt(call.clone(), nodes).await;
        }
        match call.in_transaction(|call| self.attempt(call, nodes)).await {
            Err(error) if is_without_transactions(&error) => {
                self.attempt(call.clone(), nodes).await
            }
            result => result,
        }
    }

    async fn attempt(&self, call: Call, nodes: &[network::Node]) -> Result<Vec<R>> {
        let groups = closure::gather(&call, nodes, self).await?;
        let Some(ids) = groups.first().map(closure::Group::matched) else { return Ok(Vec::new()) };
        apply::check(&groups).await?;
        apply::unlink(&groups).await?;
        apply::delete_others(&groups).await?;
        let mut results = Vec::new();
        for ids in chunks(ids, MOST_KEYS) {
            results.push((self.last)(call.clone(), self.among(ids)).await?);
        }
        Ok(results)
    }

    /// The filter on those of these documents that still match.
    fn among(&self, mut ids: Vec<Bson>) -> BsonDocument {
        let condition = match (self.one, ids.pop()) {
            (true, Some(id)) => equal_to(id),
            (_, id) => {
                ids.extend(id);
                bson::bson!({ "$in": ids })
            }
        };
        match self.filter.get("_id") == Some(&condition) {
            true => self.filter.clone(),
            false => both(bson::doc! { "_id": condition }, self.filter.clone()),
        }
    }
}

/// How many keys a command takes at most; of DBRefs, which are compared one by one, fewer.
const MOST_KEYS: usize = 10_000;
const MOST_DB_REFS: usize = 1_000;

/// Splits keys so that a command that names them several times stays within its size.
fn chunks(keys: Vec<Bson>, most: usize) -> Vec<Vec<Bson>> {
    const MOST_BYTES: usize = 1_000_000;
    let mut chunks = Vec::new();
    let (mut chunk, mut size) = (Vec::new(), 0);
    for key in keys {
        let of_key = size_of(&key);
        if !chunk.is_empty() && (size + of_key > MOST_BYTES || chunk.len() == most) {
            chunks.push(std::mem::take(&mut chunk));
            size = 0;
        }
        size += of_key;
        chunk.push(key);
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

/// The answer of a server that stands alone to the first command of a transaction.
fn is_without_transactions(error: &Error) -> bool {
    const ILLEGAL_OPERATION: i32 = 20;
    // The driver tells the server's words as if of a retryable write.
    let is_told = |text: &str| error.message().contains(text);
    error.code() == Some(ILLEGAL_OPERATION)
        && (is_told("Transaction numbers") || is_told("retryable writes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_split_by_size_and_number() {
        let sizes = |keys: Vec<Bson>, most| -> Vec<usize> {
            chunks(keys, most).iter().map(Vec::len).collect()
        };
        assert_eq!(sizes(vec![], 10), [0_usize; 0]);
        assert_eq!(sizes((0..25).map(Bson::Int32).collect(), 10), [10, 10, 5]);
        let long = Bson::from("x".repeat(400_000));
        assert_eq!(sizes(vec![long; 5], 10), [2, 2, 1]);
    }
}
