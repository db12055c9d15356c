//! The guide, built by mdBook.

use std::io::ErrorKind;

use crate::run::{Result, command, succeed};

const INSTALL: &str = "install it with `cargo install mdbook --locked --version '^0.5'`";

pub(crate) fn run() -> Result {
    check_version(&installed()?)?;
    succeed(command("mdbook").args(["build", "book"]))
}

fn installed() -> Result<String> {
    match command("mdbook").arg("--version").output() {
        Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(format!("mdbook is not installed; {INSTALL}"))
        }
        Err(error) => Err(format!("`mdbook --version` did not start: {error}")),
    }
}

fn check_version(version: &str) -> Result {
    if version.starts_with("mdbook v0.5.") {
        Ok(())
    } else {
        Err(format!("the book needs mdBook 0.5, found `{version}`; {INSTALL}"))
    }
}
