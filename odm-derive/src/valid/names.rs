//! Names of fields, collections and databases: what the server and MongoDB's paths can hold.

use heck::ToSnakeCase;
use syn::LitStr;

use crate::errors::Errors;
use crate::input::{Content, Data, Field, Input, Variant};

pub(super) fn check(input: &Input<'_>, errors: &mut Errors) {
    if let Some(collection) = &input.attrs.collection {
        check_collection(collection, errors);
    }
    if let Some(database) = &input.attrs.database {
        check_database(database, errors);
    }
    if let Some(field) = &input.attrs.version_field
        && let Some(reason) = refused(&field.value())
    {
        errors.at(field, format!("the name {:?} {reason}", field.value()));
    }
    match &input.data {
        Data::Struct(fields) => check_fields(fields, None, errors),
        Data::Newtype(_) | Data::UntaggedEnum(_) => {}
        Data::UnitEnum(variants) => check_variants(variants, errors),
        Data::TaggedEnum(tag, variants) => {
            check_tag(input, tag, errors);
            check_variants(variants, errors);
            check_variant_paths(tag, variants, errors);
            for variant in variants {
                if let Content::Struct(fields) = &variant.content {
                    check_fields(fields, Some(tag), errors);
                }
            }
        }
    }
}

fn check_tag(input: &Input<'_>, tag: &str, errors: &mut Errors) {
    if let Some(reason) = refused(tag) {
        errors.at(input.ident, format!("the name of the tag, {tag:?}, {reason}"));
    }
}

/// Each variant is stored under a name of its own.
fn check_variants(variants: &[Variant<'_>], errors: &mut Errors) {
    for (position, variant) in variants.iter().enumerate() {
        let same = |other: &&Variant<'_>| other.name == variant.name;
        if let Some(other) = variants[..position].iter().find(same) {
            let message = format!(
                "the stored name `{}` is taken by the variant `{}`: choose another by \
                 `#[serde(rename = \"…\")]`",
                variant.name, other.ident
            );
            errors.at(variant.ident, message);
        }
    }
}

/// The paths of variants, and that of the tag, are methods: no name may stand twice.
fn check_variant_paths(tag: &str, variants: &[Variant<'_>], errors: &mut Errors) {
    let mut taken = vec![(tag.to_snake_case(), "the tag".to_owned())];
    for variant in variants.iter().filter(|variant| !matches!(variant.content, Content::Unit)) {
        let path = variant.rust_name().to_snake_case();
        match taken.iter().find(|(name, _)| *name == path) {
            Some((_, other)) => {
                let message = format!(
                    "the variant and {other} would both have the path `{path}`: rename one"
                );
                errors.at(variant.ident, message);
            }
            None => taken.push((path, format!("`{}`", variant.ident))),
        }
    }
}

fn check_fields(fields: &[Field<'_>], tag: Option<&String>, errors: &mut Errors) {
    for (position, field) in fields.iter().enumerate().filter(|(_, field)| !field.flatten) {
        if let Some(reason) = refused(&field.name) {
            let message = format!(
                "the stored name {:?} {reason}: choose another by `#[serde(rename = \"…\")]`",
                field.name
            );
            errors.at(field.ident, message);
        }
        if tag == Some(&field.name) {
            let message =
                format!("`{}` is the name of the enum's tag: rename the field", field.name);
            errors.at(field.ident, message);
        }
        let names = std::iter::once(&field.name).chain(&field.aliases);
        for name in names {
            if let Some(other) = fields[..position].iter().find(|other| other.has_name(name)) {
                let message = format!(
                    "the stored name `{name}` is taken by the field `{}`, and one value would \
                     overwrite the other: choose another by `#[serde(rename = \"…\")]`",
                    other.ident
                );
                errors.at(field.ident, message);
                break;
            }
        }
    }
}

/// Why a name cannot be that of a field.
pub(super) fn refused(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("is empty"),
        name if name.starts_with('$') => Some("begins with `$`, as operators do"),
        name if name.contains('.') => Some("contains `.`, which separates the names of a path"),
        name if name.contains('\0') => Some("contains a null character"),
        _ => None,
    }
}

/// Source: [naming restrictions](https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions).
fn check_collection(collection: &LitStr, errors: &mut Errors) {
    let name = collection.value();
    let reason = match name.as_str() {
        "" => "is empty",
        name if name.starts_with("system.") => "begins with `system.`, which is the server's own",
        name if name.contains('$') => "contains `$`",
        name if name.contains('\0') => "contains a null character",
        name if name.len() > 200 => "is longer than 200 bytes",
        _ => return,
    };
    errors.at(collection, format!("the collection's name {name:?} {reason}"));
}

fn check_database(database: &LitStr, errors: &mut Errors) {
    const REFUSED: &str = "/\\. \"$*<>:|?\0";
    let name = database.value();
    let reason = if name.is_empty() {
        "is empty"
    } else if name.contains(|c| REFUSED.contains(c)) {
        "contains a character that the server refuses: one of / \\ . \" $ * < > : | ? or a space"
    } else if name.chars().any(char::is_uppercase) {
        "is not in lower case: the server refuses names that differ by case alone"
    } else if name.len() > 63 {
        "is longer than 63 bytes"
    } else {
        return;
    };
    errors.at(database, format!("the database's name {name:?} {reason}"));
}
