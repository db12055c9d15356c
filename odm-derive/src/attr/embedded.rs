//! `#[odm(embedded(…))]` on a list: what tells its elements apart, and how many there may be.

use proc_macro2::Ident;
use syn::{Expr, Lit, LitInt};

use super::{Item, Value, list_items, once, set, unknown};
use crate::errors::Errors;

/// What a list of embedded documents declares.
pub(crate) struct EmbeddedAttr {
    pub(crate) word: Ident,
    /// The field of an element that tells it from others, in its Rust name.
    pub(crate) key: Option<Ident>,
    /// How many elements there may be at most.
    pub(crate) max: Option<LitInt>,
}

const KNOWN: [&str; 2] = ["max", "key"];

impl EmbeddedAttr {
    pub(super) fn from_item(item: &Item, errors: &mut Errors) -> Option<Self> {
        let Value::List(tokens) = &item.value else {
            errors.at(item.value_or_name(), "expected `embedded(max = 500, key = \"id\")`");
            return None;
        };
        let mut read = Self { word: item.name.clone(), key: None, max: None };
        let items = once(list_items(tokens.clone(), errors), &[], errors);
        if items.is_empty() {
            errors.at(&item.name, "this says nothing: write `embedded(max = 500, key = \"id\")`");
        }
        for item in items {
            match item.name.to_string().as_str() {
                "key" => set(&mut read.key, key(&item, errors), &item.name, errors),
                "max" => set(&mut read.max, max(&item, errors), &item.name, errors),
                _ => unknown(&item.name, "word of `embedded`", &KNOWN, errors),
            }
        }
        Some(read)
    }
}

fn max(item: &Item, errors: &mut Errors) -> Option<LitInt> {
    if let Value::Expr(Expr::Lit(expr)) = &item.value
        && let Lit::Int(number) = &expr.lit
        && number.base10_parse::<u32>().is_ok_and(|number| number > 0)
    {
        return Some(number.clone());
    }
    errors.at(item.value_or_name(), "expected how many elements there may be: `max = 500`");
    None
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
