//! Sessions as owned handles whose actions take turns.

use std::fmt;
use std::future::IntoFuture;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Instant;

use futures::future::BoxFuture;
use mongodb::ClientSession;
use mongodb::error::TRANSIENT_TRANSACTION_ERROR;
use mongodb::options::{
    ReadConcern, ReadPreference, SessionOptions, TransactionOptions, WriteConcern,
};
use tokio::sync::{Mutex, MutexGuard};

use super::failure::Failure;
use super::outcome::Outcome;
use crate::error::{Error, ErrorKind, Result};

/// A client session, cheap to clone and to hand to actions by `.session(&session)`.
///
/// MongoDB does not allow concurrent work on one session: actions that share one take turns. Get it
/// from [`Database::start_session`](crate::Database::start_session). For transactions,
/// [`Database::transaction`](crate::Database::transaction) retries what has to be retried; the
/// methods here do not.
///
/// Source: [client sessions](https://www.mongodb.com/docs/manual/core/causal-consistency-read-write-concerns/).
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
    shared: Arc<Shared>,
    /// The attempt of a [`Transaction`](crate::Transaction) that the handle belongs to.
    attempt: Option<u64>,
}

struct Shared {
    driver: Mutex<ClientSession>,
    in_transaction: AtomicBool,
    is_snapshot: bool,
    /// The attempt in progress; a handle of another one has outlived its own.
    attempt: AtomicU64,
    /// When actions of a transaction are refused.
    deadline: Option<Instant>,
    /// The last error that asks for another attempt.
    transient: StdMutex<Option<mongodb::error::Error>>,
    /// What becomes of the transaction that was started last.
    outcome: StdMutex<Outcome>,
}

/// The turn of one action on a session.
pub(super) struct Turn<'a>(MutexGuard<'a, ClientSession>);

impl Deref for Turn<'_> {
    type Target = ClientSession;

    fn deref(&self) -> &ClientSession {
        &self.0
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut ClientSession {
        &mut self.0
    }
}

impl Session {
    /// Starts a transaction: the actions that follow on this session belong to it.
    ///
    /// Without a round trip. Needs a replica set or a sharded cluster.
    ///
    /// # Errors
    /// [`ErrorKind::Driver`](crate::ErrorKind::Driver) if a transaction is in progress already.
    pub fn start_transaction(&self) -> StartTransaction {
        StartTransaction { session: self.clone(), options: transaction_options() }
    }

    /// Commits the transaction. One round trip, none if nothing was done in it.
    ///
    /// # Errors
    /// The server's refusal, with the driver's labels
    /// ([`Error::contains_label`](crate::Error::contains_label)).
    pub async fn commit_transaction(&self) -> Result<()> {
        self.check_is_plain()?;
        self.commit(&mut self.turn().await?).await
    }

    /// Aborts the transaction. One round trip, none if nothing was done in it.
    ///
    /// # Errors
    /// [`ErrorKind::Driver`](crate::ErrorKind::Driver) if no transaction is in progress.
    pub async fn abort_transaction(&self) -> Result<()> {
        self.check_is_plain()?;
        self.abort(&mut self.turn().await?).await
    }

    pub(super) async fn start(&self, options: TransactionOptions) -> Result<()> {
        let mut turn = self.turn().await?;
        let started = turn.start_transaction().with_options(options).await;
        started.map_err(|error| Failure::new("start_transaction").error(error))?;
        *self.last_outcome() = Outcome::default();
        self.shared.in_transaction.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub(super) async fn commit(&self, turn: &mut Turn<'_>) -> Result<()> {
        let committed = turn.commit_transaction().await;
        self.shared.in_transaction.store(false, Ordering::Relaxed);
        committed.map(|()| self.last_outcome().commit()).map_err(|error| {
            self.failed(&error);
            Failure::new("commit_transaction").error(error)
        })
    }

    pub(super) async fn abort(&self, turn: &mut Turn<'_>) -> Result<()> {
        let aborted = turn.abort_transaction().await;
        self.last_outcome().abort();
        self.shared.in_transaction.store(false, Ordering::Relaxed);
        aborted.map_err(|error| Failure::new("abort_transaction").error(error))
    }

    /// What becomes of the transaction that the session is in.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let is_open = self.shared.in_transaction.load(Ordering::Relaxed);
        is_open.then(|| self.last_outcome().clone())
    }

    fn last_outcome(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.shared.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A transaction that ends by itself is not to be ended by hand.
    fn check_is_plain(&self) -> Result<()> {
        match self.attempt {
            None => Ok(()),
            Some(_) => Err(Error::invalid(
                "the transaction commits when its body returns `Ok`, and aborts when it returns \
                 an error",
            )),
        }
    }

    /// Whether reads on the session see the data as it was, and not as it is.
    pub(super) fn reads_the_past(&self) -> bool {
        self.shared.is_snapshot || self.shared.in_transaction.load(Ordering::Relaxed)
    }

    /// Waits for the turn of an action.
    ///
    /// # Errors
    /// The attempt of the transaction that this handle belongs to has ended, or is out of time.
    pub(super) async fn turn(&self) -> Result<Turn<'_>> {
        let turn = Turn(self.shared.driver.lock().await);
        if let Some(attempt) = self.attempt {
            if attempt != self.shared.attempt.load(Ordering::Relaxed) {
                return Err(Error::invalid("the transaction of this handle has ended"));
            }
            if self.is_out_of_time() {
                let message = "the transaction is out of time";
                return Err(Error::new(ErrorKind::Timeout, message));
            }
        }
        Ok(turn)
    }

    /// Takes note of an error that asks for another attempt of the transaction.
    pub(super) fn failed(&self, error: &mongodb::error::Error) {
        if error.contains_label(TRANSIENT_TRANSACTION_ERROR) {
            *self.transient() = Some(error.clone());
        }
    }

    /// Begins the next attempt of a transaction: the handle that its actions take.
    pub(super) fn next_attempt(&self) -> Self {
        *self.transient() = None;
        let attempt = self.shared.attempt.fetch_add(1, Ordering::Relaxed) + 1;
        Self { shared: self.shared.clone(), attempt: Some(attempt) }
    }

    /// Waits for the turn that ends the attempt: its handles are refused from now on.
    pub(super) async fn end_attempt(&self) -> Turn<'_> {
        let turn = Turn(self.shared.driver.lock().await);
        self.shared.attempt.fetch_add(1, Ordering::Relaxed);
        turn
    }

    /// The error of this attempt that asks for another one.
    pub(super) fn take_transient(&self) -> Option<mongodb::error::Error> {
        self.transient().take()
    }

    pub(super) fn is_out_of_time(&self) -> bool {
        self.shared.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn transient(&self) -> std::sync::MutexGuard<'_, Option<mongodb::error::Error>> {
        self.shared.transient.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(driver: ClientSession, is_snapshot: bool, deadline: Option<Instant>) -> Self {
        let shared = Shared {
            driver: Mutex::new(driver),
            in_transaction: AtomicBool::new(false),
            is_snapshot,
            attempt: AtomicU64::new(0),
            deadline,
            transient: StdMutex::default(),
            outcome: StdMutex::default(),
        };
        Self { shared: Arc::new(shared), attempt: None }
    }

    /// The session of a transaction that retries.
    pub(super) async fn with_deadline(client: &mongodb::Client, deadline: Instant) -> Result<Self> {
        let started = client.start_session().await;
        let driver = started.map_err(|error| Failure::new("transaction").error(error))?;
        Ok(Self::new(driver, false, Some(deadline)))
    }
}

/// What every transaction starts from: reads of a transaction go to the primary, also where the
/// model or client reads from secondaries.
pub(super) fn transaction_options() -> TransactionOptions {
    TransactionOptions::builder().selection_criteria(Some(ReadPreference::Primary.into())).build()
}

impl From<ClientSession> for Session {
    /// Takes over a session of the driver. Whether it is in a transaction is not known, so reads on
    /// it write nothing back until a transaction was ended through the handle.
    fn from(driver: ClientSession) -> Self {
        let session = Self::new(driver, false, None);
        session.shared.in_transaction.store(true, Ordering::Relaxed);
        session
    }
}

impl AsRef<Self> for Session {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}

/// Starts a session; see [`Database::start_session`](crate::Database::start_session).
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct StartSession {
    client: mongodb::Client,
    options: SessionOptions,
}

impl StartSession {
    pub(super) fn new(client: mongodb::Client) -> Self {
        Self { client, options: SessionOptions::default() }
    }

    /// Whether each read sees the writes that came before it on the session, also on a secondary.
    /// `true` unless set, or unless the session is a [`snapshot`](StartSession::snapshot).
    ///
    /// It holds with read and write concern majority.
    pub fn causal_consistency(mut self, causal_consistency: bool) -> Self {
        self.options.causal_consistency = Some(causal_consistency);
        self
    }

    /// Whether all reads on the session see the data as it was at the first of them.
    ///
    /// Finds, aggregations and distinct only, from server 5.0; old documents are then upgraded in
    /// memory only.
    ///
    /// Source: [read concern snapshot](https://www.mongodb.com/docs/manual/reference/read-concern-snapshot/).
    pub fn snapshot(mut self, snapshot: bool) -> Self {
        self.options.snapshot = Some(snapshot);
        self
    }
}

impl IntoFuture for StartSession {
    type Output = Result<Session>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let is_snapshot = self.options.snapshot == Some(true);
            let started = self.client.start_session().with_options(self.options).await;
            let driver = started.map_err(|error| Failure::new("start_session").error(error))?;
            Ok(Session::new(driver, is_snapshot, None))
        })
    }
}

/// Starts a transaction on a session; see [`Session::start_transaction`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct StartTransaction {
    session: Session,
    options: TransactionOptions,
}

impl StartTransaction {
    /// The read concern of everything in the transaction, in place of the client's.
    pub fn read_concern(mut self, read_concern: ReadConcern) -> Self {
        self.options.read_concern = Some(read_concern);
        self
    }

    /// The write concern of the commit, in place of the client's.
    pub fn write_concern(mut self, write_concern: WriteConcern) -> Self {
        self.options.write_concern = Some(write_concern);
        self
    }
}

impl IntoFuture for StartTransaction {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            self.session.check_is_plain()?;
            self.session.start(self.options).await
        })
    }
}
