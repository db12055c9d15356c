//! Fenced code blocks, in Markdown and in Rust's documentation comments.

/// The words after the fence when a line is one: `rust,no_run` gives two, a closing fence none.
pub(super) fn words(line: &str) -> Option<impl Iterator<Item = &str>> {
    let line = line.trim_start();
    let line = ["///", "//!"]
        .iter()
        .find_map(|comment| line.strip_prefix(comment))
        .unwrap_or(line)
        .trim_start();
    let fence = ["```", "~~~"].iter().find(|fence| line.starts_with(**fence))?;
    let info = line.trim_start_matches(|c| fence.starts_with(c));
    Some(info.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn fences_are_found_behind_comments_and_spaces() {
        let cases: &[(&str, Option<&[&str]>)] = &[
            ("```rust,no_run", Some(&["rust", "no_run"])),
            ("    /// ```rust, should_panic", Some(&["rust", "should_panic"])),
            ("//! ~~~~ text", Some(&["text"])),
            ("```", Some(&[])),
            ("let fence = \"```\";", None),
            ("some `code`", None),
        ];
        for (line, expected) in cases {
            let found = words(line).map(|words| words.collect::<Vec<_>>());
            assert_eq!(found.as_deref(), *expected, "{line}");
        }
    }
}
