//! Every test of the workspace: unit, integration, compile-fail and documentation.

use crate::run::{Result, cargo, succeed};

pub(crate) fn run(args: &[String]) -> Result {
    succeed(cargo().args(["test", "--workspace"]).args(args))
}
