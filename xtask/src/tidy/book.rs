//! Rules for the guide: the summary lists every page and no other, and its Rust is compiled.

use std::collections::BTreeSet;

use super::{File, Finding, fence};

const PAGES: &str = "book/src/";
const SUMMARY: &str = "book/src/SUMMARY.md";
const FACADE: &str = "src/lib.rs";

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let Some(summary) = files.iter().find(|file| file.path == SUMMARY) else {
        return vec![Finding {
            path: SUMMARY.to_owned(),
            line: 1,
            what: "the book has no summary".to_owned(),
        }];
    };
    let facade =
        files.iter().find(|file| file.path == FACADE).map_or("", |file| file.text.as_str());
    let pages: Vec<(&str, &File)> = files.iter().filter_map(page).collect();

    let mut findings = check_summary(summary, &pages);
    for (name, page) in pages {
        findings.extend(check_compiled(name, page, facade));
    }
    findings
}

/// A page of the book and its name in the summary.
fn page(file: &File) -> Option<(&str, &File)> {
    let name = file.path.strip_prefix(PAGES)?;
    (name.ends_with(".md") && file.path != SUMMARY).then_some((name, file))
}

fn check_summary(summary: &File, pages: &[(&str, &File)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut listed = BTreeSet::new();
    for (number, line) in summary.lines() {
        for name in links(line) {
            listed.insert(name);
            if !pages.iter().any(|(page, _)| *page == name) {
                findings.push(summary.finding(number, format!("no page `{name}`")));
            }
        }
    }
    for (name, page) in pages {
        if !listed.contains(name) {
            findings.push(page.finding(1, "not in SUMMARY.md"));
        }
    }
    findings
}

/// The pages a line of the summary links to; a draft links to none.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|target| target.trim_start_matches("./"))
        .filter(|target| !target.is_empty())
}

fn check_compiled(name: &str, page: &File, facade: &str) -> Option<Finding> {
    let (number, _) = page.lines().find(|(_, line)| {
        fence::words(line).is_some_and(|mut words| words.next() == Some("rust"))
    })?;
    let include = format!("#[doc = include_str!(\"../{PAGES}{name}\")]");
    (!facade.contains(&include)).then(|| {
        let what = format!("Rust that no test compiles: {FACADE} lacks `{include}`");
        page.finding(number, what)
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tests::file;

    #[test]
    fn summary_pages_and_facade_must_agree() {
        let files = [
            file("book/src/SUMMARY.md", "# Summary\n\n- [A](a.md)\n- [B](./b.md)\n- [C]()\n"),
            file("book/src/a.md", "# A\n\n```rust\n```\n"),
            file("book/src/in/d.md", "# D\n\n```text\n```\n"),
            file("src/lib.rs", "//! Facade.\n"),
        ];
        let found: Vec<_> = check(&files).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "book/src/SUMMARY.md:4: no page `b.md`",
                "book/src/in/d.md:1: not in SUMMARY.md",
                "book/src/a.md:3: Rust that no test compiles: src/lib.rs lacks \
                 `#[doc = include_str!(\"../book/src/a.md\")]`",
            ]
        );
    }

    #[test]
    fn a_complete_book_has_no_findings() {
        let files = [
            file("book/src/SUMMARY.md", "- [A](a.md)\n"),
            file("book/src/a.md", "```rust,no_run\n```\n"),
            file("src/lib.rs", "#[doc = include_str!(\"../book/src/a.md\")]\n"),
        ];
        assert_eq!(check(&files), []);
    }
}
