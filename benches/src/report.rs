//! What was measured, as a table and as `target/bench/summary.json`; `guide` brings it into the
//! guide.

mod chart;
mod guide;

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
pub(crate) use guide::into_guide;

const SUMMARY: &str = "summary.json";
pub(crate) const PEERS: &str = "peers.json";

/// One work: the median times of both sides.
pub(crate) struct Row {
    pub(crate) work: &'static str,
    /// What one run does, for the reader of the table.
    pub(crate) what: String,
    pub(crate) library: Duration,
    /// Of the driver, or of what takes its place.
    pub(crate) driver: Duration,
}

impl Row {
    /// Above 1 where the library is the faster.
    fn ratio(&self) -> f64 {
        self.driver.as_secs_f64() / self.library.as_secs_f64()
    }

    fn to_json(&self) -> Value {
        json!({
            "work": self.work,
            "what": self.what,
            "library_ms": milliseconds(self.library),
            "driver_ms": milliseconds(self.driver),
            "ratio": self.ratio(),
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (library, driver) = (milliseconds(self.library), milliseconds(self.driver));
        let (work, ratio, what) = (self.work, self.ratio(), &self.what);
        write!(f, "{work:<31} {library:>10.3} {driver:>10.3} {ratio:>6.2}  {what}")
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The works in the order in which they were measured.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub(crate) fn print(&self) {
        println!("{:<31} {:>10} {:>10} {:>6}  one run", "work", "library ms", "driver ms", "ratio");
        for row in &self.rows {
            println!("{row}");
        }
        println!("ratio: driver / library, above 1 the library is the faster");
    }

    /// Replaces the summary of the last benchmark.
    pub(crate) fn write(&self, machine: Value) -> Result {
        let rows: Vec<Value> = self.rows.iter().map(Row::to_json).collect();
        write(SUMMARY, &json!({ "machine": machine, "works": rows }))
    }
}

/// Writes what was measured beside what else was.
pub(crate) fn write(name: &str, measured: &Value) -> Result {
    let directory = root().join("target/bench");
    fs::create_dir_all(&directory)?;
    let path = directory.join(name);
    fs::write(&path, serde_json::to_string_pretty(measured)? + "\n")?;
    println!("written to {}", path.display());
    Ok(())
}

/// The directory of the workspace.
fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}
