//! The change in memory: the stored document, with what differs put in.

use bson::{Bson, Document};

use super::document::changed;
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
pub(super) fn array(
    [stored, before, after]: [&[Bson]; 3],
    fields: Fields,
    field: Option<&Field>,
) -> Vec<Bson> {
    if stored.len() != before.len() {
        return after.to_vec();
    }
    let key = key_name(field, fields);
    let by_key = |element: &Bson| {
        let wanted = element.as_document()?.get(key?)?;
        before.iter().position(|before| {
            let key = key.and_then(|key| before.as_document()?.get(key));
            key.is_some_and(|key| same(key, wanted))
        })
    };
    let mut taken = vec![false; before.len()];
    let mut origins: Vec<Option<usize>> = after.iter().map(by_key).collect();
    for (element, origin) in after.iter().zip(&mut origins).filter(|(_, origin)| origin.is_none()) {
        let mut candidates = before.iter().zip(&taken).enumerate();
        let found = candidates.find(|(_, (before, taken))| !**taken && same(before, element));
        *origin = found.map(|(at, _)| at);
        if let Some(taken) = origin.and_then(|at| taken.get_mut(at)) {
            *taken = true;
        }
    }
    let stored_at = |at: usize, element: &Bson| match key {
        Some(key) => {
            let wanted = element.as_document()?.get(key)?;
            stored.iter().find(|stored| {
                let found = stored.as_document().and_then(|stored| stored.get(key));
                found.is_some_and(|found| same(found, wanted))
            })
        }
        None => stored.get(at),
    };
    let by_position = key.is_none() && before.len() == after.len();
    let new = after.iter().zip(origins).enumerate().map(|(at, (element, origin))| {
        let origin = origin.or_else(|| {
            let is_free = taken.get(at).is_some_and(|taken| !taken);
            (by_position && is_free).then_some(at)
        });
        match origin.and_then(|at| stored_at(at, element).zip(before.get(at))) {
            Some((stored, before)) => value([stored, before, element], fields, field),
            None => element.clone(),
        }
    });
    new.collect()
}

/// The stored name of the field that tells the elements of a list apart.
pub(super) fn key_name(field: Option<&Field>, fields: Fields) -> Option<&'static str> {
    let (Fields::Of(shape), key) = (fields, field?.key?) else { return None };
    shape.all_fields().into_iter().find(|field| field.rust_name == key).map(|field| field.name)
}

/// Whether a list begins with the other.
pub(super) fn begins_with(list: &[Bson], start: &[Bson]) -> bool {
    list.get(..start.len()).is_some_and(|begin| same_elements(begin, start))
}
