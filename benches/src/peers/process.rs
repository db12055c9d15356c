//! A peer's process: what it is told, and what it answers.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::Result;
use crate::bench::Bench;
use crate::measure::{Run, Tally};
use crate::work::odm::{Contestant, Order};

/// A peer that has started and said who it is. It ends with this value.
pub(super) struct Process {
    pub(super) name: String,
    pub(super) version: String,
    child: Arc<Mutex<Talk>>,
}

/// The ends of a process's pipes.
struct Talk {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Greeting {
    name: String,
    version: String,
}

#[derive(Deserialize)]
struct Answer {
    ms: f64,
    documents: u64,
    sum: i64,
}

impl Process {
    pub(super) fn start<'a>(
        bench: &Bench,
        data: &Path,
        program: &str,
        arguments: impl Iterator<Item = &'a str>,
    ) -> Result<Self> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("ODM_BENCH_URI", bench.peers_uri())
            .env("ODM_BENCH_DATABASE", bench.database("odm").driver().name())
            .env("ODM_BENCH_DATA", data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| format!("`{program}` did not start: {error}"))?;
        let orders = child.stdin.take().ok_or("a peer without an input")?;
        let answers = BufReader::new(child.stdout.take().ok_or("a peer without an output")?);
        let mut talk = Talk { child, orders, answers };
        let Greeting { name, version } =
            talk.hear().map_err(|error| format!("the peer `{program}`: {error}"))?;
        Ok(Self { name, version, child: Arc::new(Mutex::new(talk)) })
    }
}

impl Contestant for Process {
    fn entry(
        &self,
        order: Order,
    ) -> Box<dyn Fn() -> BoxFuture<'static, Result<Run>> + Send + Sync> {
        let (name, talk) = (self.name.clone(), Arc::clone(&self.child));
        let Order { verb, model, field, count, image } = order;
        let order = json!({
            "verb": verb, "model": model, "field": field, "count": count, "image": image,
        });
        let line = order.to_string();
        Box::new(move || {
            let (name, talk, line) = (name.clone(), Arc::clone(&talk), line.clone());
            Box::pin(async move {
                let ask = move || talk.lock().unwrap_or_else(PoisonError::into_inner).ask(&line);
                let answer = spawn_blocking(ask).await?;
                Ok(answer.map_err(|error| format!("{name}: {error}"))?)
            })
        })
    }
}

impl Talk {
    fn ask(&mut self, line: &str) -> Result<Run> {
        writeln!(self.orders, "{line}")?;
        self.orders.flush()?;
        let Answer { ms, documents, sum } = self.hear()?;
        Ok(Run::timed(Duration::from_secs_f64(ms / 1e3), Tally { documents, sum }))
    }

    fn hear<T: DeserializeOwned>(&mut self) -> Result<T> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err("it ended before it answered".into());
        }
        serde_json::from_str(&line).map_err(|error| format!("it said {line:?}: {error}").into())
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It ends by itself where its input does; one that is stuck is not waited for.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
