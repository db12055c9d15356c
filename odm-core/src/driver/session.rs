//! Sessions as owned handles whose actions take turns.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mongodb::ClientSession;
use tokio::sync::{Mutex, MutexGuard};

use super::failure::Failure;
use crate::error::Result;

/// A client session, cheap to clone and to hand to actions by `.session(&session)`.
///
/// MongoDB does not allow concurrent work on one session: actions that share one take turns.
///
/// ```no_run
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
/// # async fn example(db: Database) -> odm::Result<()> {
/// let session = db.start_session().await?;
/// let posts = db.collection::<Post>();
/// session.start_transaction().await?;
/// posts.insert_one(&Post { id: 1, votes: 0 }).session(&session).await?;
/// posts.insert_one(&Post { id: 2, votes: 0 }).session(&session).await?;
/// session.commit_transaction().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    driver: Arc<Mutex<ClientSession>>,
    in_transaction: Arc<AtomicBool>,
}

impl Session {
    /// Starts a transaction: the actions that follow on this session belong to it.
    ///
    /// Without a round trip. Needs a replica set or a sharded cluster.
    ///
    /// # Errors
    /// [`ErrorKind::Driver`](crate::ErrorKind::Driver) if a transaction is in progress already.
    pub async fn start_transaction(&self) -> Result<()> {
        let mut session = self.lock().await;
        let started = session.start_transaction().await;
        started.map_err(|error| Failure::new("start_transaction").error(error))?;
        self.in_transaction.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Commits the transaction. One round trip, none if nothing was done in it.
    ///
    /// # Errors
    /// The server's refusal, with the driver's labels
    /// ([`Error::contains_label`](crate::Error::contains_label)).
    pub async fn commit_transaction(&self) -> Result<()> {
        let committed = self.lock().await.commit_transaction().await;
        self.in_transaction.store(false, Ordering::Relaxed);
        committed.map_err(|error| Failure::new("commit_transaction").error(error))
    }

    /// Aborts the transaction. One round trip, none if nothing was done in it.
    ///
    /// # Errors
    /// [`ErrorKind::Driver`](crate::ErrorKind::Driver) if no transaction is in progress.
    pub async fn abort_transaction(&self) -> Result<()> {
        let aborted = self.lock().await.abort_transaction().await;
        self.in_transaction.store(false, Ordering::Relaxed);
        aborted.map_err(|error| Failure::new("abort_transaction").error(error))
    }

    pub(super) fn in_transaction(&self) -> bool {
        self.in_transaction.load(Ordering::Relaxed)
    }

    pub(super) async fn lock(&self) -> MutexGuard<'_, ClientSession> {
        self.driver.lock().await
    }
}

impl From<ClientSession> for Session {
    /// Takes over a session of the driver. Whether it is in a transaction is not known, so reads on
    /// it write nothing back until a transaction was ended through the handle.
    fn from(driver: ClientSession) -> Self {
        let session = Self::new(driver);
        session.in_transaction.store(true, Ordering::Relaxed);
        session
    }
}

impl Session {
    pub(super) fn new(driver: ClientSession) -> Self {
        Self { driver: Arc::new(Mutex::new(driver)), in_transaction: Arc::default() }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}
