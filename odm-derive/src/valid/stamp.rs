//! The fields that the library keeps: each is declared once, and is a field that has a name.

use proc_macro2::Ident;

use crate::attr::{StampAttr, StampKind, nearest};
use crate::errors::Errors;
use crate::input::{Field, Input};

pub(super) fn check(input: &Input<'_>, fields: &[Field<'_>], errors: &mut Errors) {
    let of_struct = input.attrs.stamps.iter().map(|stamp| (stamp, None));
    let of_fields =
        fields.iter().flat_map(|field| field.attrs.stamps.iter().map(move |s| (s, Some(field))));
    let mut seen: Vec<(StampKind, &Field<'_>)> = Vec::new();
    for (stamp, field) in of_struct.chain(of_fields) {
        let Some(field) = field.or_else(|| named(input, stamp, fields, errors)) else { continue };
        if seen.iter().any(|(kind, _)| *kind == stamp.kind) {
            let message = format!("`{0}` is declared twice: a model has one `{0}`", stamp.word);
            errors.at(&stamp.word, message);
        } else if seen.iter().any(|(_, other)| other.ident == field.ident) {
            let message = format!(
                "`{}` holds another of these values already: declare a field of its own",
                field.ident
            );
            errors.at(&stamp.word, message);
        } else {
            check_field(stamp, field, errors);
            seen.push((stamp.kind, field));
        }
    }
}

/// The field that the struct's attribute names.
fn named<'a, 'f>(
    input: &Input<'_>,
    stamp: &StampAttr,
    fields: &'f [Field<'a>],
    errors: &mut Errors,
) -> Option<&'f Field<'a>> {
    let name = stamp.field.as_ref()?;
    let written = name.value();
    let found = fields.iter().find(|field| field.rust_name() == written);
    if found.is_none() {
        let names: Vec<_> = fields.iter().map(Field::rust_name).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let cure = match nearest(&written, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it, and name it as in Rust".to_owned(),
        };
        errors.at(name, format!("`{written}` is no stored field of `{}`: {cure}", input.ident));
    }
    found
}

fn check_field(stamp: &StampAttr, field: &Field<'_>, errors: &mut Errors) {
    let at = |message: &str, errors: &mut Errors| match &stamp.field {
        Some(name) => errors.at(name, message),
        None => errors.at(&stamp.word, message),
    };
    if field.flatten || field.is_id() {
        at("this must be a field of its own, that is neither flattened nor the `_id`", errors);
    } else if field.attrs.opaque {
        at("an opaque field may be stored as anything: remove `opaque`", errors);
    } else if stamp.kind == StampKind::Revision && field.serialize_with.is_some() {
        at("a revision is stored as the integer that it is: remove `with`", errors);
    } else if stamp.kind == StampKind::SoftDelete && field.option().is_none() {
        errors.at(
            field.ty,
            "what is not deleted has no date of deletion: declare the field as `Option<DateTime>`",
        );
    } else if stamp.kind != StampKind::Revision
        && field.option().is_some()
        && field.serialize_with.is_some()
        && !field.has_default
    {
        errors.at(
            field.ty,
            "a document without this field is read only with `#[serde(default)]`: add it",
        );
    }
}

/// An embedded document is no document of a collection.
pub(super) fn check_not_declared(field: &Field<'_>, errors: &mut Errors) {
    for StampAttr { word, .. } in &field.attrs.stamps {
        let word: &Ident = word;
        errors.at(
            word,
            format!(
                "`{word}` is of documents: declare it on a field of the struct that derives \
                 `Document`"
            ),
        );
    }
}
