//! Rules for every text file: no white space at the end of a line, no code block left unchecked.

use super::{File, Finding, fence};

/// What other programs wrote, and tests compare to the byte.
const RECORDED: &[&str] = &[".stderr", ".snap"];

pub(super) fn check(file: &File) -> Vec<Finding> {
    if RECORDED.iter().any(|suffix| file.path.ends_with(suffix)) {
        return Vec::new();
    }
    let holds_blocks = file.path.ends_with(".rs") || file.path.ends_with(".md");
    let mut findings = Vec::new();
    for (number, line) in file.lines() {
        if line.ends_with(char::is_whitespace) {
            findings.push(file.finding(number, "white space at the end of the line"));
        }
        if holds_blocks && is_ignored_block(line) {
            findings.push(file.finding(
                number,
                "a code block that nothing compiles: use `no_run`, `compile_fail` or `text`",
            ));
        }
    }
    findings
}

fn is_ignored_block(line: &str) -> bool {
    fence::words(line)
        .is_some_and(|mut words| words.any(|word| word == "ignore" || word.starts_with("ignore-")))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tests::file;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&file(path, text)).iter().map(|found| found.line).collect()
    }

    #[test]
    fn white_space_at_the_end_is_found_in_every_written_file() {
        assert_eq!(lines("a.toml", "a = 1\nb = 2 \n\t\n"), [2, 3]);
        assert_eq!(lines("tests/ui/a.stderr", "error \n"), []);
    }

    #[test]
    fn ignored_blocks_are_found_in_comments_and_pages() {
        let ignored = concat!("```", "ignore");
        assert_eq!(lines("a.md", &format!("x\n{ignored}\n```\n")), [2]);
        assert_eq!(lines("a.rs", &format!("/// {ignored}\n/// ```\n")), [1]);
        assert_eq!(lines("a.rs", concat!("//! ```", "rust,ignore-wasm\n")), [1]);
        assert_eq!(lines("a.md", "```rust,no_run\n```\n"), []);
    }
}
