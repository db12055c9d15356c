//! Public test suites through the library: the package `odm-conformance`.

use std::env;
use std::path::PathBuf;

use crate::run::{Result, cargo, root, succeed};

/// Where the suites are, if they are anywhere: `ODM_CONFORMANCE_DATA`, or beside the project.
fn data() -> Option<PathBuf> {
    let named = env::var_os("ODM_CONFORMANCE_DATA").map(PathBuf::from);
    named.or_else(|| Some(root().join("../shared/data")).filter(|folder| folder.is_dir()))
}

/// With the arguments given, such as `--data FOLDER`.
pub(crate) fn run(args: &[String]) -> Result {
    let conformance = ["run", "--package", "odm-conformance", "--"];
    succeed(cargo().args(conformance).args(args))
}

/// Where there is a folder of suites; says so where there is none.
pub(crate) fn run_if_there() -> Result {
    match data() {
        Some(folder) => run(&["--data".to_owned(), folder.display().to_string()]),
        None => {
            println!("not run: no folder of test suites; `ODM_CONFORMANCE_DATA` names one");
            Ok(())
        }
    }
}
