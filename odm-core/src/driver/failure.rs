//! The one place that classifies the driver's errors.

use std::time::Instant;

use bson::{Document, RawDocument};
use mongodb::error::{ErrorKind as DriverKind, WriteFailure as DriverWriteFailure};

use super::Target;
use crate::error::{DuplicateKey, Error, ErrorKind, WriteFailure};

const DUPLICATE_KEY_CODES: [i32; 3] = [11000, 11001, 12582];

/// What is known about a failed operation beside the driver's error.
pub(super) struct Failure<'a> {
    target: Option<&'a Target>,
    operation: &'static str,
    started: Option<Instant>,
}

impl<'a> Failure<'a> {
    /// A failure of something that has no collection.
    pub(super) fn new(operation: &'static str) -> Self {
        Self {
            target: None,
            operation,
            started: None,
        }
    }

    pub(super) fn of(target: &'a Target, operation: &'static str, started: Instant) -> Self {
        Self {
            target: Some(target),
            operation,
            started: Some(started),
        }
    }

    pub(super) fn error(&self, driver: mongodb::error::Error) -> Error {
        let mut error = self.classify(&driver).with_operation(self.operation);
        if let Some(target) = self.target {
            error = error
                .with_model(target.model.name)
                .with_namespace(|| target.namespace().to_string());
        }
        error.with_source(driver)
    }

    fn classify(&self, driver: &mongodb::error::Error) -> Error {
        match driver.kind.as_ref() {
            DriverKind::ServerSelection { message, .. } => {
                Error::new(ErrorKind::Unreachable, self.not_selected(message))
            }
            DriverKind::Io(io) => Error::new(
                ErrorKind::Unreachable,
                format!("the connection failed: {io}"),
            ),
            DriverKind::ConnectionPoolCleared { message, .. }
            | DriverKind::DnsResolve { message, .. } => {
                Error::new(ErrorKind::Unreachable, message.clone())
            }
            DriverKind::Command(command) => refused(
                command.code,
                &command.message,
                key_of(driver.server_response(), None),
            ),
            DriverKind::Write(DriverWriteFailure::WriteError(write)) => refused(
                write.code,
                &write.message,
                key_of(driver.server_response(), Some(0)),
            ),
            DriverKind::Write(DriverWriteFailure::WriteConcernError(concern)) => {
                Error::new(ErrorKind::WriteConcern, concern.message.clone())
                    .with_code(Some(concern.code))
            }
            DriverKind::InsertMany(insert) => many(insert, driver),
            DriverKind::InvalidArgument { message, .. } => Error::invalid(message.clone()),
            kind => Error::new(ErrorKind::Driver, kind.to_string()),
        }
    }

    /// Names the hosts and the wait; the driver's message, kept as the source, has the topology.
    fn not_selected(&self, message: &str) -> String {
        let hosts: Vec<_> = message
            .split("Address: ")
            .skip(1)
            .filter_map(|rest| rest.split([',', ' ', '}']).next())
            .collect();
        let wait = match self.started {
            Some(started) => format!(" within {:.1} s", started.elapsed().as_secs_f64()),
            None => String::new(),
        };
        match hosts.is_empty() {
            true => format!("no server could be selected{wait}: {message}"),
            false => format!("no server could be selected{wait} at {}", hosts.join(", ")),
        }
    }
}

/// An operation that the server refused, by its code.
fn refused(code: i32, message: &str, key: Option<Document>) -> Error {
    let duplicate = duplicate_key(code, message, key);
    let error = match &duplicate {
        Some(duplicate) => Error::new(ErrorKind::DuplicateKey, describe(duplicate)),
        None => Error::new(ErrorKind::Server, format!("{message} (code {code})")),
    };
    error.with_code(Some(code)).with_duplicate_key(duplicate)
}

fn many(insert: &mongodb::error::InsertManyError, driver: &mongodb::error::Error) -> Error {
    let failures: Vec<_> = insert
        .write_errors
        .iter()
        .flatten()
        .map(|error| WriteFailure {
            index: error.index,
            code: error.code,
            message: error.message.clone(),
            duplicate_key: duplicate_key(
                error.code,
                &error.message,
                key_of(driver.server_response(), Some(error.index)),
            ),
        })
        .collect();
    let error = match (failures.first(), &insert.write_concern_error) {
        (Some(first), _) => {
            let key = first
                .duplicate_key
                .as_ref()
                .map(|duplicate| duplicate.key.clone());
            refused(first.code, &first.message, key)
        }
        (None, Some(concern)) => Error::new(ErrorKind::WriteConcern, concern.message.clone())
            .with_code(Some(concern.code)),
        (None, None) => Error::new(ErrorKind::Driver, "insert_many failed without a reason"),
    };
    error.with_write_failures(failures)
}

fn duplicate_key(code: i32, message: &str, key: Option<Document>) -> Option<DuplicateKey> {
    DUPLICATE_KEY_CODES.contains(&code).then(|| DuplicateKey {
        index: index_name(message).unwrap_or("unknown").to_owned(),
        key: key.unwrap_or_default(),
    })
}

fn describe(duplicate: &DuplicateKey) -> String {
    match duplicate.key.is_empty() {
        true => format!(
            "the unique index `{}` has the value already",
            duplicate.index
        ),
        false => format!(
            "the unique index `{}` has {} already",
            duplicate.index, duplicate.key
        ),
    }
}

/// The server names the index only in its message: `… index: email_1 dup key: …`.
fn index_name(message: &str) -> Option<&str> {
    message.split_once("index: ")?.1.split_whitespace().next()
}

/// `keyValue` of a reply: of the command itself, or of the write error with this index.
fn key_of(reply: Option<&bson::RawDocumentBuf>, index: Option<usize>) -> Option<Document> {
    let reply = reply?;
    let error: &RawDocument = match index {
        None => reply,
        Some(index) => {
            let errors = reply.get_array("writeErrors").ok()?;
            let mut errors = errors
                .into_iter()
                .filter_map(|error| error.ok()?.as_document());
            errors.find(|error| {
                error
                    .get_i32("index")
                    .ok()
                    .and_then(|i| usize::try_from(i).ok())
                    == Some(index)
            })?
        }
    };
    Document::try_from(error.get_document("keyValue").ok()?).ok()
}
