//! How serde reads a type, where that can be done without serde.

use std::collections::HashSet;

use serde_derive_internals::ast::{self, Style};
use serde_derive_internals::attr::{self, Identifier, TagType};
use syn::{DeriveInput, ExprPath, Ident, Type};

/// What is read directly: the fields of a struct, the variants of an enum, or what a newtype holds.
pub(crate) struct Reading<'a> {
    /// The name by which serde's derive knows the type.
    pub(crate) name: String,
    /// The name by which serde's derive writes the type; to bson some names have a meaning.
    pub(crate) written_name: Option<String>,
    pub(crate) fields: Vec<ReadField<'a>>,
    pub(crate) variants: Vec<(&'a Ident, Names)>,
    /// What gives the values of fields that are not stored.
    pub(crate) default: Default,
}

/// The names that are read; the aliases are others than the name.
pub(crate) struct Names {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
}

/// A field, also one that is not stored.
pub(crate) struct ReadField<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) names: Names,
    /// Whether it is not read, so that it has its default.
    pub(crate) skipped: bool,
    pub(crate) default: Default,
    /// The function that reads the field, where it is not the type's own.
    pub(crate) deserialize_with: Option<ExprPath>,
}

pub(crate) enum Default {
    None,
    /// That of the type.
    Type,
    Path(ExprPath),
}

/// `None` for what is not understood, or not worth it: serde reads it.
pub(super) fn read<'a>(
    container: &ast::Container<'_>,
    input: &'a DeriveInput,
) -> Option<Reading<'a>> {
    let attrs = &container.attrs;
    let is_converted = attrs.type_from().or(attrs.type_try_from()).is_some();
    let is_plain = matches!(attrs.tag(), TagType::External)
        && matches!(attrs.identifier(), Identifier::No)
        && attrs.remote().is_none();
    // What serde asks for to read a transparent type does not tell it from one read by hand.
    if is_converted || attrs.transparent() || !is_plain {
        return None;
    }
    let (fields, variants) = match (&container.data, &input.data) {
        (ast::Data::Struct(Style::Struct, fields), syn::Data::Struct(data)) => {
            (read_fields(fields, &data.fields)?, Vec::new())
        }
        (ast::Data::Struct(Style::Newtype, fields), _) if fields.iter().all(is_plain_newtype) => {
            (Vec::new(), Vec::new())
        }
        (ast::Data::Enum(variants), syn::Data::Enum(data)) => {
            (Vec::new(), read_variants(variants, data)?)
        }
        _ => return None,
    };
    let default = read_default(attrs.default());
    let name = attrs.name().deserialize_name().value.clone();
    let written = &attrs.name().serialize_name().value;
    let written_name = (!written.starts_with('$')).then(|| written.clone());
    Some(Reading { name, written_name, fields, variants, default })
}

fn read_fields<'a>(
    fields: &[ast::Field<'_>],
    originals: &'a syn::Fields,
) -> Option<Vec<ReadField<'a>>> {
    let read = |(field, original): (&ast::Field<'_>, &'a syn::Field)| {
        Some(ReadField {
            ident: original.ident.as_ref()?,
            ty: &original.ty,
            names: read_names(
                &field.attrs.name().deserialize_name().value,
                field.attrs.aliases().iter().map(|alias| &alias.value),
            ),
            skipped: field.attrs.skip_deserializing(),
            default: read_default(field.attrs.default()),
            deserialize_with: field.attrs.deserialize_with().cloned(),
        })
    };
    if fields.iter().any(|field| field.attrs.flatten() || field.attrs.getter().is_some()) {
        return None;
    }
    let read: Vec<_> = fields.iter().zip(originals).filter_map(read).collect();
    are_distinct(read.iter().filter(|field| !field.skipped).map(|field| &field.names))
        .then_some(read)
}

fn is_plain_newtype(field: &ast::Field<'_>) -> bool {
    !field.attrs.skip_deserializing() && field.attrs.deserialize_with().is_none()
}

fn read_variants<'a>(
    variants: &[ast::Variant<'_>],
    data: &'a syn::DataEnum,
) -> Option<Vec<(&'a Ident, Names)>> {
    let is_plain = |variant: &ast::Variant<'_>| {
        matches!(variant.style, Style::Unit)
            && !variant.attrs.untagged()
            && variant.attrs.deserialize_with().is_none()
    };
    if !variants.iter().all(is_plain) {
        return None;
    }
    let read = variants.iter().zip(&data.variants);
    let read: Vec<_> = read
        .filter(|(variant, _)| !variant.attrs.skip_deserializing())
        .map(|(variant, original)| {
            let name = &variant.attrs.name().deserialize_name().value;
            let aliases = variant.attrs.aliases().iter().map(|alias| &alias.value);
            (&original.ident, read_names(name, aliases))
        })
        .collect();
    are_distinct(read.iter().map(|(_, names)| names)).then_some(read)
}

/// Serde's aliases are all names that it reads.
fn read_names<'n>(name: &String, all: impl Iterator<Item = &'n String>) -> Names {
    Names { name: name.clone(), aliases: all.filter(|alias| *alias != name).cloned().collect() }
}

/// Whether no name is read twice. None can hold a null byte either, which would end it.
fn are_distinct<'n>(names: impl Iterator<Item = &'n Names>) -> bool {
    let mut taken = HashSet::new();
    names
        .flat_map(|names| std::iter::once(&names.name).chain(&names.aliases))
        .all(|name| !name.contains('\0') && taken.insert(name))
}

fn read_default(default: &attr::Default) -> Default {
    match default {
        attr::Default::None => Default::None,
        attr::Default::Default => Default::Type,
        attr::Default::Path(path) => Default::Path(path.clone()),
    }
}
