//! The one place that classifies the driver's errors.

use std::time::Instant;

use bson::RawDocumentBuf;
use mongodb::error::{
    ErrorKind as DriverKind, InsertManyError, WriteConcernError, WriteFailure as DriverWriteFailure,
};

use super::Target;
use super::duplicate::{describe, duplicate_key, key_value};
use crate::error::{DuplicateKey, Error, ErrorKind, WriteFailure};

/// What is known about a failed operation beside the driver's error.
pub(super) struct Failure<'a> {
    target: Option<&'a Target>,
    operation: &'static str,
    started: Option<Instant>,
    sent: &'a [RawDocumentBuf],
}

impl<'a> Failure<'a> {
    /// A failure of something that has no collection.
    pub(super) fn new(operation: &'static str) -> Self {
        Self { target: None, operation, started: None, sent: &[] }
    }

    pub(super) fn of(target: &'a Target, operation: &'static str, started: Instant) -> Self {
        Self { target: Some(target), operation, started: Some(started), sent: &[] }
    }

    /// Tells the documents that an insert sent.
    pub(super) fn sent(self, sent: &'a [RawDocumentBuf]) -> Self {
        Self { sent, ..self }
    }

    pub(super) fn error(&self, driver: mongodb::error::Error) -> Error {
        // An error of ours that came through the driver's cursor.
        if let Some(error) = driver.get_custom::<Error>() {
            return error.clone();
        }
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
            DriverKind::Io(io) => {
                Error::new(ErrorKind::Unreachable, format!("the connection failed: {io}"))
            }
            DriverKind::ConnectionPoolCleared { message, .. }
            | DriverKind::DnsResolve { message, .. } => {
                Error::new(ErrorKind::Unreachable, message.clone())
            }
            DriverKind::Command(command) => {
                let key = key_value(driver.server_response(), None);
                let duplicate = duplicate_key(command.code, &command.message, key, None);
                refused(command.code, &command.message, duplicate)
            }
            DriverKind::Write(DriverWriteFailure::WriteError(write)) => {
                let key = key_value(driver.server_response(), Some(0));
                let sent = self.sent.first().map(|sent| &**sent);
                let duplicate = duplicate_key(write.code, &write.message, key, sent);
                refused(write.code, &write.message, duplicate)
            }
            DriverKind::Write(DriverWriteFailure::WriteConcernError(concern)) => {
                unconfirmed(concern)
            }
            DriverKind::InsertMany(insert) => self.many(insert),
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

    fn many(&self, insert: &InsertManyError) -> Error {
        let failures: Vec<_> = insert
            .write_errors
            .iter()
            .flatten()
            .map(|error| {
                let sent = self.sent.get(error.index).map(|sent| &**sent);
                WriteFailure {
                    index: error.index,
                    code: error.code,
                    message: error.message.clone(),
                    duplicate_key: duplicate_key(error.code, &error.message, None, sent),
                }
            })
            .collect();
        let error = match (failures.first(), &insert.write_concern_error) {
            (Some(first), _) => refused(first.code, &first.message, first.duplicate_key.clone()),
            (None, Some(concern)) => unconfirmed(concern),
            (None, None) => Error::new(ErrorKind::Driver, "insert_many failed without a reason"),
        };
        error.with_write_failures(failures)
    }
}

/// An operation that the server refused, by its code.
fn refused(code: i32, message: &str, duplicate: Option<DuplicateKey>) -> Error {
    let error = match &duplicate {
        Some(duplicate) => Error::new(ErrorKind::DuplicateKey, describe(duplicate)),
        None => Error::new(ErrorKind::Server, format!("{message} (code {code})")),
    };
    error.with_code(Some(code)).with_duplicate_key(duplicate)
}

fn unconfirmed(concern: &WriteConcernError) -> Error {
    Error::new(ErrorKind::WriteConcern, concern.message.clone()).with_code(Some(concern.code))
}
