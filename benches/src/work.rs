//! The works, by kind, and which of them were asked for.

mod codec;
mod insert_many;
mod lookup;
pub(crate) mod odm;
mod scan;
mod single;

use futures::future::LocalBoxFuture;

use crate::Result;
use crate::bench::Bench;
use crate::report::Row;

/// One work, or several that are measured together.
pub(crate) struct Work {
    names: &'static [&'static str],
    pub(crate) run: for<'a> fn(&'a Bench) -> LocalBoxFuture<'a, Result<Vec<Row>>>,
}

const KINDS: &[&[Work]] =
    &[scan::WORKS, single::WORKS, insert_many::WORKS, codec::WORKS, lookup::WORKS, odm::WORKS];

fn all() -> impl Iterator<Item = &'static Work> {
    KINDS.iter().copied().flatten()
}

/// The works to measure, by their names.
#[derive(Debug)]
pub(crate) struct Selection(Vec<&'static str>);

impl Selection {
    pub(crate) fn holds(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    pub(crate) fn works(&self) -> impl Iterator<Item = &'static Work> {
        all().filter(|work| work.names.iter().any(|name| self.holds(name)))
    }
}

/// The works of these names; a word that is no name selects those that begin with it, as `lookup`
/// does. No words select all.
pub(crate) fn select(words: &[String]) -> Result<Selection> {
    let names: Vec<_> = all().flat_map(|work| work.names).copied().collect();
    if words.is_empty() {
        return Ok(Selection(names));
    }
    let mut selected = Vec::new();
    for word in words {
        let found = match names.iter().find(|name| *name == word) {
            Some(&name) => vec![name],
            None => names.iter().filter(|name| begins_with(name, word)).copied().collect(),
        };
        if found.is_empty() {
            return Err(format!("no work `{word}`; there are {}", names.join(", ")).into());
        }
        selected.extend(found);
    }
    Ok(Selection(selected))
}

fn begins_with(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| rest.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::{all, select};
    use crate::Result;

    fn selected(words: &[&str]) -> Result<Vec<&'static str>> {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        Ok(select(&words)?.0)
    }

    #[test]
    fn a_name_selects_one_work_and_its_beginning_several() -> Result {
        assert_eq!(selected(&["scan"])?, ["scan"]);
        assert_eq!(selected(&["decode", "insert"])?, ["decode", "insert_one", "insert_many"]);
        assert_eq!(selected(&[])?.len(), all().flat_map(|work| work.names).count());
        for wrong in ["sca", "scan_", ""] {
            assert!(selected(&[wrong]).is_err(), "{wrong}");
        }
        Ok(())
    }
}
