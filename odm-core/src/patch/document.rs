//! The changes in the fields of a document.

use bson::{Bson, Document};

use super::{Fields, Operators, States, merge, same};
use crate::error::Result;
use crate::model::Field;

/// A value in its three states. Only what is changed has one now.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) stored: Option<&'a Bson>,
    pub(super) before: Option<&'a Bson>,
    pub(super) after: &'a Bson,
}

impl Operators {
    /// Adds the changes of a document's fields. Nothing, and `false`, where one of them has a name
    /// that no path takes.
    pub(super) fn document(
        &mut self,
        path: &str,
        states: States<'_>,
        fields: Fields,
    ) -> Result<bool> {
        let States { stored, before, after } = states;
        let changed = || changed(before, after);
        let removed = || before.keys().filter(|name| !after.contains_key(*name));
        if !changed().map(|(name, _)| name).chain(removed()).all(|name| is_plain(name)) {
            return Ok(false);
        }
        for (name, value) in changed() {
            let field = fields.field(name);
            self.unset_aliases(path, stored, field);
            let values =
                Values { stored: stored.get(name), before: before.get(name), after: value };
            self.value(&join(path, name), values, fields.of(name), field)?;
        }
        for name in removed() {
            self.unset_aliases(path, stored, fields.field(name));
            if stored.contains_key(name) {
                self.unset.insert(join(path, name), true);
            }
        }
        Ok(true)
    }

    /// Adds the change of one value, if it has changed.
    pub(super) fn value(
        &mut self,
        path: &str,
        values: Values<'_>,
        fields: Fields,
        field: Option<&'static Field>,
    ) -> Result<()> {
        let Values { stored, before, after } = values;
        if before.is_some_and(|before| same(before, after)) {
            return Ok(());
        }
        match (stored, before, after) {
            (Some(Bson::Document(stored)), Some(Bson::Document(before)), Bson::Document(after)) => {
                let states = States { stored, before, after };
                if !self.document(path, states, fields)? {
                    self.set.insert(path, merge::document(states, fields));
                }
            }
            (Some(Bson::Array(stored)), Some(Bson::Array(before)), Bson::Array(after)) => {
                self.array(path, [stored, before, after], fields, field)?;
            }
            _ => drop(self.set.insert(path, after.clone())),
        }
        Ok(())
    }

    /// What was stored under another name goes when its field is written: it would be read twice.
    fn unset_aliases(&mut self, path: &str, stored: &Document, field: Option<&Field>) {
        for alias in super::merge::aliases(field).filter(|alias| stored.contains_key(alias)) {
            self.unset.insert(join(path, alias), true);
        }
    }
}

/// The fields whose values differ, or are new.
pub(super) fn changed<'a>(
    before: &'a Document,
    after: &'a Document,
) -> impl Iterator<Item = (&'a String, &'a Bson)> {
    after.iter().filter(|(name, value)| !before.get(*name).is_some_and(|old| same(old, value)))
}

/// Whether a name can stand in the path of an update.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains('.') && !name.starts_with('$')
}

pub(super) fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}
