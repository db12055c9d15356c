//! The one error type: what went wrong, in which model, operation, document and path.
//!
//! Everything below the actions returns [`Error`] with the little it knows; each layer on the way
//! up adds its context ([`Error::with_model`], [`Error::with_operation`], …). The driver's or
//! serde's own error stays whole as [`source`](std::error::Error::source).

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use bson::{Bson, Document};

/// A `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of failure an [`Error`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A filter, update or option was refused before anything was sent.
    InvalidArgument,
    /// A value could not be turned into BSON; nothing was sent.
    Encode,
    /// A stored document or value does not fit the model.
    Decode,
    /// A unique index refused the write; see [`Error::duplicate_key`].
    DuplicateKey,
    /// A stored document has a schema version that this program does not know.
    UnknownVersion,
    /// A stored document has a newer schema version than this program.
    NewerVersion,
    /// A view, or the rules of a delete, met a stored document of an older schema version, whose
    /// fields are not those of the model.
    OlderVersion,
    /// A reference was asked for its document, and no lookup had loaded it.
    NotLoaded,
    /// A reference was asked for its document, and no document has its id.
    Missing,
    /// A document that an action names does not exist.
    NotFound,
    /// A delete was refused by the rule of a reference to what would be deleted. Model, `_id` and
    /// path of the error are those of the reference.
    Restricted,
    /// A save met another write that came first, or a replacement a document of another revision:
    /// nothing was written.
    Conflict,
    /// A list would have more elements than its model allows; see [`Error::bound`]. Nothing was written.
    TooMany,
    /// A write of a versioned model gave up against others that kept coming first.
    Contended,
    /// A step from an old struct to a newer one failed, or an old document could not be migrated.
    Migrate,
    /// A transaction did not come to its end within its time limit.
    Timeout,
    /// No server could be reached or selected, or the connection was lost.
    Unreachable,
    /// The write was applied, but its write concern was not met.
    WriteConcern,
    /// The server refused the operation for another reason; see [`Error::code`].
    Server,
    /// The driver failed for a reason of its own.
    Driver,
}

impl ErrorKind {
    /// The kind in words, as messages begin with it.
    fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArgument => "invalid argument",
            Self::Encode => "cannot encode",
            Self::Decode => "cannot decode",
            Self::DuplicateKey => "duplicate key",
            Self::UnknownVersion => "unknown schema version",
            Self::NewerVersion => "newer schema version",
            Self::OlderVersion => "older schema version",
            Self::NotLoaded => "reference not loaded",
            Self::Missing => "referenced document missing",
            Self::NotFound => "no such document",
            Self::Restricted => "delete restricted by",
            Self::Conflict => "conflict with another write",
            Self::TooMany => "too many elements in",
            Self::Contended => "too much contention",
            Self::Migrate => "cannot migrate",
            Self::Timeout => "out of time",
            Self::Unreachable => "server unreachable",
            Self::WriteConcern => "write concern not met",
            Self::Server => "refused by the server",
            Self::Driver => "driver error",
        }
    }
}

/// The unique index and the value that it already held.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DuplicateKey {
    /// The name of the index, as the server gives it.
    pub index: String,
    /// The fields of the key with the values that were refused; empty if the server's message
    /// could not be read.
    pub key: Document,
}

/// One document that a write of many documents could not write.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WriteFailure {
    /// The position of the document among those that were given, from 0.
    pub index: usize,
    /// The server's error code.
    pub code: i32,
    /// The server's message.
    pub message: String,
    /// The index and value, where a unique index refused the document.
    pub duplicate_key: Option<DuplicateKey>,
}

/// What went wrong, and where: model, operation, `_id` and path, as far as they are known.
///
/// ```
/// use odm_core::{Error, ErrorKind};
///
/// fn report(error: &Error) -> String {
///     match error.kind() {
///         ErrorKind::DuplicateKey => "already taken".to_owned(),
///         _ => error.to_string(),
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    model: Option<&'static str>,
    operation: Option<&'static str>,
    namespace: Option<String>,
    id: Option<Bson>,
    path: Option<String>,
    code: Option<i32>,
    bound: Option<u32>,
    duplicate_key: Option<DuplicateKey>,
    write_failures: Vec<WriteFailure>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            model: None,
            operation: None,
            namespace: None,
            id: None,
            path: None,
            code: None,
            bound: None,
            duplicate_key: None,
            write_failures: Vec::new(),
            source: None,
        }))
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgument, message)
    }

    pub(crate) fn with_model(mut self, model: &'static str) -> Self {
        self.0.model.get_or_insert(model);
        self
    }

    pub(crate) fn with_operation(mut self, operation: &'static str) -> Self {
        self.0.operation.get_or_insert(operation);
        self
    }

    pub(crate) fn with_namespace(mut self, namespace: impl FnOnce() -> String) -> Self {
        self.0.namespace.get_or_insert_with(namespace);
        self
    }

    pub(crate) fn with_id(mut self, id: Option<Bson>) -> Self {
        self.0.id = self.0.id.or(id);
        self
    }

    pub(crate) fn with_path(mut self, path: impl Into<String>) -> Self {
        let path = path.into();
        if !path.is_empty() {
            self.0.path.get_or_insert(path);
        }
        self
    }

    /// Puts a name before the path.
    pub(crate) fn below(mut self, name: &str) -> Self {
        self.0.path = Some(match self.0.path {
            Some(path) => format!("{name}.{path}"),
            None => name.to_owned(),
        });
        self
    }

    pub(crate) fn with_bound(mut self, bound: u32) -> Self {
        self.0.bound = Some(bound);
        self
    }

    /// Replaces the beginning of the path.
    pub(crate) fn with_path_in_place(mut self, begins: &str, path: &str) -> Self {
        let found = self.0.path.unwrap_or_default();
        let rest = found.strip_prefix(begins).unwrap_or_default();
        self.0.path = Some(format!("{path}{rest}"));
        self
    }

    /// Names the step of a chain of versions that failed.
    pub(crate) fn at_step(mut self, from: Option<&str>, to: &str) -> Self {
        let from = from.unwrap_or("the first version");
        self.0.message = format!("the step from `{from}` to `{to}` failed: {}", self.0.message);
        self
    }

    /// Adds what to do about it.
    pub(crate) fn with_cure(mut self, cure: &str) -> Self {
        self.0.message = format!("{}; {cure}", self.0.message);
        self
    }

    pub(crate) fn with_boxed_source(mut self, source: Box<dyn StdError + Send + Sync>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn with_code(mut self, code: Option<i32>) -> Self {
        self.0.code = code;
        self
    }

    pub(crate) fn with_duplicate_key(mut self, key: Option<DuplicateKey>) -> Self {
        self.0.duplicate_key = key;
        self
    }

    pub(crate) fn with_write_failures(mut self, failures: Vec<WriteFailure>) -> Self {
        self.0.write_failures = failures;
        self
    }

    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// What went wrong, without the context.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// What kind of failure this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The Rust name of the model, such as `Post`.
    #[must_use]
    pub fn model(&self) -> Option<&'static str> {
        self.0.model
    }

    /// The action that failed, by the driver's verb, such as `update_one`.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// The database and collection, such as `blog.posts`.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.0.namespace.as_deref()
    }

    /// The `_id` of the document concerned.
    #[must_use]
    pub fn id(&self) -> Option<&Bson> {
        self.0.id.as_ref()
    }

    /// The path inside the document, in stored names, such as `comments.0.who`.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// The server's error code, where the server refused the operation.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        self.0.code
    }

    /// How many elements the list may have, of an [`ErrorKind::TooMany`].
    #[must_use]
    pub fn bound(&self) -> Option<u32> {
        self.0.bound
    }

    /// The index and value of the first [`ErrorKind::DuplicateKey`] failure.
    #[must_use]
    pub fn duplicate_key(&self) -> Option<&DuplicateKey> {
        self.0.duplicate_key.as_ref()
    }

    /// Each document that a write of many documents could not write, in order.
    ///
    /// The documents before the first failure of an ordered write were written, and so were all
    /// others of an unordered one.
    #[must_use]
    pub fn write_failures(&self) -> &[WriteFailure] {
        &self.0.write_failures
    }

    /// Whether a unique index refused the write.
    #[must_use]
    pub fn is_duplicate_key(&self) -> bool {
        self.0.kind == ErrorKind::DuplicateKey
    }

    /// Whether a stored document does not fit the model.
    #[must_use]
    pub fn is_decode(&self) -> bool {
        self.0.kind == ErrorKind::Decode
    }

    /// Whether the driver put this label on the error, such as `TransientTransactionError`.
    #[must_use]
    pub fn contains_label(&self, label: &str) -> bool {
        self.driver().is_some_and(|error| error.contains_label(label))
    }

    /// The driver's own error, where one is the cause.
    #[must_use]
    pub fn driver(&self) -> Option<&mongodb::error::Error> {
        self.0.source.as_ref()?.downcast_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
        if let Some(model) = inner.model {
            f.write_str(model)?;
            if let Some(operation) = inner.operation {
                write!(f, ".{operation}")?;
            }
            f.write_str(": ")?;
        } else if let Some(operation) = inner.operation {
            write!(f, "{operation}: ")?;
        }
        f.write_str(inner.kind.as_str())?;
        if let Some(path) = &inner.path {
            write!(f, " `{path}`")?;
        }
        write!(f, ": {}", inner.message)?;
        match (&inner.namespace, &inner.id) {
            (Some(namespace), Some(id)) => write!(f, " (in `{namespace}`, _id {id})"),
            (Some(namespace), None) => write!(f, " (in `{namespace}`)"),
            (None, Some(id)) => write!(f, " (_id {id})"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Error");
        out.field("kind", &self.0.kind).field("message", &self.to_string());
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish_non_exhaustive()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
