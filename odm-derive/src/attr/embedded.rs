//! `#[odm(embedded(…))]` on a list: what tells its elements apart.

use proc_macro2::Ident;

use super::{Item, Value, list_items, once, set, unknown};
use crate::errors::Errors;

/// What a list of embedded documents declares.
pub(crate) struct EmbeddedAttr {
    pub(crate) word: Ident,
    /// The field of an element that tells it from others, in its Rust name.
    pub(crate) key: Option<Ident>,
}

const KNOWN: [&str; 1] = ["key"];

impl EmbeddedAttr {
    pub(super) fn from_item(item: &Item, errors: &mut Errors) -> Option<Self> {
        let Value::List(tokens) = &item.value else {
            errors.at(item.value_or_name(), "expected `embedded(key = \"id\")`");
            return None;
        };
        let mut read = Self { word: item.name.clone(), key: None };
        let items = once(list_items(tokens.clone(), errors), &[], errors);
        if items.is_empty() {
            errors.at(&item.name, "this says nothing: write `embedded(key = \"id\")`");
        }
        for item in items {
            match item.name.to_string().as_str() {
                "key" => set(&mut read.key, key(&item, errors), &item.name, errors),
                _ => unknown(&item.name, "word of `embedded`", &KNOWN, errors),
            }
        }
        Some(read)
    }
}

fn key(item: &Item, errors: &mut Errors) -> Option<Ident> {
    let mut path = item.path().unwrap_or_default();
    let key = path.pop().filter(|_| path.is_empty());
    if key.is_none() {
        let message = "expected a field of the elements, in its Rust name: `key = \"id\"`";
        errors.at(item.value_or_name(), message);
    }
    key
}
