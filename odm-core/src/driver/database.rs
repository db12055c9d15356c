//! The handle of a database.

use std::fmt;
use std::time::Duration;

use crate::collection::Collection;
use crate::error::Result;
use crate::integrity::{Repair, Verify};
use crate::model::{Document, Model};
use crate::plan::PlanBuilder;
use crate::private;

use super::failure::Failure;
use super::{StartSession, Target, Transaction, Tx};

/// A database, from which come the collections of models and the plan of their indexes.
///
/// Cheap to clone: it is the driver's handle.
///
/// ```no_run
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32 }
/// # async fn example() -> odm::Result<()> {
/// let db = Database::connect("mongodb://127.0.0.1:27017", "blog").await?;
/// let posts = db.collection::<Post>();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Database {
    driver: mongodb::Database,
    slow_after: Option<Duration>,
}

impl Database {
    /// Connects to the deployment that the [connection string] names, and takes one database of it.
    ///
    /// Like the driver's `Client::with_uri_str`, this checks the string and starts to connect; an
    /// unreachable server shows in the first action.
    ///
    /// A program needs one client: where you have one, use [`Database::from`].
    ///
    /// # Errors
    /// [`ErrorKind::Driver`](crate::ErrorKind::Driver) if the connection string is malformed.
    ///
    /// [connection string]: https://www.mongodb.com/docs/manual/reference/connection-string/
    pub async fn connect(uri: impl AsRef<str>, name: &str) -> Result<Self> {
        match mongodb::Client::with_uri_str(uri).await {
            Ok(client) => Ok(client.database(name).into()),
            Err(error) => Err(Failure::new("connect").error(error)),
        }
    }

    /// The name of the database.
    #[must_use]
    pub fn name(&self) -> &str {
        self.driver.name()
    }

    /// The collection of a model, in this database or in the one that the model declares.
    /// [`bson::Document`] declares none: asking for it here does not build.
    #[must_use]
    pub fn collection<T: Document>(&self) -> Collection<T> {
        const { private::assert_declared(T::MODEL) };
        Collection::new(self.target(T::MODEL))
    }

    /// Documents of a model in another collection than the declared one, such as those of one year
    /// or tenant; with [`bson::Document`], documents of any form.
    ///
    /// [`Database::plan`] knows the declared collection alone, and references lead to it.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// # async fn example(db: Database) -> odm::Result<()> {
    /// use odm::path::dynamic;
    ///
    /// let of_2024 = db.collection_named::<Post>("posts_2024");
    /// let popular = of_2024.find(Post::fields().votes().gt(3)).await?;
    ///
    /// let events = db.collection_named::<bson::Document>("events");
    /// let sensors: Vec<bson::Document> = events.find(dynamic("device.kind").eq("sensor")).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn collection_named<T: Document>(&self, name: &str) -> Collection<T> {
        let target = Target::new(&self.driver, T::MODEL, name);
        Collection::new(target.with_slow_after(self.slow_after))
    }

    /// Compares what the models declare with what the server has: see [`Plan`](crate::plan::Plan).
    ///
    /// References by which `on_delete` rules and inverses find documents get an index, unless a
    /// declared one begins with their path: also in the collections of other models, of which nothing
    /// else is planned.
    ///
    /// Awaiting takes one round trip for each collection.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for indexes that cannot be,
    /// and for rules that no delete can keep, such as a circle of cascades over several models.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// # async fn example(db: Database) -> odm::Result<()> {
    /// let plan = db.plan(odm::models![Post]).await?;
    /// println!("{plan}");
    /// plan.apply().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn plan(&self, models: impl IntoIterator<Item = &'static Model>) -> PlanBuilder {
        PlanBuilder::new(self.targets(models))
    }

    /// Counts the references of the models that lead to no document, and the links of two-way
    /// relations that only one side holds: see [`Report`](crate::integrity::Report).
    ///
    /// Nothing is changed. The server joins each field with its target, which reads the whole
    /// collections: for a time when there is little other work. A DBRef is followed where it leads
    /// into the declared collection; one without a model is not. Reads go to the primary.
    ///
    /// Round trips: one aggregation for each field of references and each two-way relation, and one
    /// count for each model with a schema version, of whose documents only those of the current
    /// version are looked at. Of references into another database, the distinct keys are streamed
    /// and asked for, 1,000 at a time. What changes meanwhile may be counted or not. DBRefs and maps
    /// need server 5.0.
    ///
    /// # Errors
    /// The server's refusal of a read.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use odm::Ref;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Publisher { #[serde(rename = "_id")] id: String }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Book { #[serde(rename = "_id")] id: i32, publisher: Ref<Publisher> }
    /// # async fn example(db: Database) -> odm::Result<()> {
    /// let report = db.verify(odm::models![Publisher, Book]).await?;
    /// for found in report.findings() {
    ///     println!("{}: {} lead nowhere, as in {:?}", found.path, found.count, found.examples);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn verify(&self, models: impl IntoIterator<Item = &'static Model>) -> Verify {
        Verify::new(self.targets(models))
    }

    /// Mends what [`verify`](Database::verify) finds, as far as it is told to; by itself it only
    /// tells what it would do. See [`Repair`].
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use odm::Ref;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Publisher { #[serde(rename = "_id")] id: String }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Book { #[serde(rename = "_id")] id: i32, publisher: Option<Ref<Publisher>> }
    /// # async fn example(db: Database) -> odm::Result<()> {
    /// println!("{}", db.repair(odm::models![Publisher, Book]).await?);
    /// let repaired = db.repair(odm::models![Publisher, Book]).unlink().await?;
    /// println!("{repaired}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn repair(&self, models: impl IntoIterator<Item = &'static Model>) -> Repair {
        Repair::new(self.targets(models))
    }

    fn targets(&self, models: impl IntoIterator<Item = &'static Model>) -> Vec<Target> {
        models.into_iter().map(|model| self.target(model)).collect()
    }

    /// Starts a session, for causally consistent reads, snapshots and transactions.
    ///
    /// Without a round trip: the session is made in the client.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`](crate::ErrorKind::Unreachable) if no server was found to tell
    /// whether the deployment supports sessions.
    pub fn start_session(&self) -> StartSession {
        StartSession::new(self.driver.client().clone())
    }

    /// Runs a transaction: all that the body does with its [`Tx`] happens, or nothing of it.
    ///
    /// The body is run again, from its beginning, where the server asks for that: another
    /// transaction wrote the same document first, or the connection was lost. So it must have no
    /// other effects; what it captures it cannot change. It commits when the body returns `Ok`, and
    /// aborts when it returns an error, which may be of any type that ours can become.
    ///
    /// Round trips: those of the actions, and one to commit or abort; again for each attempt. Keep
    /// it short: what it wrote is locked until its end. Concerns are set here, and nowhere inside.
    /// Needs a replica set or a sharded cluster.
    ///
    /// # Errors
    /// The body's own error; [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) if no attempt
    /// succeeded within the [`time_limit`](Transaction::time_limit); the server's refusal of the
    /// commit.
    ///
    /// Source: [transactions](https://www.mongodb.com/docs/manual/core/transactions/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Account { #[serde(rename = "_id")] id: String, credits: i64 }
    /// # async fn example(db: Database) -> odm::Result<()> {
    /// let accounts = db.collection::<Account>();
    /// let a = Account::fields();
    /// let paid = db
    ///     .transaction(async |tx| {
    ///         let from = a.id().eq("alex") & a.credits().gte(5);
    ///         let debit = accounts.update_one(from, a.credits().inc(-5)).session(&tx).await?;
    ///         if debit.modified_count == 0 {
    ///             return Ok(false);
    ///         }
    ///         accounts.update_one(a.id().eq("jane"), a.credits().inc(5)).session(&tx).await?;
    ///         Ok::<_, odm::Error>(true)
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn transaction<'a, F, Run, R, E>(&self, body: F) -> Transaction<'a, F>
    where
        F: FnMut(Tx) -> Run + Send + 'a,
        Run: Future<Output = Result<R, E>> + Send + 'a,
        E: From<crate::Error>,
    {
        Transaction::new(self.driver.client().clone(), body)
    }

    /// Tells of each action on collections of this handle that takes at least so long, by a
    /// `tracing` warning of the target `odm`: model, action, namespace, duration, documents, and
    /// the filter without its values.
    ///
    /// Every action also has a `tracing` span of level debug, with the same fields.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use std::time::Duration;
    /// # fn example(db: Database) {
    /// let db = db.slow_query_threshold(Duration::from_millis(100));
    /// # let _ = db;
    /// # }
    /// ```
    #[must_use]
    pub fn slow_query_threshold(self, threshold: Duration) -> Self {
        Self { slow_after: Some(threshold), ..self }
    }

    /// The driver's own handle.
    #[must_use]
    pub fn driver(&self) -> &mongodb::Database {
        &self.driver
    }

    fn target(&self, model: &'static Model) -> Target {
        Target::new(&self.driver, model, model.collection).with_slow_after(self.slow_after)
    }
}

impl From<mongodb::Database> for Database {
    fn from(driver: mongodb::Database) -> Self {
        Self { driver, slow_after: None }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Database").field(&self.name()).finish()
    }
}
