//! Asks the server how it would run an action, and how it did.

use std::time::Instant;

use bson::{Bson, Document, doc};

use super::call::{Call, FindOptions};
use super::options::Options;
use crate::error::{Error, ErrorKind, Result};

impl Call {
    /// The server's explanation of a command, with the figures of running it. One round trip.
    ///
    /// Nothing is changed, and a session takes no part: no transaction explains.
    async fn explain(&self, command: Document) -> Result<Document> {
        let started = Instant::now();
        let command = doc! { "explain": command, "verbosity": "executionStats" };
        let mut run = self.target().database().run_command(command);
        let of_call = self.options.as_ref().and_then(|o| o.selection_criteria.as_ref());
        if let Some(criteria) = of_call.or_else(|| self.target().collection().selection_criteria())
        {
            run = run.selection_criteria(criteria.clone());
        }
        run.await.map_err(|error| self.failed(started, &[], error))
    }

    pub(crate) async fn explain_find(
        &self,
        filter: Document,
        options: FindOptions,
    ) -> Result<Document> {
        let mut find = doc! { "find": self.name(), "filter": self.filter(filter) };
        put(&mut find, "sort", options.sort);
        put(&mut find, "projection", options.projection);
        put(&mut find, "skip", options.skip.and_then(|skip| i64::try_from(skip).ok()));
        put(&mut find, "limit", options.limit);
        self.with_options(&mut find, |options, find| {
            options.add_choices(find)?;
            options.add_common(find);
            Ok(())
        })?;
        self.explain(find).await
    }

    pub(crate) async fn explain_aggregate(&self, pipeline: Vec<Document>) -> Result<Document> {
        let pipeline = self.pipeline(pipeline);
        let mut aggregate = doc! { "aggregate": self.name(), "pipeline": pipeline, "cursor": {} };
        self.with_options(&mut aggregate, |options, aggregate| {
            options.add_choices(aggregate)?;
            options.add_common(aggregate);
            Ok(())
        })?;
        self.explain(aggregate).await
    }

    /// `statement` is one element of `updates`, without its options.
    pub(crate) async fn explain_update(&self, statement: Document) -> Result<Document> {
        self.explain_write("update", "updates", statement).await
    }

    /// `statement` is one element of `deletes`, without its options.
    pub(crate) async fn explain_delete(&self, statement: Document) -> Result<Document> {
        self.explain_write("delete", "deletes", statement).await
    }

    async fn explain_write(
        &self,
        command: &str,
        list: &str,
        mut statement: Document,
    ) -> Result<Document> {
        self.with_options(&mut statement, Options::add_choices)?;
        let mut command = doc! { command: self.name(), list: [statement] };
        self.with_options(&mut command, |options, command| {
            options.add_common(command);
            Ok(())
        })?;
        self.explain(command).await
    }

    fn with_options(
        &self,
        command: &mut Document,
        add: impl FnOnce(&Options, &mut Document) -> Result<()>,
    ) -> Result<()> {
        match &self.options {
            Some(options) => add(options, command).map_err(|error| self.context(error)),
            None => Ok(()),
        }
    }

    fn name(&self) -> &str {
        self.target().collection().name()
    }
}

impl Options {
    /// What says how documents are found.
    fn add_choices(&self, command: &mut Document) -> Result<()> {
        put(command, "hint", self.hint.as_ref().map(to_bson).transpose()?);
        put(command, "collation", self.collation.as_ref().map(to_bson).transpose()?);
        Ok(())
    }

    /// What says something of the whole command.
    fn add_common(&self, command: &mut Document) {
        put(command, "let", self.let_vars.clone());
        put(command, "comment", self.comment.clone());
        put(command, "allowDiskUse", self.allow_disk_use);
    }
}

fn put(command: &mut Document, name: &str, value: Option<impl Into<Bson>>) {
    if let Some(value) = value {
        command.insert(name, value);
    }
}

fn to_bson(value: &impl serde::Serialize) -> Result<Bson> {
    bson::serialize_to_bson(value).map_err(|error| {
        Error::new(ErrorKind::Encode, "an option has no BSON form").with_source(error)
    })
}
