//! What continuous integration runs, and the benchmarks: `cargo xtask TASK`.
//!
//! One file per task; `run` starts the commands they are made of.

mod bench;
mod bench_compile;
mod bench_peers;
mod book;
mod check;
mod conformance;
mod examples;
mod run;
mod test;
mod tidy;

use std::env;
use std::process::ExitCode;

use run::Result;

const USAGE: &str = "\
usage: cargo xtask TASK

  check                    everything continuous integration runs, quickest first
  tidy                     rules about the sources that no other tool checks
  test [ARGS]              every test of the workspace, ARGS go to `cargo test`
  book                     build the guide
  conformance [--data FOLDER]
                           public test suites through the library, on a real server; without a
                           folder, that of `ODM_CONFORMANCE_DATA` or `../shared/data`, if it is there
  examples [NAMES]         run the examples, all of them or those named
  bench [OPTIONS] [WORKS]  what the library costs at run time, against the bare driver, in all works
                           or those named: `--quick` for fewer documents and runs, `--runs N`
  bench-peers [OPTIONS]    the works `odm_…` by other mappers too, which are installed in
                           `target/peers`: Mongoose, PyMongo, Beanie, OxiMod; options as for bench
  bench-report             the figures of the last `bench` and `bench-peers` into the guide
  bench-pure [ARGS]        codec and builders alone, by criterion, ARGS go to it
  bench-compile [--runs N] what the derive costs at compile time, against serde alone";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result {
    let Some((task, rest)) = args.split_first() else {
        return Err(format!("no task given\n\n{USAGE}"));
    };
    match (task.as_str(), rest) {
        ("check", []) => check::run(),
        ("tidy", []) => tidy::run(),
        ("test", rest) => test::run(rest),
        ("book", []) => book::run(),
        ("examples", names) => examples::run(names),
        ("bench", rest) => bench::run(rest),
        ("bench-peers", rest) => bench_peers::run(rest),
        ("bench-report", []) => bench::report(),
        ("bench-pure", rest) => bench::pure(rest),
        ("conformance", []) => conformance::run_if_there(),
        ("conformance", rest) => conformance::run(rest),
        ("bench-compile", rest) => bench_compile::run(rest),
        ("help" | "--help" | "-h", _) => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("unknown task `{}`\n\n{USAGE}", args.join(" "))),
    }
}
