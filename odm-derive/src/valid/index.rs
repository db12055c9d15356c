//! Indexes: options that exclude each other, keys that stand twice, partial filters that the server
//! refuses.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;

use crate::attr::IndexAttr;
use crate::errors::Errors;
use crate::input::{Field, Input};

pub(super) fn check(input: &Input<'_>, fields: &[Field<'_>], errors: &mut Errors) {
    for index in &input.attrs.indexes {
        check_options(index, errors);
        check_keys(index, errors);
        if let (Some((_, ttl)), true) = (&index.ttl, index.keys.len() > 1) {
            errors.at(
                ttl,
                "a TTL index has one key, the date after which documents expire",
            );
        }
    }
    for field in fields {
        let Some(index) = &field.attrs.index else {
            continue;
        };
        check_options(index, errors);
        if field.flatten {
            errors.at(
                &index.declared_by,
                "a flattened field is not stored under a name: index one of its fields, by \
                 `#[odm(index(outer.inner))]` on the struct",
            );
        }
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
        check_partial(partial.body.to_token_stream(), errors);
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
            errors.at(
                key.path.last(),
                format!("`{path}` is a key of this index already"),
            );
        }
    }
}

/// Operators that the server refuses in partial filters, found by their names.
fn check_partial(body: TokenStream, errors: &mut Errors) {
    const REFUSED: [&str; 9] = [
        "ne",
        "nin",
        "not",
        "nor",
        "all",
        "size",
        "elem_match",
        "is_missing",
        "is_none",
    ];
    let (mut after_dot, mut after_name) = (false, false);
    for token in body {
        match &token {
            TokenTree::Ident(name) if after_dot && REFUSED.contains(&&*name.to_string()) => {
                let message = format!(
                    "the server takes no `{name}` in a partial filter: use `eq`, `gt`, `gte`, \
                     `lt`, `lte`, `in_` or `exists(true)`, joined by `&` and `|`"
                );
                errors.at(name, message);
            }
            // After a name it calls a macro.
            TokenTree::Punct(punct) if punct.as_char() == '!' && !after_name => {
                errors.at(punct, "the server takes no negation in a partial filter");
            }
            TokenTree::Group(group) => check_partial(group.stream(), errors),
            _ => {}
        }
        after_name = matches!(&token, TokenTree::Ident(_));
        after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
    }
}
