//! Patches: the smallest update that brings a stored document from what was read to what is to be
//! stored. Values in, an update out; nothing is sent here.
//!
//! Three documents come in: the stored one, and what the struct writes for it as it was read
//! (before) and as it is now (after). Only what differs between the last two is changed, so that
//! what no struct knows survives, and what serde writes otherwise than it is stored stays as it is.
//! The stored one says where the change goes: which documents and lists are there, under which
//! names.
//!
//! `document` goes through fields, `array` through elements (`key` tells them apart, `guard` says what
//! must hold of their list), `merge` makes the same change in memory.

mod array;
mod document;
mod guard;
mod key;
mod merge;
mod same;

use bson::{Bson, Document, doc};

use guard::Within;

use crate::error::Result;
use crate::model::{Field, Model, Shape};
use crate::path::ArrayFilters;
use crate::update::Modification;

pub(crate) use guard::Guard;
pub(crate) use merge::merge;
pub(crate) use same::same;

/// One document in its three states.
#[derive(Clone, Copy)]
pub(crate) struct States<'a> {
    pub(crate) stored: &'a Document,
    pub(crate) before: &'a Document,
    pub(crate) after: &'a Document,
}

/// An update, and what must hold for it to do what it says.
#[derive(Debug)]
pub(crate) struct Patch {
    pub(crate) modification: Modification,
    /// What the lists must be that are changed by keys.
    pub(crate) guards: Vec<Guard>,
}

/// What is known of the fields of a document.
#[derive(Clone, Copy)]
pub(super) enum Fields {
    /// They are those of a shape.
    Of(&'static Shape),
    /// It is a map, whose values have this shape.
    Values(&'static Shape),
    Unknown,
}

impl Fields {
    /// What is known of the documents in a field, or in the elements of one.
    fn below(field: Option<&Field>) -> Self {
        let Some(field) = field else { return Self::Unknown };
        match ((field.shape)(), (field.values)()) {
            (Some(shape), _) => Self::Of(shape),
            (None, Some(values)) => Self::Values(values),
            (None, None) => Self::Unknown,
        }
    }

    fn field(self, name: &str) -> Option<&'static Field> {
        match self {
            Self::Of(shape) => shape.field(name),
            Self::Values(_) | Self::Unknown => None,
        }
    }

    /// What is known of the documents in the field of this name.
    fn of(self, name: &str) -> Self {
        match self {
            Self::Of(shape) => Self::below(shape.field(name)),
            Self::Values(shape) => Self::Of(shape),
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The operators of a patch in the making.
#[derive(Default)]
struct Operators {
    set: Document,
    unset: Document,
    push: Document,
    pull: Document,
    filters: ArrayFilters,
    guards: Vec<Guard>,
    /// The elements around what is looked at.
    within: Vec<Within>,
}

/// Plans the update from `before` to `after`; `None` where nothing differs.
pub(crate) fn plan(states: States<'_>, model: &Model) -> Result<Option<Patch>> {
    let mut operators = Operators::default();
    if !operators.document("", states, Fields::Of(model.shape))? {
        let modification = whole_fields(states, model);
        return Ok(Some(Patch { modification, guards: Vec::new() }));
    }
    let Operators { set, unset, push, pull, filters, guards, .. } = operators;
    let changes = [("$set", set), ("$unset", unset), ("$push", push), ("$pull", pull)];
    let changes = changes.into_iter().filter(|(_, fields)| !fields.is_empty());
    let document: Document =
        changes.map(|(operator, fields)| (operator.to_owned(), Bson::from(fields))).collect();
    match document.is_empty() {
        true => Ok(None),
        false => {
            let modification = Modification::Operators { document, filters };
            Ok(Some(Patch { modification, guards }))
        }
    }
}

/// Sets top-level fields whole, by a pipeline: for names that no operator takes.
fn whole_fields(states: States<'_>, model: &Model) -> Modification {
    let merged = merge(states, model);
    let mut root = Bson::from("$$ROOT");
    let mut put = |name: &str, value: Bson| {
        let field = doc! { "$literal": name };
        let input = std::mem::replace(&mut root, Bson::Null);
        root = doc! { "$setField": { "field": field, "input": input, "value": value } }.into();
    };
    for (name, value) in &merged {
        if !states.stored.get(name).is_some_and(|stored| same(stored, value)) {
            put(name, doc! { "$literal": value.clone() }.into());
        }
    }
    for name in states.stored.keys().filter(|name| !merged.contains_key(*name)) {
        put(name, "$$REMOVE".into());
    }
    Modification::Pipeline(vec![doc! { "$replaceWith": root }])
}
