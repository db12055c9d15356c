//! What the named positional operators `$[identifier]` of a path stand for.

use bson::Document;

use crate::error::{Error, Result};

/// The conditions of identifiers, each defined once.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArrayFilters(Vec<ArrayFilter>);

#[derive(Debug, Clone, PartialEq)]
struct ArrayFilter {
    identifier: String,
    condition: Document,
}

impl ArrayFilters {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn identifiers(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|filter| filter.identifier.as_str())
    }

    /// Defines one more identifier, or the same again.
    pub(crate) fn define(&mut self, identifier: &str, condition: Document) -> Result<()> {
        check_identifier(identifier)?;
        let filter = ArrayFilter { identifier: identifier.to_owned(), condition };
        match self.0.iter().find(|there| there.identifier == identifier) {
            None => self.0.push(filter),
            Some(there) if *there == filter => {}
            Some(_) => {
                let message = format!(
                    "the array filter `{identifier}` is defined twice, by different conditions: \
                     give one of them another name"
                );
                return Err(Error::invalid(message));
            }
        }
        Ok(())
    }

    pub(crate) fn add(&mut self, other: Self) -> Result<()> {
        other.0.into_iter().try_for_each(|filter| self.define(&filter.identifier, filter.condition))
    }

    /// As the server takes them.
    pub(crate) fn to_documents(&self) -> Vec<Document> {
        self.0.iter().map(|filter| filter.condition.clone()).collect()
    }
}

/// The server's rule: a lower-case letter, then letters and digits.
fn check_identifier(identifier: &str) -> Result<()> {
    let starts_well = identifier.starts_with(|c: char| c.is_ascii_lowercase());
    match starts_well && identifier.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        true => Ok(()),
        false => {
            let message = format!(
                "{identifier:?} cannot name an array filter: a name is a lower-case letter followed \
                 by letters and digits"
            );
            Err(Error::invalid(message))
        }
    }
}
