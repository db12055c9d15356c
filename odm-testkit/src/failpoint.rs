//! Failures on request: which commands are to fail, and how, comes in; the server's failpoint goes
//! out, and is off again when its handle is.

use std::time::Duration;

use bson::{Document, doc};
use mongodb::{Client, error::Result};
use tokio::runtime::Handle;

/// Commands that are to fail, and how: the server's `failCommand`. The first one that comes fails,
/// unless said otherwise.
///
/// The server must allow it, by [`ServerBuilder::failpoints`](crate::ServerBuilder::failpoints). It
/// is set on the member that is the primary, for all its clients.
///
/// ```no_run
/// # use mongodb::bson::{Document, doc};
/// use odm_testkit::{FailPoint, Server, run_with};
///
/// # fn main() -> odm_testkit::TestResult {
/// run_with(Server::builder().failpoints(true), async |kit| {
///     let lost = kit.fail(FailPoint::of(["insert"]).close_connection().times(2)).await?;
///     let notes = kit.database().collection::<Document>("notes");
///     assert!(notes.insert_one(doc! { "_id": 1 }).await.is_err(), "the driver tries it twice");
///     lost.off().await?;
///     Ok(())
/// })
/// # }
/// ```
///
/// Source: [failpoints](https://github.com/mongodb/mongo/wiki/The-%22failCommand%22-fail-point).
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a failpoint does nothing until it is given to `Kit::fail`"]
pub struct FailPoint {
    mode: Document,
    data: Document,
}

impl FailPoint {
    /// Of these commands, by their names.
    ///
    /// ```
    /// let failpoint = odm_testkit::FailPoint::of(["find", "getMore"]).error_code(91);
    /// ```
    pub fn of<C: Into<String>>(commands: impl IntoIterator<Item = C>) -> Self {
        let commands: Vec<String> = commands.into_iter().map(Into::into).collect();
        Self { mode: doc! { "mode": { "times": 1 } }, data: doc! { "failCommands": commands } }
    }

    /// How many of them fail; 1 if not set.
    ///
    /// ```
    /// let failpoint = odm_testkit::FailPoint::of(["update"]).close_connection().times(2);
    /// ```
    pub fn times(mut self, times: u32) -> Self {
        self.mode.insert("mode", doc! { "times": i64::from(times) });
        self
    }

    /// All fail that come after so many.
    ///
    /// ```
    /// let failpoint = odm_testkit::FailPoint::of(["getMore"]).error_code(43).after(3);
    /// ```
    pub fn after(mut self, passed: u32) -> Self {
        self.mode.insert("mode", doc! { "skip": i64::from(passed) });
        self
    }

    /// All fail, until it is off.
    ///
    /// ```
    /// let failpoint = odm_testkit::FailPoint::of(["insert"]).error_code(11600).always();
    /// ```
    pub fn always(mut self) -> Self {
        self.mode.insert("mode", "alwaysOn");
        self
    }

    /// They fail with this error, and are not run.
    ///
    /// ```
    /// let failpoint = odm_testkit::FailPoint::of(["find"]).error_code(10107);
    /// ```
    pub fn error_code(mut self, code: i32) -> Self {
        self.data.insert("errorCode", code);
        self
    }

    /// The labels of the error.
    ///
    /// ```
    /// let labels = ["TransientTransactionError"];
    /// let failpoint = odm_testkit::FailPoint::of(["insert"]).error_code(112).error_labels(labels);
    /// ```
    pub fn error_labels<L: Into<String>>(mut self, labels: impl IntoIterator<Item = L>) -> Self {
        let labels: Vec<String> = labels.into_iter().map(Into::into).collect();
        self.data.insert("errorLabels", labels);
        self
    }

    /// They are run, and their answer has this write concern error.
    ///
    /// ```
    /// let failpoint = odm_testkit::FailPoint::of(["insert"]).write_concern_error(64);
    /// ```
    pub fn write_concern_error(mut self, code: i32) -> Self {
        let error = doc! { "code": code, "errmsg": "by a failpoint" };
        self.data.insert("writeConcernError", error);
        self
    }

    /// The connection is closed, and they are not run.
    ///
    /// ```
    /// let failpoint = odm_testkit::FailPoint::of(["getMore"]).close_connection();
    /// ```
    pub fn close_connection(mut self) -> Self {
        self.data.insert("closeConnection", true);
        self
    }

    /// They wait so long before they are run, or fail.
    ///
    /// ```
    /// let wait = std::time::Duration::from_millis(200);
    /// let failpoint = odm_testkit::FailPoint::of(["find"]).block(wait).times(1);
    /// ```
    pub fn block(mut self, time: Duration) -> Self {
        let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.data.insert("blockConnection", true);
        self.data.insert("blockTimeMS", millis);
        self
    }

    /// Only those of clients that have this name.
    ///
    /// ```
    /// let failpoint = odm_testkit::FailPoint::of(["find"]).error_code(91).app_name("the second");
    /// ```
    pub fn app_name(mut self, name: impl Into<String>) -> Self {
        self.data.insert("appName", name.into());
        self
    }

    fn into_command(self) -> Document {
        let mut command = doc! { "configureFailPoint": "failCommand" };
        command.extend(self.mode);
        command.insert("data", self.data);
        command
    }

    pub(crate) async fn set(self, client: &Client) -> Result<ActiveFailPoint> {
        client.database("admin").run_command(self.into_command()).await?;
        Ok(ActiveFailPoint(Some(client.clone())))
    }
}

/// A failpoint that is on.
///
/// [`off`](Self::off) turns it off and waits for that. Dropping it leaves that to a task, which runs
/// when the test awaits something: a test that goes on after it says `off`.
#[derive(Debug)]
#[must_use = "a failpoint is turned off when its handle is dropped"]
pub struct ActiveFailPoint(Option<Client>);

impl ActiveFailPoint {
    /// Turns it off.
    ///
    /// # Errors
    /// Those of the driver.
    ///
    /// ```no_run
    /// # async fn example(kit: odm_testkit::Kit) -> odm_testkit::TestResult {
    /// # use odm_testkit::FailPoint;
    /// let failing = kit.fail(FailPoint::of(["find"]).error_code(91).always()).await?;
    /// failing.off().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn off(mut self) -> Result<()> {
        match self.0.take() {
            Some(client) => turn_off(&client).await,
            None => Ok(()),
        }
    }
}

async fn turn_off(client: &Client) -> Result<()> {
    let off = doc! { "configureFailPoint": "failCommand", "mode": "off" };
    client.database("admin").run_command(off).await.map(drop)
}

impl Drop for ActiveFailPoint {
    fn drop(&mut self) {
        if let (Some(client), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            // Nothing is left to do about an error: the server of the test ends.
            runtime.spawn(async move { drop(turn_off(&client).await) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_command_of_the_server() {
        let set = FailPoint::of(["insert"]).error_code(91).error_labels(["a"]).after(2);
        let expected = doc! {
            "configureFailPoint": "failCommand", "mode": { "skip": 2_i64 },
            "data": { "failCommands": ["insert"], "errorCode": 91, "errorLabels": ["a"] },
        };
        assert_eq!(set.into_command(), expected);
        let set = FailPoint::of(["find"]).block(Duration::from_secs(1)).app_name("x").always();
        let expected = doc! {
            "configureFailPoint": "failCommand", "mode": "alwaysOn",
            "data": {
                "failCommands": ["find"], "blockConnection": true, "blockTimeMS": 1_000_i64,
                "appName": "x",
            },
        };
        assert_eq!(set.into_command(), expected);
    }
}
