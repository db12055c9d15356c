//! Relations: fields that hold references, and fields for what refers back.

use crate::errors::Errors;
use crate::input::{Field, Input, Role};

/// What refers back has a path of its own.
pub(super) fn check(input: &Input<'_>, fields: &[Field<'_>], errors: &mut Errors) {
    for inverse in &input.inverses {
        let name = inverse.rust_name();
        if let Some(other) = inverse.other_type() {
            let message = format!(
                "a field that is not stored holds what refers back in a `Many<Model>` or a \
                 `One<Model>`, and not in `{other}`"
            );
            errors.at(inverse.ty, message);
        }
        if let Some(field) = fields.iter().find(|field| !field.flatten && field.name == name) {
            let message = format!(
                "`{}` is stored under the name `{name}`, which would be the path of this field: \
                 choose another name for one of them",
                field.ident
            );
            errors.at(inverse.ident, message);
        }
    }
}

pub(super) fn check_field(input: &Input<'_>, field: &Field<'_>, errors: &mut Errors) {
    if field.is_inverse() && field.serialize_with.is_none() && !field.attrs.opaque {
        errors.at(
            field.ty,
            "what refers back is not stored: add `#[serde(skip)]` and `#[odm(inverse = …)]`",
        );
    }
    if let Some((word, _)) = &field.attrs.inverse
        && input.role == Role::Embedded
    {
        let message = "two documents refer to each other: declare it on a field of the struct that \
                       derives `Document`";
        errors.at(word, message);
    }
    let coded = field.serialize_with.is_some() || field.attrs.opaque || field.flatten;
    if let (Some(key), true) = (&field.attrs.references, coded) {
        errors.at(key, "a reference is stored as its key: remove `with`, `opaque` or `flatten`");
    }
    check_rule(input, field, errors);
}

/// A rule is about a stored reference of a document.
fn check_rule(input: &Input<'_>, field: &Field<'_>, errors: &mut Errors) {
    let Some((word, on_delete)) = &field.attrs.on_delete else { return };
    let coded = field.serialize_with.is_some() || field.attrs.opaque || field.flatten;
    if input.role == Role::Embedded {
        let message = format!(
            "an embedded type has no collection: declare the rule on the document, by the path to \
             this field: `#[odm(on_delete(outer.{}, \"{}\"))]`",
            field.rust_name(),
            on_delete.word
        );
        errors.at(word, message);
    } else if coded {
        let message = "a rule is about a field of type `Ref` or `DbRef`, which is stored as its \
                       key: remove `with`, `opaque` or `flatten`";
        errors.at(word, message);
    } else if field.is_id() && on_delete.word == "unlink" {
        let message = "an `_id` cannot be taken away: use `restrict` or `cascade`";
        errors.at(word, message);
    }
}
