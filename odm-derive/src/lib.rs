//! The derive macros of `mongo-odm`. Use them through that crate.
//!
//! The stages are the files: `input` reads the struct with serde's attributes, `attr` reads
//! `#[odm(...)]`, `valid` applies the rules, `expand` writes code, `fallback` what is left
//! of it where there were errors. All errors of a struct are collected in `errors` and shown at once.

mod attr;
mod errors;
mod expand;
mod fallback;
mod input;
mod valid;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use crate::errors::Errors;
use crate::input::{Input, Role, View};

/// Declares a struct as the documents of a collection.
///
/// | attribute of the struct | meaning |
/// |---|---|
/// | `collection = "posts"` | the collection; the plural of the struct's name in snake case unless set |
/// | `database = "blog"` | the database, where it is not that of the handle |
/// | `schema_version = 2` or `"2.0"` | written into each document right after `_id` |
/// | `version_field = "v"` | the field that holds the version; `schema_version` unless set |
/// | `from = PostV1` | the struct of the schema version before; `From` or `TryFrom` is the step |
/// | `index(author, -when, …)` | an index; keys are paths in Rust names, `-` is descending |
/// | `referenced_by(Book, Review)` | the models that have an `on_delete` rule about this one: its deletes keep them |
/// | `on_delete(lines.product, "restrict")` | the rule of a reference inside of embedded documents, by its path in Rust names |
/// | `revision = "rev"`, `created_at = "…"`, `updated_at = "…"`, `soft_delete = "…"` | the field that the library keeps, by its Rust name; also on the field itself |
/// | `read_concern = "majority"` | of the model's reads, unless an action or a transaction has its own |
/// | `write_concern = "majority"` or `2` | of the model's writes, likewise |
/// | `read_preference = "secondaryPreferred"` | of the model's reads, likewise; old documents are then upgraded in memory only |
/// | `crate = "…"` | the path of the library, where it is re-exported |
///
/// | attribute of a field | meaning |
/// |---|---|
/// | `index`, `unique`, `sparse`, `hidden`, `desc`, `name = "…"`, `partial = …`, `ttl = "30d"` | an index on the field, with these options |
/// | `revision` | an integer that each change of the document raises by one; a replacement is stored only over the revision that it was read at |
/// | `created_at`, `updated_at` | the date of the insertion, of the last change |
/// | `soft_delete` | an optional date: deletes set it, and what has one is left out |
/// | `opaque` | any serde type, stored as serde makes it |
/// | `embedded(max = 500)` | of a list: how many elements it may have. An insert, a replacement, an update or a save that would break that is refused |
/// | `embedded(key = "id")` | of a list of embedded documents: the field, in its Rust name, that tells its elements apart. A save of a tracked document finds them by it |
/// | `references(group_id)` | the unique key of the target that a reference holds, in place of its `_id` |
/// | `inverse = author` | the reference of the other model, for what refers back |
/// | `on_delete = "restrict"`, `"unlink"` or `"cascade"` | of a reference: what a delete of the document referred to does. Nothing is deleted while it is referred to; the reference is taken away; the referring document is deleted too. The target names this model by `referenced_by` |
///
/// The options of an index, in either place: `unique`, `sparse`, `hidden`, `name = "…"`,
/// `partial = |p| p.votes().gt(3)` and, with a single key that is a date, `ttl = "30d"`.
#[proc_macro_derive(Document, attributes(odm, serde))]
pub fn derive_document(tokens: TokenStream) -> TokenStream {
    derive(&parse_macro_input!(tokens as DeriveInput), Role::Document)
}

/// Declares a struct or enum that is stored inside documents.
///
/// | attribute | where | meaning |
/// |---|---|---|
/// | `crate = "…"` | type | the path of the library, where it is re-exported |
/// | `opaque` | field | any serde type, stored as serde makes it |
/// | `embedded(max = 500, key = "id")` | field | the bound of a list, and what tells its elements apart, as in a document |
#[proc_macro_derive(Embedded, attributes(odm, serde))]
pub fn derive_embedded(tokens: TokenStream) -> TokenStream {
    derive(&parse_macro_input!(tokens as DeriveInput), Role::Embedded)
}

/// Declares a struct as a part of a model's fields, to be read without the rest.
///
/// | attribute | where | meaning |
/// |---|---|---|
/// | `of = Post` | struct | the model, or the embedded document, that it is a part of |
/// | `crate = "…"` | struct | the path of the library, where it is re-exported |
/// | `path = address.city` | field | a field inside of an embedded document, in Rust names |
/// | `computed = \|p\| …` | field | an expression that the server computes |
/// | `opaque` | field | an opaque field of the model |
#[proc_macro_derive(View, attributes(odm, serde))]
pub fn derive_view(tokens: TokenStream) -> TokenStream {
    let input = parse_macro_input!(tokens as DeriveInput);
    let mut errors = Errors::default();
    let read = View::from_syn(&input, &mut errors);
    if let Some(read) = &read {
        valid::view::check(read, &mut errors);
    }
    match (errors.into_result(), read) {
        (Ok(()), Some(read)) => expand::view::expand(&read),
        (Err(error), _) => expand::view::fallback(&input, Some(&error)),
        // Serde's own derive reports what it cannot read.
        (Ok(()), None) => expand::view::fallback(&input, None),
    }
    .into()
}

fn derive(input: &DeriveInput, role: Role) -> TokenStream {
    let mut errors = Errors::default();
    let read = Input::from_syn(input, role, &mut errors);
    if let Some(read) = &read {
        valid::check(read, &mut errors);
    }
    match (errors.into_result(), read) {
        (Ok(()), Some(read)) => expand::expand(&read),
        (Err(error), read) => fallback::expand(input, read, role, Some(&error)),
        // Serde's own derive reports what it cannot read.
        (Ok(()), None) => fallback::expand(input, None, role, None),
    }
    .into()
}
