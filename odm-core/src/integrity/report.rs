//! What a verification found.

use std::fmt;

use bson::Bson;

/// What is wrong with a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Drift {
    /// It leads to no document.
    Dangling,
    /// It leads to a document that does not refer back, though the relation is two-way.
    OneSided,
}

/// How many references of one field are wrong in one way.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// The model whose documents hold the references.
    pub model: &'static str,
    /// The path of the references in stored names; `$*` stands for the keys of a map.
    pub path: String,
    /// The model that they lead to.
    pub target: &'static str,
    /// What was looked for.
    pub drift: Drift,
    /// How many references are wrong.
    pub count: u64,
    /// The `_id`s of some documents that hold them: the first five.
    pub examples: Vec<Bson>,
}

/// What was not looked at, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unchecked {
    /// The model.
    pub model: &'static str,
    /// The path, or none for whole documents.
    pub path: Option<String>,
    /// How many documents, where they were counted.
    pub documents: u64,
    /// Why.
    pub reason: &'static str,
}

/// What [`Database::verify`](crate::Database::verify) found: a [`Check`] for each field that holds
/// references, those without any drift among them.
///
/// Printing it shows what is wrong, and one example of each.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use = "a report is there to be looked at"]
pub struct Report {
    pub(super) checks: Vec<Check>,
    pub(super) unchecked: Vec<Unchecked>,
}

impl Report {
    /// Whether nothing that was looked at is wrong. See also [`unchecked`](Report::unchecked).
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings().next().is_none()
    }

    /// The checks that found something.
    pub fn findings(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.count > 0)
    }

    /// Every check, in the order of the models and their fields.
    #[must_use]
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// What was not looked at: documents of another schema version, whose fields are not those of
    /// the model, and fields that no path leads to.
    #[must_use]
    pub fn unchecked(&self) -> &[Unchecked] {
        &self.unchecked
    }
}

impl<'a> IntoIterator for &'a Report {
    type Item = &'a Check;
    type IntoIter = std::slice::Iter<'a, Check>;

    fn into_iter(self) -> Self::IntoIter {
        self.checks.iter()
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dangling => "dangling",
            Self::OneSided => "one-sided",
        })
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, path, target, drift, count, examples } = self;
        let references = if *count == 1 { "reference" } else { "references" };
        write!(f, "{model}.{path}: {count} {drift} {references} to {target}")?;
        match examples.first() {
            Some(example) => write!(f, ", as in {example}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}.{path}: not checked: {}", self.model, self.reason),
            None => {
                let Self { model, documents, reason, .. } = self;
                write!(f, "{model}: {} not checked: {reason}", of_documents(*documents))
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.findings().try_for_each(|check| writeln!(f, "{check}"))?;
        self.unchecked.iter().try_for_each(|unchecked| writeln!(f, "{unchecked}"))?;
        match self.is_ok() {
            true => writeln!(f, "checks made: {}, nothing found", self.checks.len()),
            false => writeln!(f, "checks made: {}", self.checks.len()),
        }
    }
}

pub(super) fn of_documents(count: u64) -> String {
    match count {
        1 => "1 document".to_owned(),
        _ => format!("{count} documents"),
    }
}
