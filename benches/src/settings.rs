//! The arguments: how much to measure, how often, and which works.

use std::path::PathBuf;

use crate::Result;

const RUNS: usize = 9;
const QUICK_RUNS: usize = 3;

/// What the arguments say.
#[derive(Debug, PartialEq)]
pub(crate) struct Settings {
    /// Fewer documents and runs.
    pub(crate) quick: bool,
    /// How often each side of a work is measured.
    pub(crate) runs: usize,
    /// The names of the works, or what they begin with; all of them if there are none.
    pub(crate) works: Vec<String>,
    /// The list of the peers to measure in place of the works.
    pub(crate) peers: Option<PathBuf>,
    /// Nothing is measured: what was measured goes into the guide.
    pub(crate) report: bool,
}

impl Settings {
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let (mut quick, mut runs, mut works) = (false, None, Vec::new());
        let (mut peers, mut report) = (None, false);
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => quick = true,
                "--peers" => peers = Some(arguments.next().ok_or("`--peers` takes a list")?.into()),
                "--report" => report = true,
                "--runs" => runs = Some(count(arguments.next())?),
                option if option.starts_with('-') => {
                    return Err(format!(
                        "unknown option `{option}`: bench takes `--quick`, `--runs N` and names of works"
                    )
                    .into());
                }
                _ => works.push(argument),
            }
        }
        let runs = runs.unwrap_or(if quick { QUICK_RUNS } else { RUNS });
        Ok(Self { quick, runs, works, peers, report })
    }

    /// A number of documents or repetitions: one in full, another in a quick run.
    pub(crate) fn sized(&self, full: u32, quick: u32) -> u32 {
        if self.quick { quick } else { full }
    }
}

fn count(argument: Option<String>) -> Result<usize> {
    let count = argument.and_then(|argument| argument.parse().ok()).filter(|count| *count > 0);
    count.ok_or_else(|| "`--runs` takes a number, at least 1".into())
}

#[cfg(test)]
mod tests {
    use super::{RUNS, Settings};
    use crate::Result;

    fn parse(arguments: &[&str]) -> Result<Settings> {
        Settings::parse(arguments.iter().map(|&argument| argument.to_owned()))
    }

    #[test]
    fn options_and_works_may_be_mixed() -> Result {
        let settings = parse(&["scan", "--quick", "decode", "--runs", "7"])?;
        let works = vec!["scan".to_owned(), "decode".to_owned()];
        let (peers, report) = (None, false);
        assert_eq!(settings, Settings { quick: true, runs: 7, works, peers, report });
        let (quick, runs, works, peers) = (false, RUNS, Vec::new(), Some("a.tsv".into()));
        assert_eq!(parse(&["--peers", "a.tsv"])?, Settings { quick, runs, works, peers, report });
        Ok(())
    }

    #[test]
    fn runs_must_be_counted_and_options_known() {
        for wrong in
            [&["--runs"][..], &["--peers"], &["--runs", "0"], &["--runs", "many"], &["--slow"]]
        {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
