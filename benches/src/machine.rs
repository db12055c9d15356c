//! What the figures were taken on: nothing that names the machine or where it is.

use std::{env, fs, thread};

use serde_json::{Value, json};

/// Cores, memory, processor, system, server and load. What the system does not tell is left out.
pub(crate) fn describe(server: &str, runs: usize) -> Value {
    let memory = first("/proc/meminfo", "MemTotal:").and_then(|line| {
        let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(format!("{} GiB", (kilobytes + (1 << 19)) >> 20))
    });
    json!({
        "cores": thread::available_parallelism().map_or(0, usize::from),
        "memory": memory,
        "processor": first("/proc/cpuinfo", "model name").map(|line| line.trim_start_matches([' ', '\t', ':']).to_owned()),
        "system": system(),
        "server": format!("MongoDB {server}, a replica set of one member on the same machine"),
        "runs": runs,
        "load": load(),
        "optimised": !cfg!(debug_assertions),
    })
}

/// How many processes wanted to run in the last minute, before the benchmark began.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

fn system() -> String {
    let name = first("/etc/os-release", "PRETTY_NAME=")
        .map_or_else(|| env::consts::OS.to_owned(), |name| name.trim_matches('"').to_owned());
    format!("{name}, {}", env::consts::ARCH)
}

/// The rest of the first line that begins with a word.
fn first(path: &str, word: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    Some(line.trim().to_owned())
}
