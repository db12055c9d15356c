//! The change in memory: the stored document, with what differs put in.

use bson::{Bson, Document};

use super::document::changed;
use super::key::{Key, key_name, positions};
use super::same::same_elements;
use super::{Fields, States, same};
use crate::model::{Field, Model};

/// The stored document as the patch leaves it.
pub(crate) fn merge(states: States<'_>, model: &Model) -> Document {
    document(states, Fields::Of(model.shape))
}

pub(super) fn document(states: States<'_>, fields: Fields) -> Document {
    let States { stored, before, after } = states;
    let mut merged = stored.clone();
    for (name, new) in changed(before, after) {
        let (field, old) = (fields.field(name), stored.get(name));
        aliases(field).for_each(|alias| drop(merged.remove(alias)));
        let new = match (old, before.get(name)) {
            (Some(old), Some(before)) => value([old, before, new], fields.of(name), field),
            _ => new.clone(),
        };
        merged.insert(name, new);
    }
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        aliases(fields.field(name)).for_each(|alias| drop(merged.remove(alias)));
        merged.remove(name);
    }
    merged
}

/// The other names that a field is read from.
pub(super) fn aliases(field: Option<&Field>) -> impl Iterator<Item = &'static str> {
    field.map(|field| field.aliases).unwrap_or_default().iter().copied()
}

fn value([stored, before, after]: [&Bson; 3], fields: Fields, field: Option<&Field>) -> Bson {
    match (stored, before, after) {
        (_, before, after) if same(before, after) => stored.clone(),
        (Bson::Document(stored), Bson::Document(before), Bson::Document(after)) => {
            document(States { stored, before, after }, fields).into()
        }
        (Bson::Array(stored), Bson::Array(before), Bson::Array(after)) => {
            Bson::Array(array([stored, before, after], fields, field))
        }
        (_, _, after) => after.clone(),
    }
}

/// The elements now, each with what no struct knows of it, as far as it is clear which stored
/// element it is: by its key, by being unchanged, or by its position where none came or went.
pub(super) fn array(states: [&[Bson]; 3], fields: Fields, field: Option<&Field>) -> Vec<Bson> {
    let [stored, before, after] = states;
    let by_key = key_name(field, fields).and_then(|key| keyed(states, key, fields));
    match by_key {
        Some(merged) => merged,
        None if stored.len() != before.len() => after.to_vec(),
        None => unkeyed(states, fields),
    }
}

/// `None` where the keys do not tell the elements apart.
fn keyed([stored, before, after]: [&[Bson]; 3], key: &str, fields: Fields) -> Option<Vec<Bson>> {
    let (stored_at, before_at) = (positions(stored, key)?, positions(before, key)?);
    let merged = after.iter().map(|element| {
        let key = Key::of(element, key);
        let stored = key.and_then(|key| stored.get(*stored_at.get(&key)?));
        let before = key.and_then(|key| before.get(*before_at.get(&key)?));
        match (stored, before) {
            (Some(stored), Some(before)) => value([stored, before, element], fields, None),
            _ => element.clone(),
        }
    });
    Some(merged.collect())
}

fn unkeyed([stored, before, after]: [&[Bson]; 3], fields: Fields) -> Vec<Bson> {
    let mut taken = vec![false; before.len()];
    let origins = after.iter().map(|element| {
        let mut candidates = before.iter().zip(&mut taken).enumerate();
        let (at, (_, taken)) =
            candidates.find(|(_, (before, taken))| !**taken && same(before, element))?;
        *taken = true;
        Some(at)
    });
    let origins: Vec<Option<usize>> = origins.collect();
    let by_position = before.len() == after.len();
    let new = after.iter().zip(origins).enumerate().map(|(at, (element, origin))| {
        let is_free = by_position && taken.get(at).is_some_and(|taken| !taken);
        let origin = origin.or(is_free.then_some(at));
        match origin.and_then(|at| stored.get(at).zip(before.get(at))) {
            Some((stored, before)) => value([stored, before, element], fields, None),
            None => element.clone(),
        }
    });
    new.collect()
}

/// Whether a list begins with the other.
pub(super) fn begins_with(list: &[Bson], start: &[Bson]) -> bool {
    list.get(..start.len()).is_some_and(|begin| same_elements(begin, start))
}
