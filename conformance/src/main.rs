//! Runs public test suites through the library: `cargo xtask conformance --data FOLDER`.
//!
//! `matchers` takes queries through the filters to a real server, `corpus` takes documents through
//! the codec. `report` prints each case that failed or does not apply, and a line for each suite.

mod corpus;
mod matchers;
mod report;
mod yaml;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use report::Report;

/// Whatever keeps a suite from being run.
type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const USAGE: &str = "usage: cargo xtask conformance --data FOLDER

FOLDER holds `bson-corpus`, the corpus of the BSON specification in JSON, and `mongoid-matchers`, the
matcher cases of Mongoid in YAML; what is not there is not run.";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether no case failed.
fn run() -> Result<bool> {
    let data = data()?;
    let mut reports: Vec<Report> = Vec::new();
    if let Some(folder) = suite(&data, "bson-corpus") {
        reports.push(corpus::run(&folder)?);
    }
    if let Some(folder) = suite(&data, "mongoid-matchers") {
        reports.push(matchers::run(&folder)?);
    }
    if reports.is_empty() {
        return Err(format!("`{}` holds no suite\n\n{USAGE}", data.display()).into());
    }
    reports.iter().for_each(Report::print_cases);
    reports.iter().for_each(|report| println!("{}", report.summary()));
    Ok(reports.iter().all(Report::is_passed))
}

fn data() -> Result<PathBuf> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--data", folder] => Ok(folder.into()),
        _ => Err(USAGE.into()),
    }
}

fn suite(data: &Path, name: &str) -> Option<PathBuf> {
    Some(data.join(name)).filter(|folder| folder.is_dir())
}

/// The files of a suite with this ending, in the order of their names.
fn files(folder: &Path, ending: &str) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == ending) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, std::fs::read_to_string(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
