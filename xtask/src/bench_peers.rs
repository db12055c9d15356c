//! The tasks of the MongoDB ODM Performance Benchmark by other mappers as well: installs them in
//! `target/peers`, and has the package `odm-bench` measure them by turns with the library.
//!
//! A peer that cannot be installed or built is named and left out; the others are measured. This is
//! no part of continuous integration.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, cargo, command, root, shown};

/// Versions that are known to do the tasks: newer ones within them are taken.
const MONGOOSE: &str = "mongoose@^9";
const PYMONGO: &str = "pymongo>=4.11,<5";
const BEANIE: &str = "beanie>=2,<3";
const OXIMOD: &str = "1";

/// How long an installation may take, in seconds.
const PATIENCE: &str = "600";

pub(crate) fn run(args: &[String]) -> Result {
    let directory = root().join("target/peers");
    fs::create_dir_all(&directory).map_err(failed(&directory))?;
    let scripts = root().join("benches/peers");

    let python = install_python(&directory);
    let peers = [
        ("OxiMod", build_oximod(&directory)),
        ("Mongoose", install_mongoose(&directory, &scripts)),
        ("PyMongo", script(&python, &scripts.join("pymongo_tasks.py"))),
        ("Beanie", script(&python, &scripts.join("beanie_tasks.py"))),
    ];
    let mut list = String::new();
    for (name, peer) in peers {
        list += &match peer {
            Ok(words) => format!("run\t{}\n", words.join("\t")),
            Err(reason) => {
                println!("{name} is left out: {reason}");
                format!("skip\t{name}\t{}\n", reason.lines().next().unwrap_or_default())
            }
        };
    }
    let path = directory.join("peers.tsv");
    fs::write(&path, list).map_err(failed(&path))?;

    let bench = ["run", "--release", "--package", "odm-bench", "--", "--peers"];
    crate::run::succeed(cargo().args(bench).arg(path).args(args))
}

/// The words of the command that starts a peer.
type Words = Result<Vec<String>>;

fn install_mongoose(directory: &Path, scripts: &Path) -> Words {
    let packages = made(directory.join("node"))?;
    let install = ["install", "--no-audit", "--no-fund", "--loglevel=error", MONGOOSE];
    within_patience(command("npm").args(install).current_dir(&packages))?;
    let packages = format!("ODM_BENCH_PACKAGES={}", packages.display());
    let script = scripts.join("mongoose.mjs").display().to_string();
    Ok(vec!["env".to_owned(), packages, "node".to_owned(), script])
}

/// A virtual environment with the Python peers: its interpreter.
fn install_python(directory: &Path) -> Result<PathBuf> {
    let environment = directory.join("venv");
    let python = environment.join("bin/python");
    if !python.exists() {
        within_patience(command("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    let install = ["-m", "pip", "install", "--quiet", PYMONGO, BEANIE];
    within_patience(command(&python).args(install))?;
    Ok(python)
}

fn script(python: &Result<PathBuf>, script: &Path) -> Words {
    let python = python.as_ref().map_err(Clone::clone)?;
    Ok(vec![python.display().to_string(), script.display().to_string()])
}

/// A package with a target directory of its own, which is no part of the workspace.
fn build_oximod(directory: &Path) -> Words {
    let package = made(directory.join("rust"))?;
    let manifest = package.join("Cargo.toml");
    let text = format!(
        r#"[package]
name = "odm-bench-peer"
version = "0.0.0"
edition = "2024"
publish = false

[workspace]

[[bin]]
name = "odm-bench-peer"
path = "../../../benches/peers/rust/main.rs"

[dependencies]
mongodb = "3.8"
oximod = "{OXIMOD}"
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
tokio = {{ version = "1", features = ["macros", "rt-multi-thread"] }}
"#
    );
    fs::write(&manifest, text).map_err(failed(&manifest))?;
    let mut build = cargo();
    build.args(["build", "--release", "--quiet"]);
    crate::run::succeed(build.current_dir(&package).env("CARGO_TARGET_DIR", "target"))?;

    let version = format!("ODM_BENCH_OXIMOD={}", locked(&package.join("Cargo.lock"), "oximod")?);
    let program = package.join("target/release/odm-bench-peer").display().to_string();
    Ok(vec!["env".to_owned(), version, program])
}

/// The version that a lock file names for a package.
fn locked(path: &Path, package: &str) -> Result<String> {
    let text = fs::read_to_string(path).map_err(failed(path))?;
    version_in(&text, package).ok_or_else(|| format!("{} has no `{package}`", path.display()))
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next()?.strip_prefix("version = ")?;
    Some(version.trim_matches('"').to_owned())
}

fn made(directory: PathBuf) -> Result<PathBuf> {
    fs::create_dir_all(&directory).map_err(failed(&directory))?;
    Ok(directory)
}

/// Runs an installation, which the network may hold up, to its end or out of patience.
fn within_patience(what: &mut Command) -> Result {
    let mut bounded = command("timeout");
    bounded.arg(PATIENCE).arg(what.get_program()).args(what.get_args());
    if let Some(directory) = what.get_current_dir() {
        bounded.current_dir(directory);
    }
    let output =
        bounded.output().map_err(|error| format!("`{}` did not start: {error}", shown(what)))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            Err(format!("`{}` failed: {}, {last}", shown(what), output.status))
        }
    }
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn the_version_is_that_of_the_package_and_of_no_other() {
        let lock = "[[package]]\nname = \"oximod_core\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"oximod\"\nversion = \"1.0.1\"\n";
        assert_eq!(version_in(lock, "oximod").as_deref(), Some("1.0.1"));
        assert_eq!(version_in(lock, "wither"), None);
    }
}
