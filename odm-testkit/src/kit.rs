//! Runs one test: a closure comes in, its runtime, client and database are made and cleared away
//! around it, and its result goes out.

use std::{
    any::type_name,
    error::Error as StdError,
    fmt,
    future::{Future, IntoFuture},
    panic::{AssertUnwindSafe, resume_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use bson::doc;
use futures::FutureExt;
use mongodb::{Client, Database, options::ClientOptions};
use tokio::runtime::{Builder, Runtime};

use crate::{
    ActiveFailPoint, Commands, Error, Expected, FailPoint, Result, Server, ServerBuilder,
    commands::Recorder, name, uri::without_credentials,
};

/// How long the driver may take to close what a test left open (a cursor, a session).
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(2);

/// How long an election may take.
const ELECTION_LIMIT: Duration = Duration::from_secs(30);
/// Between two looks at who is primary: nothing tells us of it.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What a test returns: any error goes with `?`.
pub type TestResult<T = ()> = std::result::Result<T, Box<dyn StdError + Send + Sync>>;

/// What a test is given: a client, and a database of its own. Cheap to clone.
#[derive(Clone)]
pub struct Kit(Arc<Inner>);

struct Inner {
    client: Client,
    database: String,
    uri: String,
    recorder: Recorder,
}

impl Kit {
    async fn connect(server: &Server, database: String) -> Result<Self> {
        let uri = server.uri().to_owned();
        let recorder = Recorder::default();
        let refused =
            || Error::driver(format!("cannot make a client for {}", without_credentials(&uri)));
        let mut options = ClientOptions::parse(&uri).await.map_err(refused())?;
        options.command_event_handler = Some(recorder.handler());
        let client = Client::with_options(options).map_err(refused())?;
        Ok(Self(Arc::new(Inner { client, database, uri, recorder })))
    }

    /// The client of this test. It is shut down when the test ends.
    ///
    /// ```no_run
    /// # fn main() -> odm_testkit::TestResult {
    /// odm_testkit::run(async |kit| {
    ///     let mut session = kit.client().start_session().await?;
    ///     session.start_transaction().await?;
    ///     session.abort_transaction().await?;
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// The database of this test, named after it and empty at first.
    ///
    /// ```no_run
    /// # fn main() -> odm_testkit::TestResult {
    /// odm_testkit::run(async |kit| {
    ///     assert!(kit.database().list_collection_names().await?.is_empty());
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn database(&self) -> Database {
        self.0.client.database(&self.0.database)
    }

    /// The server's connection string, for a client of one's own.
    ///
    /// ```no_run
    /// # fn main() -> odm_testkit::TestResult {
    /// odm_testkit::run(async |kit| {
    ///     let second = mongodb::Client::with_uri_str(kit.uri()).await?;
    ///     second.list_database_names().await?;
    ///     second.shutdown().await;
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// Makes commands fail; see [`FailPoint`].
    ///
    /// # Errors
    /// Those of the driver: the server must be one with
    /// [`failpoints`](ServerBuilder::failpoints).
    ///
    /// ```no_run
    /// # async fn example(kit: odm_testkit::Kit) -> odm_testkit::TestResult {
    /// # use odm_testkit::FailPoint;
    /// let failing = kit.fail(FailPoint::of(["find"]).error_code(91)).await?;
    /// # failing.off().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fail(&self, failpoint: FailPoint) -> mongodb::error::Result<ActiveFailPoint> {
        failpoint.set(&self.0.client).await
    }

    /// Has the primary step down, and waits until another member is primary. For a server of
    /// [several members](ServerBuilder::members).
    ///
    /// # Errors
    /// Those of the driver; that no other member became primary within half a minute.
    ///
    /// ```no_run
    /// # async fn example(kit: odm_testkit::Kit) -> odm_testkit::TestResult {
    /// kit.step_down().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn step_down(&self) -> mongodb::error::Result<()> {
        let admin = self.0.client.database("admin");
        let before = admin.run_command(doc! { "hello": 1 }).await?;
        let before = before.get_str("me").unwrap_or_default();
        let down = doc! { "replSetStepDown": 60, "secondaryCatchUpPeriodSecs": 10 };
        admin.run_command(down).await?;
        let deadline = Instant::now() + ELECTION_LIMIT;
        loop {
            // What the client knows may be old, and the old primary be without connections.
            let last = match admin.run_command(doc! { "hello": 1 }).await {
                Ok(hello) => {
                    let is_primary = hello.get_bool("isWritablePrimary").unwrap_or(false);
                    if is_primary && hello.get_str("me").unwrap_or_default() != before {
                        return Ok(());
                    }
                    mongodb::error::Error::custom("no other member became primary")
                }
                Err(error) => error,
            };
            if Instant::now() > deadline {
                return Err(last);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Awaits `action` and returns its output with the commands that this test's client sent
    /// meanwhile, on whatever account; calls may be nested or run side by side, and each hears
    /// all that is sent during it.
    ///
    /// Left out is what the driver sends on its own: handshakes, monitoring, authentication,
    /// `ping`, `endSessions`. A dropped cursor's `killCursors` is sent by a task of the driver,
    /// which may come after the action has ended.
    ///
    /// ```no_run
    /// # fn main() -> odm_testkit::TestResult {
    /// # use mongodb::bson::{Document, doc};
    /// odm_testkit::run(async |kit| {
    ///     let posts = kit.database().collection::<Document>("posts");
    ///     let (found, sent) = kit.commands(posts.find_one(doc! { "title": "none" })).await;
    ///     assert!(found?.is_none());
    ///     assert_eq!(sent.names(), ["find"], "{sent}");
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub async fn commands<A: IntoFuture>(&self, action: A) -> (A::Output, Commands) {
        let listener = self.0.recorder.listen();
        let output = action.await;
        (output, listener.heard())
    }

    /// Awaits an action and checks how many commands it sends: a number, or `..=2` for at most two.
    ///
    /// So a test notices when a loop has begun to ask the server once for each document.
    ///
    /// ```no_run
    /// # fn main() -> odm_testkit::TestResult {
    /// # use mongodb::bson::{Document, doc};
    /// odm_testkit::run(async |kit| {
    ///     let posts = kit.database().collection::<Document>("posts");
    ///     let found = kit.expect_commands(1, posts.find_one(doc! { "title": "none" })).await?;
    ///     assert!(found.is_none());
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Errors
    /// The action's; or one that lists the commands, one a line, where there are more or fewer.
    pub async fn expect_commands<T, E, A>(
        &self,
        expected: impl Into<Expected>,
        action: A,
    ) -> TestResult<T>
    where
        A: IntoFuture<Output = std::result::Result<T, E>>,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let expected = expected.into();
        let (output, sent) = self.commands(action).await;
        let output = output.map_err(Into::into)?;
        match expected.holds(sent.len()) {
            true => Ok(output),
            false => Err(format!("{sent}\nexpected {expected}").into()),
        }
    }

    /// Shuts the client down, without waiting for ever for a handle that the test has leaked.
    async fn shutdown(self) {
        let client = self.0.client.clone();
        let orderly = tokio::spawn(client.clone().shutdown().into_future());
        if tokio::time::timeout(SHUTDOWN_LIMIT, orderly).await.is_err() {
            eprintln!(
                "odm-testkit: a cursor, session or upload outlived the test of database {}",
                self.0.database
            );
            client.shutdown().immediate(true).await;
        }
    }
}

impl fmt::Debug for Kit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kit")
            .field("uri", &without_credentials(&self.0.uri))
            .field("database", &self.0.database)
            .finish_non_exhaustive()
    }
}

/// Runs a test on the server that this process shares ([`Server::shared`]): on a runtime of its
/// own (two worker threads), with a fresh client and an empty database named after the test.
///
/// On success the database is dropped. If the closure returns an error or panics, the database is
/// kept, its name and the server's URI are printed to stderr, and the error or panic goes on. (A
/// server started by this crate ends with the process: set `MONGODB_URI`, or run under the command
/// `odm-testkit`, to look at a kept database.)
///
/// `E` is the caller's: [`TestResult`] suits most tests.
///
/// ```no_run
/// #[test]
/// # fn only_shown() {}
/// fn inserts() -> odm_testkit::TestResult {
///     odm_testkit::run(async |kit| {
///         let posts = kit.database().collection("posts");
///         posts.insert_one(mongodb::bson::doc! { "title": "first" }).await?;
///         Ok(())
///     })
/// }
/// # fn main() -> odm_testkit::TestResult { inserts() }
/// ```
///
/// # Errors
/// The closure's, or an [`Error`] if there is no server or the database cannot be dropped.
///
/// # Panics
/// If the closure panics, or if it is called within an async runtime.
pub fn run<T, E, F>(test: F) -> Result<T, E>
where
    E: From<Error>,
    F: AsyncFnOnce(Kit) -> Result<T, E>,
{
    let runtime = runtime()?;
    runtime.block_on(async { in_database(Server::shared().await?, test).await })
}

/// As [`run`], on a server of this test's own, which ends with the test: for failpoints, several
/// members, or settings that other tests must not meet.
///
/// ```no_run
/// # use odm_testkit::{Server, TestResult};
/// #[test]
/// # fn only_shown() {}
/// fn survives_a_lost_reply() -> TestResult {
///     odm_testkit::run_with(Server::builder().failpoints(true), async |kit| {
///         let admin = kit.client().database("admin");
///         admin
///             .run_command(mongodb::bson::doc! {
///                 "configureFailPoint": "failCommand",
///                 "mode": { "times": 1 },
///                 "data": { "failCommands": ["insert"], "closeConnection": true },
///             })
///             .await?;
///         Ok(())
///     })
/// }
/// # fn main() -> TestResult { survives_a_lost_reply() }
/// ```
///
/// # Errors
/// The closure's, or an [`Error`] if the server cannot be started or the database not be dropped.
///
/// # Panics
/// If the closure panics, or if it is called within an async runtime.
pub fn run_with<T, E, F>(server: ServerBuilder, test: F) -> Result<T, E>
where
    E: From<Error>,
    F: AsyncFnOnce(Kit) -> Result<T, E>,
{
    let runtime = runtime()?;
    runtime.block_on(async {
        let server = server.start().await?;
        let result = in_database(&server, test).await;
        server.stop().await;
        result
    })
}

fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Error::io("cannot start the test's runtime"))
}

async fn in_database<T, E, F>(server: &Server, test: F) -> Result<T, E>
where
    E: From<Error>,
    F: AsyncFnOnce(Kit) -> Result<T, E>,
{
    let kit = Kit::connect(server, name::unique(type_name::<F>())).await?;
    // Boxed: a test's future may be too large for the stack of its thread.
    let future: std::pin::Pin<Box<dyn Future<Output = _>>> = Box::pin(test(kit.clone()));
    let outcome = AssertUnwindSafe(future).catch_unwind().await;
    let dropped = match &outcome {
        Ok(Ok(_)) => kit.database().drop().await,
        Ok(Err(_)) | Err(_) => {
            let uri = without_credentials(&kit.0.uri);
            let until = if server.is_own() { ", while it runs" } else { "" };
            eprintln!("odm-testkit: kept the database {} of {uri}{until}", kit.0.database);
            Ok(())
        }
    };
    let name = kit.0.database.clone();
    kit.shutdown().await;
    let value = outcome.unwrap_or_else(|panic| resume_unwind(panic))?;
    dropped.map_err(Error::driver(format!("cannot drop the database {name}")))?;
    Ok(value)
}
