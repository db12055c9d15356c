//! Everything continuous integration runs, in its order, stopping at the first failure.

use std::time::Instant;

use crate::run::{Result, cargo, succeed};
use crate::{book, conformance, examples, test, tidy};

type Step = (&'static str, fn() -> Result);

/// The quickest first.
const STEPS: &[Step] = &[
    ("format", format),
    ("tidy", tidy::run),
    ("clippy", clippy),
    ("test", || test::run(&[])),
    ("conformance", conformance::run_if_there),
    ("rustdoc", rustdoc),
    ("book", book::run),
    ("examples", || examples::run(&[])),
];

pub(crate) fn run() -> Result {
    let mut durations = Vec::new();
    for (name, step) in STEPS {
        println!("==> {name}");
        let start = Instant::now();
        step().map_err(|error| format!("check failed at the step `{name}`: {error}"))?;
        durations.push(format!("{name} {:.1} s", start.elapsed().as_secs_f64()));
    }
    println!("check passed: {}", durations.join(", "));
    Ok(())
}

fn format() -> Result {
    succeed(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Result {
    succeed(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn rustdoc() -> Result {
    succeed(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}
