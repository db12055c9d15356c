//! What the library costs at run time, against the bare driver: the package `odm-bench`, built for
//! release.

use crate::run::{Result, cargo, succeed};

pub(crate) fn run(args: &[String]) -> Result {
    let bench = ["run", "--release", "--package", "odm-bench", "--"];
    succeed(cargo().args(bench).args(args))
}

/// Brings the figures of the last benchmarks into the guide.
pub(crate) fn report() -> Result {
    run(&["--report".to_owned()])
}

/// The parts that need no server, by criterion.
pub(crate) fn pure(args: &[String]) -> Result {
    let bench = ["bench", "--package", "odm-bench", "--features", "criterion", "--bench", "pure"];
    succeed(cargo().args(bench).arg("--").args(args))
}
