//! Transactions that are tried again where the server asks for it.

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::time::{Duration, Instant, SystemTime};

use futures::future::BoxFuture;
use mongodb::error::UNKNOWN_TRANSACTION_COMMIT_RESULT;
use mongodb::options::{ReadConcern, TransactionOptions, WriteConcern};

use super::Session;
use super::session::transaction_options;
use crate::error::{Error, ErrorKind, Result};

/// The server ends a transaction of this age itself, unless told otherwise.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The server's code of a commit that took longer than its own time limit.
const MAX_TIME_EXPIRED: i32 = 50;

/// One attempt of a transaction: hand it to the actions of the body by `.session(&tx)`.
///
/// It cannot outlive the attempt: an action on it answers with an error after that.
#[derive(Debug, Clone)]
pub struct Tx {
    session: Session,
}

impl AsRef<Session> for Tx {
    fn as_ref(&self) -> &Session {
        &self.session
    }
}

/// A transaction; see [`Database::transaction`](crate::Database::transaction).
#[must_use = "a transaction does nothing until it is awaited"]
pub struct Transaction<'a, F> {
    client: mongodb::Client,
    body: F,
    options: TransactionOptions,
    time_limit: Duration,
    marker: PhantomData<&'a ()>,
}

impl<F> std::fmt::Debug for Transaction<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transaction")
            .field("options", &self.options)
            .field("time_limit", &self.time_limit)
            .finish_non_exhaustive()
    }
}

impl<F> Transaction<'_, F> {
    pub(super) fn new(client: mongodb::Client, body: F) -> Self {
        let mut options = transaction_options();
        options.write_concern = Some(WriteConcern::majority());
        Self { client, body, options, time_limit: TIME_LIMIT, marker: PhantomData }
    }

    /// The read concern of everything in the transaction, in place of the client's.
    ///
    /// `ReadConcern::snapshot()` shows all reads one state of the data that a majority has.
    pub fn read_concern(mut self, read_concern: ReadConcern) -> Self {
        self.options.read_concern = Some(read_concern);
        self
    }

    /// The write concern of the commit; majority unless set.
    pub fn write_concern(mut self, write_concern: WriteConcern) -> Self {
        self.options.write_concern = Some(write_concern);
        self
    }

    /// How long the transaction may take with all its attempts; 60 seconds unless set.
    ///
    /// After it, actions of the body answer with [`ErrorKind::Timeout`], and no other attempt is
    /// made. The server has a limit of its own for one attempt (`transactionLifetimeLimitSeconds`).
    pub fn time_limit(mut self, time_limit: Duration) -> Self {
        self.time_limit = time_limit;
        self
    }
}

impl<'a, F, Run, R, E> IntoFuture for Transaction<'a, F>
where
    F: FnMut(Tx) -> Run + Send + 'a,
    Run: Future<Output = Result<R, E>> + Send + 'a,
    R: Send + 'a,
    E: From<Error> + Send + 'a,
{
    type Output = Result<R, E>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(mut self) -> Self::IntoFuture {
        Box::pin(async move {
            let deadline = Instant::now() + self.time_limit;
            let session = Session::with_deadline(&self.client, deadline).await?;
            let mut attempt = 1;
            loop {
                let tx = Tx { session: session.next_attempt() };
                tx.session.start(self.options.clone()).await?;
                let returned = (self.body)(tx).await;
                let ended = match returned {
                    Ok(value) => commit(&session).await.map(|()| value).map_err(E::from),
                    Err(error) => {
                        // The first error counts; one without a transaction to abort is no news.
                        let _ = session.abort(&mut session.end_attempt().await).await;
                        Err(error)
                    }
                };
                let error = match (ended, session.take_transient()) {
                    (Err(_), Some(transient)) => transient,
                    (ended, _) => return ended,
                };
                let wait = backoff(attempt);
                if Instant::now() + wait >= deadline {
                    return Err(out_of_time(attempt, self.time_limit, error).into());
                }
                tracing::debug!(attempt, %error, "the transaction is tried again");
                tokio::time::sleep(wait).await;
                attempt += 1;
            }
        })
    }
}

/// Commits, again where it is not known whether the server has committed.
async fn commit(session: &Session) -> Result<()> {
    let mut turn = session.end_attempt().await;
    loop {
        let error = match session.commit(&mut turn).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let is_unknown = error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT)
            && error.code() != Some(MAX_TIME_EXPIRED);
        if !is_unknown || session.is_out_of_time() {
            return Err(error);
        }
    }
}

fn out_of_time(attempts: u32, limit: Duration, error: mongodb::error::Error) -> Error {
    let message = format!(
        "{attempts} attempts of the transaction met others that came first, within {:.1} s",
        limit.as_secs_f64()
    );
    Error::new(ErrorKind::Timeout, message).with_operation("transaction").with_source(error)
}

/// How long to wait after an attempt: the longer the more there were, and each caller otherwise.
fn backoff(attempt: u32) -> Duration {
    const FIRST_MS: f64 = 5.0;
    const LONGEST_MS: f64 = 500.0;
    let longest = (FIRST_MS * 1.5_f64.powf(f64::from(attempt - 1))).min(LONGEST_MS);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let share = f64::from(now.subsec_nanos() % 1_000_000) / 1_000_000.0;
    Duration::from_secs_f64(longest * share / 1_000.0)
}
