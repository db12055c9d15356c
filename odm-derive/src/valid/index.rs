//! Indexes: options that exclude each other, keys that are no fields or stand twice.

use std::collections::HashSet;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;

use super::partial;
use crate::attr::{INDEX_OPTIONS, IndexAttr, nearest};
use crate::errors::Errors;
use crate::input::{Field, Input};

pub(super) fn check(input: &Input<'_>, fields: &[Field<'_>], errors: &mut Errors) {
    for index in &input.attrs.indexes {
        check_options(index, errors);
        check_keys(index, errors);
        check_first_names(input, index, fields, errors);
        check_words(index, fields, errors);
        if let (Some((_, ttl)), true) = (&index.ttl, index.keys.len() > 1) {
            errors.at(ttl, "a TTL index has one key, the date after which documents expire");
        }
    }
    for field in fields {
        let Some(index) = &field.attrs.index else {
            continue;
        };
        check_options(index, errors);
        check_not_flattened(field, &index.declared_by, errors);
        check_not_id(field, &index.declared_by, errors);
    }
}

fn check_not_flattened(field: &Field<'_>, declared_at: &Ident, errors: &mut Errors) {
    if field.flatten {
        let message = format!(
            "a flattened field is not stored under a name: index one of its fields, by \
             `#[odm(index({}.inner))]` on the struct",
            field.ident
        );
        errors.at(declared_at, message);
    }
}

fn check_not_id(field: &Field<'_>, declared_at: &Ident, errors: &mut Errors) {
    if field.is_id() {
        errors.at(declared_at, "the server keeps a unique index on `_id` itself: remove this one");
    }
}

fn check_options(index: &IndexAttr, errors: &mut Errors) {
    if index.sparse && index.partial.is_some() {
        errors.at(
            &index.declared_by,
            "the server takes `sparse` or `partial`, not both: `partial` can say what `sparse` does",
        );
    }
    if let Some(partial) = &index.partial {
        partial::check(partial.body.to_token_stream(), errors);
    }
    if let Some(name) = &index.name {
        match name.value().as_str() {
            "" => errors.at(name, "the index's name is empty"),
            "*" | "_id_" => errors.at(name, "this name is the server's own"),
            _ => {}
        }
    }
}

fn check_keys(index: &IndexAttr, errors: &mut Errors) {
    let mut seen = HashSet::new();
    for key in &index.keys {
        let path: Vec<_> = key.path.iter().map(Ident::to_string).collect();
        let path = path.join(".");
        if !seen.insert(path.clone()) {
            errors.at(key.path.last(), format!("`{path}` is a key of this index already"));
        }
    }
}

/// The first name of each key is that of a stored field; the compiler finds those after it.
fn check_first_names(
    input: &Input<'_>,
    index: &IndexAttr,
    fields: &[Field<'_>],
    errors: &mut Errors,
) {
    for key in &index.keys {
        let Some(name) = key.path.first() else {
            continue;
        };
        let written = name.unraw().to_string();
        let Some(field) = fields.iter().find(|field| field.rust_name() == written) else {
            errors.at(name, no_field(input, name, fields));
            continue;
        };
        if key.path.len() == 1 {
            check_not_flattened(field, name, errors);
        }
        if index.keys.len() == 1 {
            check_not_id(field, name, errors);
        }
    }
}

fn no_field(input: &Input<'_>, name: &Ident, fields: &[Field<'_>]) -> String {
    let written = name.unraw().to_string();
    if matches!(written.as_str(), "name" | "partial" | "ttl") {
        return format!("the option `{name}` needs a value: `{name} = …`");
    }
    let known: Vec<_> = fields.iter().map(Field::rust_name).collect();
    let known: Vec<_> = known.iter().map(String::as_str).chain(INDEX_OPTIONS).collect();
    let cure = match nearest(&written, &known) {
        Some(word) => format!(": did you mean `{word}`?"),
        None => String::new(),
    };
    format!("`{name}` is no stored field of `{}` and no option of an index{cure}", input.ident)
}

/// An option that could be meant as a key.
fn check_words(index: &IndexAttr, fields: &[Field<'_>], errors: &mut Errors) {
    for word in &index.words {
        if fields.iter().any(|field| *word == field.rust_name()) {
            let message = format!(
                "`{word}` is an option of indexes and also a field: write `+{word}` for the key; \
                 for the option, rename the field in Rust"
            );
            errors.at(word, message);
        }
    }
}
