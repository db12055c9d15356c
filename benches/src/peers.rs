//! The benchmark's tasks by other mappers: each is a process of its own, told one task a line, that
//! takes its turn with the library and the driver on the same server and collections.
//!
//! `cargo xtask bench-peers` installs them and writes a list, a peer a line: `run` and the words of
//! the command, or `skip`, a name and a reason, parted by tabs. What a peer says comes here, and
//! goes to `target/bench/peers.json`. The programs are in `benches/peers`.

mod process;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
use crate::bench::Bench;
use crate::report;
use crate::work::odm::{Contestant, TASKS};
use process::Process;

/// The peers that run, and those that could not be had.
struct Peers {
    running: Vec<Process>,
    skipped: Vec<(String, String)>,
}

/// Measures every task for the library, the driver and the peers of a list.
///
/// # Errors
/// What a side fails with; a peer that does not start or does something else than the library.
pub(crate) async fn measure(bench: &Bench, list: &Path) -> Result<Value> {
    let data = write_templates(list)?;
    let peers = Peers::start(bench, list, &data)?;
    for (name, reason) in &peers.skipped {
        println!("skipped {name}: {reason}");
    }
    let contestants: Vec<_> = peers.running.iter().map(|peer| peer as &dyn Contestant).collect();

    let mut tasks = Vec::new();
    for task in TASKS {
        let outcome = task.run(bench, &contestants).await?;
        let names = ["library", "driver"].into_iter();
        let names = names.chain(peers.running.iter().map(|peer| peer.name.as_str()));
        let times: Vec<_> = names.zip(&outcome.times).collect();
        print_row(task.name(), &times);
        tasks.push(json!({
            "work": task.name(),
            "what": outcome.what,
            "ms": times.iter().map(|(name, time)| named(name, **time)).collect::<Vec<_>>(),
        }));
    }
    Ok(json!({ "machine": bench.machine, "peers": peers.to_json(), "tasks": tasks }))
}

fn named(name: &str, time: Duration) -> Value {
    json!({ "name": name, "ms": report::milliseconds(time) })
}

fn print_row(work: &str, times: &[(&str, &Duration)]) {
    print!("{work:<27}");
    for (name, time) in times {
        print!("  {name} {:.1}", report::milliseconds(**time));
    }
    println!();
}

impl Peers {
    fn start(bench: &Bench, list: &Path, data: &Path) -> Result<Self> {
        let mut peers = Self { running: Vec::new(), skipped: Vec::new() };
        for line in fs::read_to_string(list)?.lines() {
            let mut words = line.split('\t');
            match (words.next(), words.next()) {
                (Some("run"), Some(program)) => {
                    peers.running.push(Process::start(bench, data, program, words)?);
                }
                (Some("skip"), Some(name)) => {
                    let reason = words.next().unwrap_or_default();
                    peers.skipped.push((name.to_owned(), reason.to_owned()));
                }
                _ => return Err(format!("not a line of a list of peers: {line}").into()),
            }
        }
        Ok(peers)
    }

    fn to_json(&self) -> Value {
        let running =
            self.running.iter().map(|peer| json!({ "name": peer.name, "version": peer.version }));
        let skipped =
            self.skipped.iter().map(|(name, why)| json!({ "name": name, "skipped": why }));
        running.chain(skipped).collect()
    }
}

/// The documents that a peer creates, beside the list.
fn write_templates(list: &Path) -> Result<PathBuf> {
    let data = list.with_file_name("data");
    fs::create_dir_all(&data)?;
    for task in TASKS {
        let (model, document) = task.template()?;
        fs::write(data.join(format!("{model}.json")), serde_json::to_string_pretty(&document)?)?;
    }
    Ok(data)
}
