//! The changes in a list.
//!
//! The server takes one operator for a list in one update, so a list is changed in one way: elements
//! are appended, or some are changed where they are, or some are taken away; whatever is more than
//! one of these sets the list whole.

use bson::{Bson, Document, doc};

use super::document::{Values, join};
use super::merge::{self, begins_with, key_name};
use super::same::resemble;
use super::{Fields, Operators, same};
use crate::error::Result;
use crate::model::Field;

/// How many elements are changed by filters of their own, before the list is set whole.
const MOST_FILTERS: usize = 64;

impl Operators {
    pub(super) fn array(
        &mut self,
        path: &str,
        states: [&[Bson]; 3],
        fields: Fields,
        field: Option<&'static Field>,
    ) -> Result<()> {
        let [stored, before, after] = states;
        let keys = key_name(field, fields).and_then(|key| Keys::of(key, states));
        let is_known = match keys {
            Some(keys) => self.by_key(path, states, &keys, fields)?,
            None if !resemble(stored, before) => false,
            None if after.len() == before.len() => {
                let states = stored.iter().zip(before).zip(after).enumerate();
                for (at, ((stored, before), after)) in states {
                    let values = Values { stored: Some(stored), before: Some(before), after };
                    self.value(&join(path, &at.to_string()), values, fields, None)?;
                }
                true
            }
            None => self.appended(path, before, after),
        };
        if !is_known {
            self.set.insert(path, merge::array(states, fields, field));
        }
        Ok(())
    }

    fn appended(&mut self, path: &str, before: &[Bson], after: &[Bson]) -> bool {
        match after.get(before.len()..) {
            Some(tail) if begins_with(after, before) => {
                self.push.insert(path, doc! { "$each": tail.to_vec() });
                true
            }
            _ => false,
        }
    }

    /// Changes elements by their keys, wherever they are by then.
    fn by_key(
        &mut self,
        path: &str,
        [stored, before, after]: [&[Bson]; 3],
        keys: &Keys<'_>,
        fields: Fields,
    ) -> Result<bool> {
        let kept: Vec<_> = keys.before.iter().filter(|key| has(&keys.after, key)).collect();
        let is_in_order = keys.after.iter().zip(&kept).all(|(after, kept)| same(after, kept));
        let (gone, added) = (keys.before.len() - kept.len(), keys.after.len() - kept.len());
        if !is_in_order || (gone > 0 && added > 0) {
            return Ok(false);
        }
        let of = |list: &'_ [&Bson], key: &Bson| list.iter().position(|other| same(other, key));
        let mut changed = Vec::new();
        for (key, after) in keys.after.iter().zip(after).take(kept.len()) {
            let before = of(&keys.before, key).and_then(|at| before.get(at));
            let stored = of(&keys.stored, key).and_then(|at| stored.get(at));
            if let (Some(before), Some(stored)) = (before, stored)
                && !same(before, after)
            {
                changed.push((*key, Values { stored: Some(stored), before: Some(before), after }));
            }
        }
        match (changed.is_empty(), gone, added) {
            (true, 0, _) => Ok(self.appended(path, before, after)),
            (true, _, 0) => {
                let gone = keys.before.iter().filter(|key| !has(&keys.after, key));
                let gone: Vec<Bson> = gone.map(|key| (*key).clone()).collect();
                self.pull.insert(path, doc! { keys.name: { "$in": gone } });
                Ok(true)
            }
            (false, 0, 0) if changed.len() <= MOST_FILTERS => {
                let (at, mut all) = (plain(path), Vec::new());
                for (key, values) in changed {
                    let identifier = format!("e{}", self.filters.identifiers().count());
                    let condition = doc! { format!("{identifier}.{}", keys.name): key.clone() };
                    self.filters.define(&identifier, condition)?;
                    self.value(&join(path, &format!("$[{identifier}]")), values, fields, None)?;
                    all.push(key.clone());
                }
                self.elements.push(doc! { join(&at, keys.name): { "$all": all } });
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// The keys of a list's elements.
struct Keys<'a> {
    name: &'static str,
    stored: Vec<&'a Bson>,
    before: Vec<&'a Bson>,
    after: Vec<&'a Bson>,
}

impl<'a> Keys<'a> {
    /// `None` where they do not tell the elements apart, or an element is not stored any more.
    fn of(name: &'static str, [stored, before, after]: [&'a [Bson]; 3]) -> Option<Self> {
        let keys = |list: &'a [Bson]| {
            let mut keys: Vec<&Bson> = Vec::with_capacity(list.len());
            for element in list {
                let key = element.as_document()?.get(name).filter(|key| is_exact(key))?;
                if has(&keys, key) {
                    return None;
                }
                keys.push(key);
            }
            Some(keys)
        };
        let keys = Self { name, stored: keys(stored)?, before: keys(before)?, after: keys(after)? };
        keys.before.iter().all(|key| has(&keys.stored, key)).then_some(keys)
    }
}

fn has(keys: &[&Bson], key: &Bson) -> bool {
    keys.iter().any(|other| same(other, key))
}

/// Whether a condition of equality finds just this value.
fn is_exact(key: &Bson) -> bool {
    matches!(
        key,
        Bson::String(_)
            | Bson::ObjectId(_)
            | Bson::Int32(_)
            | Bson::Int64(_)
            | Bson::Binary(_)
            | Bson::DateTime(_)
    )
}

/// The path as a filter has it, without array filters.
fn plain(path: &str) -> String {
    let segments: Vec<_> = path.split('.').filter(|segment| !segment.starts_with('$')).collect();
    segments.join(".")
}

/// Whether each condition on elements holds in a stored document.
pub(crate) fn holds(document: &Document, condition: &Document) -> bool {
    let keys = |path: &str| {
        let mut found = vec![Bson::Document(document.clone())];
        for segment in path.split('.') {
            let below = found.into_iter().flat_map(|value| match value {
                Bson::Array(list) => list,
                value => vec![value],
            });
            found = below
                .filter_map(|value| value.as_document().and_then(|d| d.get(segment)).cloned())
                .collect();
        }
        found
    };
    condition.iter().all(|(path, wanted)| {
        let wanted = wanted.as_document().and_then(|all| all.get_array("$all").ok());
        let found = keys(path);
        wanted.is_some_and(|all| all.iter().all(|key| found.iter().any(|it| same(it, key))))
    })
}
