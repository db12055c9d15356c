//! The rules that a type must keep, one function a rule. Each error says the cure.

mod embedded;
mod index;
mod names;
mod partial;
mod relation;
mod stamp;
pub(crate) mod view;

use quote::ToTokens;

use crate::errors::Errors;
use crate::input::{Content, Data, Field, Input, Role};

/// Applies every rule.
pub(crate) fn check(input: &Input<'_>, errors: &mut Errors) {
    names::check(input, errors);
    if let (Data::Struct(fields), Role::Document) = (&input.data, input.role) {
        check_id(input, fields, errors);
        check_version(input, fields, errors);
        index::check(input, fields, errors);
        relation::check(input, fields, errors);
        stamp::check(input, fields, errors);
    }
    for field in input.fields() {
        check_opaque(field, errors);
        check_nullable(field, errors);
        embedded::check_field(field, errors);
        relation::check_field(input, field, errors);
        if input.role == Role::Embedded {
            check_not_indexed(field, errors);
            stamp::check_not_declared(field, errors);
        }
    }
}

/// A document has one field that is stored as `_id`, and never a null one.
fn check_id(input: &Input<'_>, fields: &[Field<'_>], errors: &mut Errors) {
    let Some(id) = fields.iter().find(|field| field.is_id()) else {
        let candidate = fields.iter().find(|field| field.rust_name() == "id");
        let (tokens, which) = match candidate {
            Some(field) => (field.ident.to_token_stream(), "`id`".to_owned()),
            None => (input.ident.to_token_stream(), "the field that identifies it".to_owned()),
        };
        let message =
            format!("`{}` has no `_id`: add `#[serde(rename = \"_id\")]` to {which}", input.ident);
        errors.at(tokens, message);
        return;
    };
    if id.option().is_some() && id.skip_if.is_none() {
        errors.at(
            id.ty,
            "an `_id` of `None` would be stored as null: add \
             `#[serde(skip_serializing_if = \"Option::is_none\")]`, and it is generated",
        );
    }
}

/// The version has a field of its own.
fn check_version(input: &Input<'_>, fields: &[Field<'_>], errors: &mut Errors) {
    let attrs = &input.attrs;
    if let (Some(field), None) = (&attrs.version_field, &attrs.schema_version) {
        errors.at(field, "`version_field` names the field of a `schema_version`: declare that too");
    }
    if let (Some(from), None) = (&attrs.from, &attrs.schema_version) {
        errors.at(from, "`from` is the struct of the version before: declare `schema_version` too");
    }
    let version_field = input.version_field();
    if attrs.schema_version.is_none() || version_field.is_empty() {
        return;
    }
    if version_field == "_id" {
        errors.at(&attrs.version_field, "the version cannot be stored in `_id`");
        return;
    }
    for field in fields.iter().filter(|field| field.has_name(&version_field)) {
        let message = format!(
            "`{version_field}` holds the schema version, which the library writes and reads: \
             remove the field, or name another by `version_field`"
        );
        errors.at(field.ident, message);
    }
}

fn check_opaque(field: &Field<'_>, errors: &mut Errors) {
    if field.attrs.opaque && field.flatten {
        errors.at(
            field.original,
            "an opaque field has no known fields that could stand in its place: remove `flatten` \
             or `opaque`",
        );
    }
}

/// Without serde's two attributes a missing field would be read as null, and could not be written.
fn check_nullable(field: &Field<'_>, errors: &mut Errors) {
    if field.is_nullable()
        && field.serialize_with.is_none()
        && !(field.skip_if.is_some() && field.has_default)
    {
        errors.at(
            field.ty,
            "a missing field is told from a null one only by `#[serde(default, \
             skip_serializing_if = \"Nullable::is_missing\")]`: add it",
        );
    }
}

/// Indexes belong to collections.
fn check_not_indexed(field: &Field<'_>, errors: &mut Errors) {
    if let Some(index) = &field.attrs.index {
        let message = format!(
            "an embedded type has no collection: declare the index on the document, by the path \
             to this field: `#[odm(index(outer.{}))]`",
            field.rust_name()
        );
        errors.at(&index.declared_by, message);
    }
}

impl<'a> Input<'a> {
    /// All fields of a struct, or of all variants of an enum.
    fn fields(&self) -> Vec<&Field<'a>> {
        match &self.data {
            Data::Struct(fields) => fields.iter().collect(),
            Data::Newtype(_) | Data::UnitEnum(_) | Data::UntaggedEnum(_) => Vec::new(),
            Data::TaggedEnum(_, variants) => variants
                .iter()
                .flat_map(|variant| match &variant.content {
                    Content::Struct(fields) => fields.as_slice(),
                    Content::Unit | Content::Newtype(_) => &[],
                })
                .collect(),
        }
    }
}

impl Field<'_> {
    fn has_name(&self, name: &str) -> bool {
        !self.flatten && (self.name == name || self.aliases.iter().any(|alias| alias == name))
    }
}
