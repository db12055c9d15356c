//! Reads `#[odm(...)]`: on types in [`container`], on fields in [`field`], indexes in [`index`].
//!
//! All are lists of [`Item`]s. An unknown one is an error that suggests the nearest known word.

mod container;
mod field;
mod index;

pub(crate) use container::{ContainerAttrs, SchemaVersion};
pub(crate) use field::FieldAttrs;
pub(crate) use index::IndexAttr;

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprClosure, LitStr, Token};

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
        } else {
            Value::None
        };
        Ok(Self { name, value })
    }
}

/// The items of every `#[odm(...)]` among the attributes.
fn items(attrs: &[Attribute], errors: &mut Errors) -> Vec<Item> {
    let mut items = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("odm")) {
        let parsed = attr.meta.require_list().and_then(|list| {
            Punctuated::<Item, Token![,]>::parse_terminated.parse2(list.tokens.clone())
        });
        items.extend(errors.ok(parsed).into_iter().flatten());
    }
    items
}

impl Item {
    /// The item as a word without a value.
    fn word(&self, errors: &mut Errors) -> bool {
        if !matches!(self.value, Value::None) {
            errors.at(&self.name, format!("`{}` takes no value here", self.name));
        }
        true
    }

    /// The item as `name = "text"`.
    fn string(&self, errors: &mut Errors) -> Option<LitStr> {
        if let Value::Expr(Expr::Lit(expr)) = &self.value
            && let syn::Lit::Str(text) = &expr.lit
        {
            return Some(text.clone());
        }
        errors.at(&self.name, format!("expected `{} = \"…\"`", self.name));
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
                errors.at(&self.name, message);
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
    const NEAR: f64 = 0.7;
    let written = name.to_string();
    let nearest = known
        .iter()
        .map(|word| (strsim::jaro_winkler(&written, word), word))
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let message = match nearest {
        Some((similarity, word)) if similarity >= NEAR => {
            format!("unknown {what} `{name}`: did you mean `{word}`?")
        }
        _ => format!(
            "unknown {what} `{name}`: known are `{}`",
            known.join("`, `")
        ),
    };
    errors.at(name, message);
}
