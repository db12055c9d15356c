//! Rules for Rust files: their length, their module documentation, and what must not be left in.

use super::{File, Finding};

const MOST_LINES: usize = 500;

/// Files that may be longer, each for a reason given beside it.
const MAY_BE_LONG: &[&str] = &[];

/// In two parts, so that this file does not break its own rule.
const LEFT_OVERS: &[&str] = &[
    concat!("todo", "!"),
    concat!("unimplemented", "!"),
    concat!("dbg", "!"),
    concat!("#[", "ignore"),
];

pub(super) fn check(file: &File) -> Vec<Finding> {
    if !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if is_in(file, "src") && !file.text.starts_with("//!") {
        findings.push(file.finding(1, "no module documentation: start the file with `//!`"));
    }
    for (number, line) in file.lines() {
        for left in LEFT_OVERS.iter().filter(|left| holds(line, left)) {
            findings.push(file.finding(number, format!("`{left}` left in")));
        }
    }
    findings.extend(check_length(file));
    findings
}

fn check_length(file: &File) -> Option<Finding> {
    if is_in(file, "tests") || MAY_BE_LONG.contains(&file.path.as_str()) {
        return None;
    }
    let count = file.text.lines().count();
    (count > MOST_LINES).then(|| {
        let what = format!("{count} lines, over {MOST_LINES}: one file is one concept");
        file.finding(MOST_LINES + 1, what)
    })
}

fn is_in(file: &File, directory: &str) -> bool {
    file.path.split('/').any(|part| part == directory)
}

/// Whether a line holds the word, and not only as the end of a longer one.
fn holds(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line.get(..at).is_some_and(|before| before.ends_with(joins)))
}

#[cfg(test)]
mod tests {
    use super::{LEFT_OVERS, MOST_LINES, check};
    use crate::tidy::tests::file;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&file(path, text)).iter().map(|found| found.line).collect()
    }

    #[test]
    fn sources_start_with_their_documentation() {
        assert_eq!(lines("odm-core/src/a.rs", "use a;\n"), [1]);
        assert_eq!(lines("odm-core/src/a.rs", "//! A.\n"), []);
        assert_eq!(lines("tests/ui/a.rs", "fn main() {}\n"), []);
    }

    #[test]
    fn left_overs_are_found_as_whole_words() {
        for left in LEFT_OVERS {
            assert_eq!(lines("examples/a.rs", &format!("a\n  {left}(1)\n")), [2]);
        }
        assert_eq!(lines("examples/a.rs", concat!("my_", "todo", "!()\n")), []);
    }

    #[test]
    fn long_files_are_found_outside_of_tests() {
        let text = format!("//! A.\n{}", "\n".repeat(MOST_LINES));
        assert_eq!(lines("src/a.rs", &text), [MOST_LINES + 1]);
        assert_eq!(lines("tests/it/a.rs", &text), []);
        assert_eq!(lines("src/a.rs", &text.replacen('\n', "", 1)), []);
    }
}
