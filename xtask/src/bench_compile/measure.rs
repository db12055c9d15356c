//! One compilation of one crate, timed by the wall clock of its cargo process.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::generate::{self, Twin};
use crate::run::{Result, cargo, shown, succeed};

/// Where the crates are, and how often they were changed.
pub(super) struct Bench {
    directory: PathBuf,
    changes: usize,
}

impl Bench {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory, changes: 0 }
    }

    /// Compiles a crate together with its dependencies.
    pub(super) fn warm_up(&self, twin: Twin, verb: &str) -> Result {
        succeed(&mut self.cargo(twin, verb))
    }

    /// Changes a crate and compiles it alone.
    pub(super) fn time(&mut self, twin: Twin, verb: &str) -> Result<Duration> {
        self.change(twin)?;
        let mut command = self.cargo(twin, verb);
        let start = Instant::now();
        let output = command
            .output()
            .map_err(|error| format!("`{}` did not start: {error}", shown(&command)))?;
        let elapsed = start.elapsed();

        let messages = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("`{}` failed:\n{messages}", shown(&command)));
        }
        match compiled(&messages) {
            1 => Ok(elapsed),
            count => Err(format!(
                "{count} crates were compiled instead of {} alone, was a source changed?\n{messages}",
                twin.name()
            )),
        }
    }

    fn change(&mut self, twin: Twin) -> Result {
        self.changes += 1;
        let library = self.directory.join(twin.name()).join("src/lib.rs");
        generate::write_file(&library, &generate::library(self.changes))
    }

    fn cargo(&self, twin: Twin, verb: &str) -> Command {
        let mut command = cargo();
        command
            .arg(verb)
            .current_dir(self.directory.join(twin.name()))
            .env("CARGO_TARGET_DIR", self.directory.join("target"))
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_TERM_COLOR", "never")
            .env("CARGO_TERM_QUIET", "false");
        command
    }
}

/// How many crates cargo says it compiled.
fn compiled(messages: &str) -> usize {
    messages
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with("Checking ") || line.starts_with("Compiling "))
        .count()
}
