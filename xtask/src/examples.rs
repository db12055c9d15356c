//! The examples: each runs against a real server, checks itself, and says so in its last line.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::run::{Result, cargo, root, shown};

pub(crate) fn run(names: &[String]) -> Result {
    let names = if names.is_empty() { &found()? } else { names };
    for name in names {
        let last = last_line(name)?;
        if !reports_success(name, &last) {
            return Err(format!(
                "the example `{name}` must end with the line `{name}: N checks passed`, \
                 it ended with `{last}`"
            ));
        }
    }
    Ok(())
}

/// The names of `examples/*.rs`, sorted; none at all is an error.
fn found() -> Result<Vec<String>> {
    let directory = root().join("examples");
    let unreadable = |error| format!("{} cannot be read: {error}", directory.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "rs")
            && let Some(name) = path.file_stem()
        {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    if names.is_empty() {
        return Err(format!("no example in {}", directory.display()));
    }
    names.sort();
    Ok(names)
}

/// Runs an example, passing its output on, and returns the last line of it.
fn last_line(name: &str) -> Result<String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--example", name]).stdout(Stdio::piped());
    let broken = |error| format!("`cargo run --example {name}` could not be followed: {error}");

    println!("example {name}");
    let mut child = command.spawn().map_err(broken)?;
    let mut last = String::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            last = line.map_err(broken)?;
            println!("{last}");
        }
    }
    let status = child.wait().map_err(broken)?;
    if status.success() { Ok(last) } else { Err(format!("`{}` failed: {status}", shown(&command))) }
}

fn reports_success(name: &str, line: &str) -> bool {
    line.strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(": "))
        .and_then(|rest| rest.strip_suffix(" checks passed"))
        .and_then(|count| count.parse::<u32>().ok())
        .is_some_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::reports_success;

    #[test]
    fn only_a_count_of_passed_checks_is_success() {
        assert!(reports_success("blog", "blog: 12 checks passed"));
        for line in [
            "",
            "blog: 0 checks passed",
            "blog: checks passed",
            "shop: 12 checks passed",
            "blog: 12 checks passed, 1 failed",
        ] {
            assert!(!reports_success("blog", line), "{line}");
        }
    }
}
