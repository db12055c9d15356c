//! Reads `#[odm(...)]`: on types in [`container`], on fields in [`field`], indexes in [`index`].
//!
//! All are lists of [`Item`]s. An unknown one is an error that suggests the nearest known word.

mod container;
mod embedded;
mod field;
mod index;
mod on_delete;
mod path;
mod stamp;
mod view;

pub(crate) use container::{ContainerAttrs, SchemaVersion};
pub(crate) use embedded::EmbeddedAttr;
pub(crate) use field::FieldAttrs;
pub(crate) use index::{IndexAttr, OPTIONS as INDEX_OPTIONS};
pub(crate) use on_delete::{OnDelete, RuleAttr};
pub(crate) use stamp::{StampAttr, StampKind};
pub(crate) use view::{ViewAttrs, ViewFieldAttrs};

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprClosure, LitStr, Meta, Token};

use crate::errors::Errors;

/// One word of an attribute: `unique`, `name = "…"` or `index(…)`.
struct Item {
    name: Ident,
    value: Value,
}

enum Value {
    None,
    Expr(Expr),
    List(TokenStream),
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        // `crate` is a keyword.
        let name = input.call(Ident::parse_any)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Expr(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            Value::List(content.parse()?)
        } else if input.is_empty() || input.peek(Token![,]) {
            Value::None
        } else {
            return Err(input.error(format!("expected a comma, or `{name} = …`, or `{name}(…)`")));
        };
        Ok(Self { name, value })
    }
}

/// The items of every `#[odm(...)]` among the attributes.
fn items(attrs: &[Attribute], errors: &mut Errors) -> Vec<Item> {
    let mut items = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("odm")) {
        match &attr.meta {
            Meta::List(list) => items.extend(list_items(list.tokens.clone(), errors)),
            meta => errors.at(meta, "expected a list: `#[odm(…)]`"),
        }
    }
    items
}

fn list_items(tokens: TokenStream, errors: &mut Errors) -> Vec<Item> {
    let parsed = Punctuated::<Item, Token![,]>::parse_terminated.parse2(tokens);
    errors.ok(parsed).into_iter().flatten().collect()
}

/// Leaves out what stands there a second time.
fn once(items: Vec<Item>, repeatable: &[&str], errors: &mut Errors) -> Vec<Item> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for item in items {
        let name = item.name.to_string();
        if repeatable.contains(&name.as_str()) || seen.insert(name) {
            kept.push(item);
        } else {
            errors.at(&item.name, format!("`{}` is set twice", item.name));
        }
    }
    kept
}

/// Refuses every `#[odm(...)]` in a place that none can stand in.
pub(crate) fn check_none(attrs: &[Attribute], place: &str, errors: &mut Errors) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("odm")) {
        errors.at(attr, format!("`#[odm(…)]` means nothing on {place}: remove it"));
    }
}

impl Item {
    /// The item as a word without a value.
    fn word(&self, errors: &mut Errors) -> bool {
        if !matches!(self.value, Value::None) {
            errors.at(self.value_or_name(), format!("`{}` takes no value here", self.name));
        }
        true
    }

    /// What to underline where the value is wrong.
    fn value_or_name(&self) -> TokenStream {
        match &self.value {
            Value::Expr(expr) => expr.to_token_stream(),
            Value::List(tokens) if !tokens.is_empty() => tokens.clone(),
            Value::None | Value::List(_) => self.name.to_token_stream(),
        }
    }

    /// The item as `name = "text"`.
    fn string(&self, errors: &mut Errors) -> Option<LitStr> {
        if let Value::Expr(Expr::Lit(expr)) = &self.value
            && let syn::Lit::Str(text) = &expr.lit
        {
            return Some(text.clone());
        }
        errors.at(self.value_or_name(), format!("expected `{} = \"…\"`", self.name));
        None
    }

    /// The item as `name = |p| …`.
    fn closure(&self, errors: &mut Errors) -> Option<ExprClosure> {
        match &self.value {
            Value::Expr(Expr::Closure(closure)) if closure.inputs.len() == 1 => {
                Some(closure.clone())
            }
            _ => {
                let message = format!("expected a filter: `{} = |p| p.votes().gt(3)`", self.name);
                errors.at(self.value_or_name(), message);
                None
            }
        }
    }
}

/// Sets what may be set once.
fn set<T>(slot: &mut Option<T>, value: Option<T>, name: &Ident, errors: &mut Errors) {
    if slot.is_some() {
        errors.at(name, format!("`{name}` is set twice"));
    }
    if value.is_some() {
        *slot = value;
    }
}

/// An unknown word: suggests the nearest known one, else lists them all.
fn unknown(name: &Ident, what: &str, known: &[&str], errors: &mut Errors) {
    let message = match nearest(&name.to_string(), known) {
        Some(word) => format!("unknown {what} `{name}`: did you mean `{word}`?"),
        None => format!("unknown {what} `{name}`: known are `{}`", known.join("`, `")),
    };
    errors.at(name, message);
}

/// The known word that was probably meant.
pub(crate) fn nearest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    const NEAR: f64 = 0.7;
    known
        .iter()
        .map(|&word| (strsim::jaro_winkler(written, word), word))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, word)| word)
}
