//! The bounds of lists: how many elements a list may have at most, as `embedded(max = N)` declares.
//!
//! Documents come in as they are written, and an error goes out where a list has more elements than it
//! may.

use std::ptr;

use bson::{Bson, RawArray, RawBson, RawBsonRef, RawDocument};

use super::{Field, Shape};
use crate::error::{Error, ErrorKind, Result};

/// Whether a list in documents of this shape, at whatever depth, has a bound.
pub(crate) fn is_bounded(shape: &'static Shape) -> bool {
    fn walk(shape: &'static Shape, seen: &mut Vec<&'static Shape>) -> bool {
        if seen.iter().any(|other| ptr::eq(*other, shape)) {
            return false;
        }
        seen.push(shape);
        let below = |field: &Field| (field.shape)().or_else(|| (field.values)());
        let fields = shape.all_fields();
        fields.iter().any(|field| field.max.is_some())
            || fields.iter().filter_map(|field| below(field)).any(|shape| walk(shape, seen))
    }
    walk(shape, &mut Vec::new())
}

/// Checks the lists of a document, where there is one before it those that are longer than there.
pub(crate) fn check(
    shape: &Shape,
    before: Option<&RawDocument>,
    after: &RawDocument,
) -> Result<()> {
    for (name, value) in after.iter().filter_map(Result::ok) {
        if let Some(field) = shape.field(name.as_str()) {
            let before = before.and_then(|before| before.get(name).ok().flatten());
            let checked = check_field(field, before, value);
            checked.map_err(|error| error.below(name.as_str()))?;
        }
    }
    Ok(())
}

/// What a path leads to.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Field(&'static Field),
    /// An element of the field's list.
    Element(&'static Field),
    /// A value of a map.
    Value(&'static Shape),
}

impl Place {
    /// Checks a value that is to be stored there.
    pub(crate) fn check(self, value: &Bson) -> Result<()> {
        if !matches!(value, Bson::Document(_) | Bson::Array(_)) {
            return Ok(());
        }
        let Ok(raw) = RawBson::try_from(value.clone()) else { return Ok(()) };
        let value = raw.as_raw_bson_ref();
        match (self, value) {
            (Self::Field(field), value) => check_field(field, None, value),
            (Self::Element(field), value) => check_element(field, None, value),
            (Self::Value(shape), RawBsonRef::Document(value)) => check(shape, None, value),
            (Self::Value(_), _) => Ok(()),
        }
    }
}

/// The error about a list that would have too many elements.
pub(crate) fn exceeded(max: u32) -> Error {
    let message = format!("the list has {max} elements at most");
    Error::new(ErrorKind::TooMany, message).with_bound(max)
}

fn check_field(field: &Field, before: Option<RawBsonRef<'_>>, after: RawBsonRef<'_>) -> Result<()> {
    match (after, (field.values)()) {
        (RawBsonRef::Array(after), _) => {
            check_list(field, before.and_then(|b| b.as_array()), after)
        }
        (RawBsonRef::Document(after), Some(values)) => {
            for (name, value) in after.iter().filter_map(Result::ok) {
                let before = before.and_then(|before| before.as_document()?.get(name).ok()?);
                if let Some(value) = value.as_document() {
                    let before = before.and_then(|before| before.as_document());
                    check(values, before, value).map_err(|error| error.below(name.as_str()))?;
                }
            }
            Ok(())
        }
        (after, None) => check_element(field, before, after),
        _ => Ok(()),
    }
}

fn check_list(field: &Field, before: Option<&RawArray>, after: &RawArray) -> Result<()> {
    let known = before.map_or(0, |before| before.into_iter().count());
    if let Some(max) = field.max {
        let count = after.into_iter().count();
        if count > max as usize && count > known {
            return Err(exceeded(max));
        }
    }
    if (field.shape)().is_none() {
        return Ok(());
    }
    let mut of_before = before.into_iter().flatten();
    for (at, element) in after.into_iter().enumerate() {
        let Ok(element) = element else { continue };
        let there = of_before.next().and_then(Result::ok);
        if let Err(error) = check_element(field, there, element) {
            // It may have been there before, at another place.
            let mut all = before.into_iter().flatten().filter_map(Result::ok);
            let is_there = element.as_document().is_some_and(|element| {
                let is_it = |it: RawBsonRef<'_>| it.as_document().is_some_and(|it| it == element);
                all.any(is_it)
            });
            if !is_there {
                return Err(error.below(&at.to_string()));
            }
        }
    }
    Ok(())
}

fn check_element(
    field: &Field,
    before: Option<RawBsonRef<'_>>,
    after: RawBsonRef<'_>,
) -> Result<()> {
    match (after.as_document(), (field.shape)()) {
        (Some(after), Some(shape)) => {
            check(shape, before.and_then(|before| before.as_document()), after)
        }
        _ => Ok(()),
    }
}
