//! The rules of views.

use super::names::refused;
use crate::errors::Errors;
use crate::input::{View, ViewField};

/// Applies every rule.
pub(crate) fn check(view: &View<'_>, errors: &mut Errors) {
    for (position, field) in view.fields.iter().enumerate() {
        check_name(field, &view.fields[..position], errors);
        check_flatten(field, errors);
        check_source(field, errors);
    }
}

fn check_name(field: &ViewField<'_>, before: &[ViewField<'_>], errors: &mut Errors) {
    if let Some(reason) = refused(&field.name) {
        let message = format!(
            "the name {:?} {reason}: choose another by `#[serde(rename = \"…\")]`",
            field.name
        );
        errors.at(field.ident, message);
    }
    if let Some(other) = before.iter().find(|other| other.name == field.name) {
        let message = format!("`{}` is read into the field `{}` already", field.name, other.ident);
        errors.at(field.ident, message);
    }
}

fn check_flatten(field: &ViewField<'_>, errors: &mut Errors) {
    if field.flatten {
        let message = format!(
            "a view has no flattened fields: name each by its path, `#[odm(path = {}.…)]`",
            field.ident
        );
        errors.at(field.ident, message);
    }
}

/// A field comes from one place.
fn check_source(field: &ViewField<'_>, errors: &mut Errors) {
    let Some(computed) = &field.attrs.computed else { return };
    if field.attrs.path.is_some() {
        errors.at(computed, "a field is at a path or computed, not both");
    }
    if field.attrs.opaque {
        errors.at(
            computed,
            "a computed field is of no type of the model: remove `opaque`, any type will do",
        );
    }
}
