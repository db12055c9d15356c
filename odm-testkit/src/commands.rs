//! What a client sent: the driver's events come in, and go out as [`Commands`] to whoever
//! listened meanwhile.

use std::{
    fmt,
    ops::{Deref, RangeToInclusive},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bson::Document;
use mongodb::event::{
    EventHandler,
    command::{CommandEvent, CommandStartedEvent},
};

/// Sent by the driver on its own account.
const OF_THE_DRIVER: [&str; 9] = [
    "hello",
    "isMaster",
    "ismaster",
    "ping",
    "authenticate",
    "getnonce",
    "saslStart",
    "saslContinue",
    "endSessions",
];

/// Added by the driver or the session to every command: left out of what is printed.
const ENVELOPE: [&str; 3] = ["$db", "$clusterTime", "lsid"];

/// One command, as it was sent to the server.
///
/// ```
/// fn is_limited(command: &odm_testkit::Command) -> bool {
///     command.name == "find" && command.body.contains_key("limit")
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Command {
    /// The command's name, as in `find` or `findAndModify`.
    pub name: String,
    /// The database it was sent to.
    pub database: String,
    /// The whole command. Empty when the driver hides it, as it does for commands that carry
    /// credentials.
    pub body: Document,
}

impl Command {
    /// The collection that the command is about, if it is about one.
    ///
    /// ```no_run
    /// # async fn example(kit: odm_testkit::Kit) -> odm_testkit::TestResult {
    /// let posts = kit.database().collection::<mongodb::bson::Document>("posts");
    /// let (count, sent) = kit.commands(posts.estimated_document_count()).await;
    /// count?;
    /// assert_eq!(sent[0].collection(), Some("posts"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn collection(&self) -> Option<&str> {
        let key = match self.name.as_str() {
            "getMore" => "collection",
            name => name,
        };
        self.body.get_str(key).ok()
    }
}

/// The name, the collection and the body without what the driver adds to every command.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut body = self.body.clone();
        body.remove(&self.name);
        for key in ENVELOPE {
            body.remove(key);
        }
        write!(f, "{} {}", self.name, self.database)?;
        if let Some(collection) = self.collection() {
            write!(f, ".{collection}")?;
        }
        write!(f, " {body}")
    }
}

/// The commands that were sent during [`Kit::commands`](crate::Kit::commands), in the order in
/// which they were sent. It is a slice of [`Command`], with a few questions more; `Display` is
/// one command a line, for the message of an assertion.
///
/// ```
/// fn check(sent: &odm_testkit::Commands) {
///     assert_eq!(sent.names(), ["insert", "find"], "{sent}");
///     assert_eq!(sent.count("find"), 1, "{sent}");
///     assert_eq!(sent.len(), 2, "{sent}");
///     assert_eq!(sent[0].database, sent[1].database);
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Commands(Vec<Command>);

impl Commands {
    /// The names, in order.
    ///
    /// ```
    /// fn reads_once(sent: &odm_testkit::Commands) -> bool {
    ///     sent.names() == ["find"]
    /// }
    /// ```
    pub fn names(&self) -> Vec<&str> {
        self.iter().map(|command| command.name.as_str()).collect()
    }

    /// How many commands have this name.
    ///
    /// ```
    /// fn batches(sent: &odm_testkit::Commands) -> usize {
    ///     sent.count("find") + sent.count("getMore")
    /// }
    /// ```
    pub fn count(&self, name: &str) -> usize {
        self.named(name).count()
    }

    /// The commands of this name, in order.
    ///
    /// ```
    /// fn filters(sent: &odm_testkit::Commands) -> Vec<String> {
    ///     sent.named("find").filter_map(|c| c.body.get("filter")).map(|f| f.to_string()).collect()
    /// }
    /// ```
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Command> + 'a {
        self.iter().filter(move |command| command.name == name)
    }
}

impl Deref for Commands {
    type Target = [Command];

    fn deref(&self) -> &[Command] {
        &self.0
    }
}

impl fmt::Display for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} commands were sent", self.len())?;
        self.iter().try_for_each(|command| write!(f, "\n  {command}"))
    }
}

impl IntoIterator for Commands {
    type Item = Command;
    type IntoIter = std::vec::IntoIter<Command>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Commands {
    type Item = &'a Command;
    type IntoIter = std::slice::Iter<'a, Command>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// How many commands a test expects: a number, or a range up to one.
///
/// ```
/// use odm_testkit::Expected;
///
/// assert_eq!(Expected::from(2).to_string(), "2 commands");
/// assert_eq!(Expected::from(..=2).to_string(), "at most 2 commands");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    least: usize,
    most: usize,
}

impl Expected {
    pub(crate) fn holds(self, sent: usize) -> bool {
        (self.least..=self.most).contains(&sent)
    }
}

impl From<usize> for Expected {
    fn from(number: usize) -> Self {
        Self { least: number, most: number }
    }
}

impl From<RangeToInclusive<usize>> for Expected {
    fn from(range: RangeToInclusive<usize>) -> Self {
        Self { least: 0, most: range.end }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = if self.least < self.most { "at most " } else { "" };
        let plural = if self.most == 1 { "" } else { "s" };
        write!(f, "{bound}{} command{plural}", self.most)
    }
}

/// Collects the commands of one client for everyone who listens.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<Heard>>>);

type Heard = Arc<Mutex<Commands>>;

impl Recorder {
    /// The callback form: a channel would hand the events on out of order.
    pub(crate) fn handler(&self) -> EventHandler<CommandEvent> {
        let recorder = self.clone();
        EventHandler::callback(move |event| {
            if let CommandEvent::Started(started) = event {
                recorder.record(started);
            }
        })
    }

    /// Hears every command from now on.
    pub(crate) fn listen(&self) -> Listener {
        let heard = Heard::default();
        lock(&self.0).push(Arc::clone(&heard));
        Listener { recorder: self.clone(), heard }
    }

    fn record(&self, event: CommandStartedEvent) {
        if OF_THE_DRIVER.contains(&event.command_name.as_str()) {
            return;
        }
        let command = Command { name: event.command_name, database: event.db, body: event.command };
        for heard in lock(&self.0).iter() {
            lock(heard).0.push(command.clone());
        }
    }
}

/// Stops listening when it is dropped, also when the future it listened to never ended.
pub(crate) struct Listener {
    recorder: Recorder,
    heard: Heard,
}

impl Listener {
    pub(crate) fn heard(self) -> Commands {
        std::mem::take(&mut lock(&self.heard))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        lock(&self.recorder.0).retain(|heard| !Arc::ptr_eq(heard, &self.heard));
    }
}

/// Every change under these locks is one push: a panic elsewhere leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
