//! Keeps a `mongod` from outliving this process: a binary and its arguments come in, a running
//! process goes out that ends, with its data, when its handle is dropped or this process dies.
//!
//! The `mongod` is the child of a shell script that reads from a pipe. Only this process holds the
//! other end (the standard library marks it close-on-exec), so the kernel closes it however this
//! process ends, and the script then kills the `mongod` and removes its folder. The script has a
//! process group of its own, so that Ctrl-C in a terminal does not reach it first.

use std::{
    collections::VecDeque,
    ffi::OsStr,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use tokio::sync::watch;

use crate::{Error, Result, error::Kind};

/// `$1` is the folder, the rest the command. `read` is a builtin: no process but the two shells
/// waits on the pipe. The output is closed before the wait, since a shell reports a killed child
/// there, and nobody reads it any more when this process is gone.
const SCRIPT: &str = r#"
dir=$1; shift
exec 3<&0 </dev/null 2>&1
mkdir -m 700 "$dir" || exit 70
"$@" 3<&- &
mongod=$!
trap 'kill -KILL "$mongod"' HUP INT TERM
{ while read -r _; do :; done <&3; kill -KILL "$mongod"; } >/dev/null 2>&1 &
pipe=$!
exec 3<&- >/dev/null 2>&1
wait "$mongod"; code=$?
while kill -0 "$mongod" 2>/dev/null; do wait "$mongod"; code=$?; done
kill "$pipe" 2>/dev/null
rm -rf "$dir"
exit "$code"
"#;

/// Lines of the log that an error shows.
const LOG_LINES: usize = 20;
/// The log's line that says that clients may connect, in every version from 4.4 on.
const LISTENING: &str = "\"msg\":\"Waiting for connections\"";

/// A `mongod` and its guard. Dropping it kills the server, removes its data and waits for both.
#[derive(Debug)]
pub(crate) struct Watched {
    guard: Child,
    pipe: Option<ChildStdin>,
    log: Log,
    state: watch::Receiver<State>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Starting,
    Listening,
    Ended,
}

impl Watched {
    /// Starts `mongod` with `dir` made for it alone.
    pub(crate) fn spawn<A: AsRef<OsStr>>(
        mongod: &Path,
        dir: &Path,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Self> {
        let mut command = Command::new("sh");
        command
            .args(["-c", SCRIPT, "odm-testkit"])
            .arg(dir)
            .arg(mongod)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut guard = command.spawn().map_err(Error::io("cannot start sh to guard mongod"))?;
        let log = Log::default();
        let (report, state) = watch::channel(State::Starting);
        let pipe = guard.stdin.take();
        if let Some(output) = guard.stdout.take() {
            let log = log.clone();
            thread::Builder::new()
                .name("mongod log".to_owned())
                .spawn(move || log.follow(output, &report))
                .map_err(Error::io("cannot start a thread for the log of mongod"))?;
        }
        Ok(Self { guard, pipe, log, state })
    }

    /// Waits until clients may connect.
    ///
    /// # Errors
    /// With the end of the log, if the process ends before.
    pub(crate) async fn listening(&mut self) -> Result<()> {
        // The channel closes when the log does.
        let reached = self.state.wait_for(|state| *state != State::Starting).await;
        if reached.is_ok_and(|state| *state == State::Listening) {
            return Ok(());
        }
        Err(self.died())
    }

    /// Waits until the process has ended by itself, and says why.
    pub(crate) async fn ended(&mut self) -> Error {
        // The channel closes when the log does, which is the same.
        drop(self.state.wait_for(|state| *state == State::Ended).await);
        self.died()
    }

    /// Lets the guard kill the server, without waiting for it.
    pub(crate) fn end(&mut self) {
        drop(self.pipe.take());
    }

    /// The end of the log.
    pub(crate) fn log(&self) -> String {
        self.log.tail()
    }

    fn died(&mut self) -> Error {
        match self.guard.wait() {
            Ok(status) => {
                let log = self.log.tail();
                Kind::Ended { status, log }.into()
            }
            Err(source) => Error::io("cannot wait for mongod")(source),
        }
    }
}

/// Whether `mongod` ended because another process had its port.
pub(crate) fn is_port_taken(status: ExitStatus) -> bool {
    status.code() == Some(48)
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.end();
        // Nothing is left to do about an error: the guard ends by itself.
        let _status = self.guard.wait();
    }
}

/// The last lines that a `mongod` wrote; kept in memory, as its folder goes when it ends.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<VecDeque<String>>>);

impl Log {
    fn follow(&self, output: impl Read, report: &watch::Sender<State>) {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while matches!(output.read_until(b'\n', &mut line), Ok(1..)) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            let listening = text.contains(LISTENING);
            self.push(text);
            if listening {
                report.send_replace(State::Listening);
            }
        }
        report.send_replace(State::Ended);
    }

    fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LOG_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    fn tail(&self) -> String {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.make_contiguous().join("\n")
    }
}
