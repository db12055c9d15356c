//! The changes in a list.
//!
//! The server takes one operator for a list in one update, so a list is changed in one way: elements
//! are appended, or some are changed where they are, or some are taken away; whatever is more than
//! one of these sets the list whole.

use bson::{Bson, doc};

use super::document::{Values, join};
use super::guard::{Expected, Guard, Within, inner};
use super::key::{Key, Positions, key_name, positions};
use super::merge::{self, begins_with};
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
        let key = key_name(field, fields);
        let is_known = match key {
            Some(key) => self.keyed(path, states, key, fields, field)?,
            None if !resemble(stored, before) => false,
            None if after.len() == before.len() => {
                let states = stored.iter().zip(before).zip(after).enumerate();
                for (at, ((stored, before), after)) in states {
                    let values = Values { stored: Some(stored), before: Some(before), after };
                    self.value(&join(path, &at.to_string()), values, fields, None)?;
                }
                true
            }
            None => self.appended(path, before, after, field),
        };
        if !is_known {
            if key.is_some() {
                self.expect(path, Expected::Same(stored.to_vec()));
            }
            self.set.insert(path, merge::array(states, fields, field));
        }
        Ok(())
    }

    fn appended(
        &mut self,
        path: &str,
        before: &[Bson],
        after: &[Bson],
        field: Option<&Field>,
    ) -> bool {
        match after.get(before.len()..) {
            Some(tail) if begins_with(after, before) => {
                if let Some(max) = field.and_then(|field| field.max) {
                    self.expect(path, Expected::Room { more: tail.len(), max });
                }
                self.push.insert(path, doc! { "$each": tail.to_vec() });
                true
            }
            _ => false,
        }
    }

    /// Changes elements by their keys, wherever they are by then. Nothing, and `false`, where that
    /// takes more than one operator.
    fn keyed(
        &mut self,
        path: &str,
        states: [&[Bson]; 3],
        name: &'static str,
        fields: Fields,
        field: Option<&Field>,
    ) -> Result<bool> {
        let [stored, before, after] = states;
        let Some(keys) = Keys::of(name, states) else { return Ok(false) };
        let mut kept = before.iter().filter(|element| keys.is_in(&keys.after, element));
        let is_in_order = after.iter().zip(&mut kept).all(|(a, b)| keys.is_same(a, b));
        let kept = before.iter().filter(|element| keys.is_in(&keys.after, element)).count();
        let (gone, added) = (before.len() - kept, after.len() - kept);
        if !is_in_order || (gone > 0 && added > 0) {
            return Ok(false);
        }
        let changed = after.iter().take(kept).filter_map(|after| {
            let key = Key::of(after, name)?;
            let at = |positions: &Positions<'_>| positions.get(&key).copied();
            let before = before.get(at(&keys.before)?)?;
            let stored = stored.get(at(&keys.stored)?)?;
            let values = Values { stored: Some(stored), before: Some(before), after };
            (!same(before, after)).then_some(values)
        });
        let changed: Vec<_> = changed.take(MOST_FILTERS + 1).collect();
        let values = |elements: &mut dyn Iterator<Item = &Bson>| {
            elements.filter_map(|element| element.as_document()?.get(name).cloned()).collect()
        };
        match (changed.is_empty(), gone, added) {
            (true, 0, _) => {
                let new: Vec<Bson> = values(&mut after.iter().skip(kept));
                self.expect(path, Expected::Lacks(name, new));
                Ok(self.appended(path, before, after, field))
            }
            (true, _, 0) => {
                let gone = before.iter().filter(|element| !keys.is_in(&keys.after, element));
                let gone: Vec<Bson> = values(&mut { gone });
                self.pull.insert(path, doc! { name: { "$in": gone } });
                Ok(true)
            }
            (false, 0, 0) if changed.len() <= MOST_FILTERS => {
                let all = values(&mut changed.iter().map(|values| values.after));
                self.expect(path, Expected::Has(name, all));
                changed
                    .into_iter()
                    .try_for_each(|values| self.element(path, values, name, fields))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Changes one element by its key.
    fn element(
        &mut self,
        path: &str,
        values: Values<'_>,
        name: &'static str,
        fields: Fields,
    ) -> Result<()> {
        let key = values.after.as_document().and_then(|element| element.get(name));
        let key = key.cloned().unwrap_or(Bson::Null);
        let identifier = format!("e{}", self.filters.identifiers().count());
        let condition = doc! { format!("{identifier}.{name}"): { "$eq": key.clone() } };
        self.filters.define(&identifier, condition)?;
        self.within.push(Within { list: inner(path).to_owned(), name, key });
        self.value(&join(path, &format!("$[{identifier}]")), values, fields, None)?;
        self.within.pop();
        Ok(())
    }

    fn expect(&mut self, path: &str, expected: Expected) {
        self.guards.push(Guard::new(&self.within, path, expected));
    }
}

/// The keys of a list's elements.
struct Keys<'a> {
    name: &'static str,
    stored: Positions<'a>,
    before: Positions<'a>,
    after: Positions<'a>,
}

impl<'a> Keys<'a> {
    /// `None` where they do not tell the elements apart, or an element is not stored any more.
    fn of(name: &'static str, [stored, before, after]: [&'a [Bson]; 3]) -> Option<Self> {
        let keys = Self {
            name,
            stored: positions(stored, name)?,
            before: positions(before, name)?,
            after: positions(after, name)?,
        };
        keys.before.keys().all(|key| keys.stored.contains_key(key)).then_some(keys)
    }

    fn is_in(&self, positions: &Positions<'_>, element: &Bson) -> bool {
        Key::of(element, self.name).is_some_and(|key| positions.contains_key(&key))
    }

    fn is_same(&self, a: &Bson, b: &Bson) -> bool {
        Key::of(a, self.name) == Key::of(b, self.name)
    }
}
