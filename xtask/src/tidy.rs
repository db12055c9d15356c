//! Rules about the files of the project that no other tool checks.
//!
//! Every rule takes a file (or the list of files) and reports findings; all of them are shown.

mod book;
mod fence;
mod source;
mod text;

use std::fmt;
use std::fs;

use crate::run::{Result, command, root};

/// A text file, its path relative to the root and with forward slashes.
struct File {
    path: String,
    text: String,
}

impl File {
    /// The lines, counted from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, what: what.into() }
    }
}

/// What breaks a rule, and where.
#[derive(Debug, PartialEq)]
struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

pub(crate) fn run() -> Result {
    let files = files()?;
    let mut findings = Vec::new();
    for file in &files {
        findings.extend(text::check(file));
        findings.extend(source::check(file));
    }
    findings.extend(book::check(&files));

    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err("tidy: 1 finding".to_owned()),
        count => Err(format!("tidy: {count} findings")),
    }
}

/// The text files that git tracks, or would track once added.
fn files() -> Result<Vec<File>> {
    let mut git = command("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().map_err(|error| format!("`git ls-files` did not start: {error}"))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`git ls-files` failed: {}", reason.trim()));
    }

    let mut files = Vec::new();
    for path in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
        // A file may be listed and gone, or hold no text: neither is for these rules.
        if let Ok(text) = fs::read_to_string(root().join(path)) {
            let path = path.to_owned();
            files.push(File { path, text });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::File;

    pub(super) fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }
}
