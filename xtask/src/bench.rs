//! What the library costs at run time, against the bare driver: the package `odm-bench`, built for
//! release.

use crate::run::{Result, cargo, succeed};

pub(crate) fn run(args: &[String]) -> Result {
    let bench = ["run", "--release", "--package", "odm-bench", "--"];
    succeed(cargo().args(bench).args(args))
}
