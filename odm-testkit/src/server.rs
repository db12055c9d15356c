//! A running server: settings come in, a replica set with a primary goes out.

mod replica_set;

use std::{fmt, path::PathBuf};

use mongodb::{Client, options::ClientOptions};
use tokio::sync::OnceCell;

use crate::{Error, Result, provider::Providers, uri::without_credentials};
use replica_set::ReplicaSet;

/// A running server; it ends when this value is dropped or the process dies.
pub struct Server {
    uri: String,
    version: String,
    /// None for the server of `MONGODB_URI`, which is not ours to end.
    own: Option<ReplicaSet>,
}

impl Server {
    /// The settings of a new server.
    ///
    /// ```no_run
    /// # async fn example() -> odm_testkit::Result<()> {
    /// use odm_testkit::Server;
    ///
    /// let server = Server::builder().members(3).failpoints(true).start().await?;
    /// # server.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// Starts a server of one's own: a replica set of one member. Takes about a second.
    ///
    /// ```no_run
    /// # async fn example() -> odm_testkit::TestResult {
    /// let server = odm_testkit::Server::start().await?;
    /// let client = mongodb::Client::with_uri_str(server.uri()).await?;
    /// # client.shutdown().await;
    /// server.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`ServerBuilder::start`].
    pub async fn start() -> Result<Self> {
        Self::builder().start().await
    }

    /// The one server of this process: that of `MONGODB_URI` if it is set, else one that is
    /// started on first use and ends with the process.
    ///
    /// ```no_run
    /// # async fn example() -> odm_testkit::Result<()> {
    /// let server = odm_testkit::Server::shared().await?;
    /// println!("MongoDB {} at {}", server.version(), server.uri());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`ServerBuilder::start`]; the same one to every caller, as a second try would take as
    /// long and fail as well.
    pub async fn shared() -> Result<&'static Self> {
        static SHARED: OnceCell<Result<Server>> = OnceCell::const_new();
        let made = SHARED.get_or_init(|| async {
            let providers = Providers::from_env();
            match providers.uri() {
                Some(uri) => Self::external(uri).await,
                None => Self::builder().start_from(providers).await,
            }
        });
        made.await.as_ref().map_err(Error::clone)
    }

    /// The connection string; it names the whole replica set.
    ///
    /// ```no_run
    /// # fn example(server: &odm_testkit::Server) {
    /// println!("mongosh '{}'", server.uri());
    /// # }
    /// ```
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The server's version, such as `6.0.5`.
    ///
    /// ```no_run
    /// # fn example(server: &odm_testkit::Server) {
    /// if server.version().starts_with("4.") { /* … */ }
    /// # }
    /// ```
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Ends the server and removes its data; returns when both are done. Dropping the server does
    /// the same, but blocks the thread meanwhile.
    ///
    /// ```no_run
    /// # async fn example() -> odm_testkit::Result<()> {
    /// let server = odm_testkit::Server::start().await?;
    /// server.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stop(self) {
        let dropped = tokio::task::spawn_blocking(move || drop(self.own));
        // It fails only if the runtime is ending, and then the drop has been done or will be.
        let _joined = dropped.await;
    }

    /// Whether it ends with this process.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    async fn external(uri: &str) -> Result<Self> {
        let unreachable = || Error::driver("cannot reach the server of MONGODB_URI");
        let options = ClientOptions::parse(uri).await.map_err(unreachable())?;
        let client = Client::with_options(options).map_err(unreachable())?;
        let version = replica_set::version(&client).await.map_err(unreachable());
        client.shutdown().await;
        Ok(Self { uri: uri.to_owned(), version: version?, own: None })
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("uri", &without_credentials(&self.uri))
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

/// The settings of a server to start.
///
/// ```no_run
/// # async fn example() -> odm_testkit::Result<()> {
/// let server = odm_testkit::Server::builder()
///     .oplog_size_mb(128)
///     .parameter("ttlMonitorSleepSecs", "1")
///     .start()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it is started"]
pub struct ServerBuilder {
    members: usize,
    standalone: bool,
    oplog_size_mb: u32,
    parameters: Vec<(String, String)>,
    mongod: Option<PathBuf>,
}

impl Default for ServerBuilder {
    fn default() -> Self {
        Self {
            members: 1,
            standalone: false,
            oplog_size_mb: 64,
            parameters: Vec::new(),
            mongod: None,
        }
    }
}

impl ServerBuilder {
    /// The number of members of the replica set, 1 to 7; 1 if not set.
    ///
    /// ```
    /// let builder = odm_testkit::Server::builder().members(3);
    /// ```
    pub fn members(mut self, members: usize) -> Self {
        self.members = members;
        self
    }

    /// A server that is no replica set: without transactions and change streams.
    ///
    /// ```
    /// let builder = odm_testkit::Server::builder().standalone();
    /// ```
    pub fn standalone(mut self) -> Self {
        self.standalone = true;
        self
    }

    /// Whether `configureFailPoint` and the other test commands are allowed; not if not set.
    ///
    /// ```
    /// let builder = odm_testkit::Server::builder().failpoints(true);
    /// ```
    pub fn failpoints(self, failpoints: bool) -> Self {
        self.parameter("enableTestCommands", if failpoints { "1" } else { "0" })
    }

    /// The size of the oplog in megabytes; 64 if not set.
    ///
    /// ```
    /// let builder = odm_testkit::Server::builder().oplog_size_mb(8);
    /// ```
    pub fn oplog_size_mb(mut self, megabytes: u32) -> Self {
        self.oplog_size_mb = megabytes;
        self
    }

    /// A server parameter, as in `--setParameter name=value`. Of several with one name the last
    /// counts.
    ///
    /// ```
    /// let builder = odm_testkit::Server::builder().parameter("ttlMonitorSleepSecs", "1");
    /// ```
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.parameters.retain(|(known, _)| *known != name);
        self.parameters.push((name, value.into()));
        self
    }

    /// The binary to start, instead of one that is looked for.
    ///
    /// ```
    /// let builder = odm_testkit::Server::builder().mongod("/opt/mongodb-7.0/bin/mongod");
    /// ```
    pub fn mongod(mut self, mongod: impl Into<PathBuf>) -> Self {
        self.mongod = Some(mongod.into());
        self
    }

    /// Starts the server and returns when it has a primary and every member can be read from.
    /// One member takes about a second, after a first download if there is no `mongod` yet.
    ///
    /// ```no_run
    /// # async fn example() -> odm_testkit::Result<()> {
    /// let server = odm_testkit::Server::builder().members(3).start().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no `mongod` to be had (with each place that was tried), or if it does not start
    /// (with the end of its log).
    pub async fn start(self) -> Result<Server> {
        self.start_from(Providers::from_env()).await
    }

    async fn start_from(self, mut providers: Providers) -> Result<Server> {
        if let Some(mongod) = &self.mongod {
            providers = providers.only(mongod);
        }
        // It may wait for another process's download, or download itself.
        let mongod = tokio::task::spawn_blocking(move || providers.mongod())
            .await
            .map_err(|error| Error::io("the search for mongod was cut short")(error.into()))??;
        let set = ReplicaSet::start(&mongod, &self).await?;
        Ok(Server { uri: set.uri(), version: set.version().to_owned(), own: Some(set) })
    }
}
