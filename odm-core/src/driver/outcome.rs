//! What becomes of a transaction, for those who wait for its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const OPEN: u8 = 0;
const COMMITTED: u8 = 1;
const ABORTED: u8 = 2;

/// Shared between a session and what was written in its transaction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome(Arc<AtomicU8>);

impl Outcome {
    pub(super) fn commit(&self) {
        self.0.store(COMMITTED, Ordering::Release);
    }

    pub(super) fn abort(&self) {
        self.0.store(ABORTED, Ordering::Release);
    }

    pub(crate) fn is_committed(&self) -> bool {
        self.0.load(Ordering::Acquire) == COMMITTED
    }

    /// Neither committed nor aborted; also where the answer to a commit was lost.
    pub(crate) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire) == OPEN
    }

    /// Whether both are of the same transaction.
    pub(crate) fn is_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
