//! What a delete does to what refers to the deleted documents: `"restrict"`, `"unlink"`, `"cascade"`.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, LitStr, Token};

use super::path::names;
use super::{Item, Value, nearest};
use crate::errors::Errors;

/// The rule of a reference.
#[derive(Clone)]
pub(crate) struct OnDelete {
    /// The function of the runtime that makes the rule.
    pub(crate) word: String,
    pub(crate) span: Span,
}

/// `on_delete(lines.product, "restrict")` on a struct.
pub(crate) struct RuleAttr {
    /// The path of the reference, in Rust names.
    pub(crate) path: Vec<Ident>,
    pub(crate) on_delete: OnDelete,
}

const WORDS: [&str; 3] = ["restrict", "unlink", "cascade"];

impl OnDelete {
    pub(super) fn parse(text: &LitStr, errors: &mut Errors) -> Option<Self> {
        let word = text.value();
        if WORDS.contains(&word.as_str()) {
            return Some(Self { word, span: text.span() });
        }
        let message = match nearest(&word, &WORDS) {
            Some(near) => format!("unknown rule `{word}`: did you mean `{near}`?"),
            None => format!("unknown rule `{word}`: known are `{}`", WORDS.join("`, `")),
        };
        errors.at(text, message);
        None
    }
}

impl RuleAttr {
    pub(super) fn from_item(item: &Item, errors: &mut Errors) -> Option<Self> {
        let Value::List(tokens) = &item.value else {
            let message = "expected the path of a reference and a rule: \
                           `on_delete(lines.product, \"restrict\")`; of a single field, on the field: \
                           `on_delete = \"restrict\"`";
            errors.at(item.value_or_name(), message);
            return None;
        };
        let parsed = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone());
        let parsed = errors.ok(parsed)?;
        let parts: Vec<_> = parsed.iter().collect();
        if let [path, Expr::Lit(rule)] = parts.as_slice()
            && let (Some(path), Lit::Str(word)) = (names(path), &rule.lit)
        {
            let on_delete = OnDelete::parse(word, errors)?;
            return Some(Self { path, on_delete });
        }
        let message = "expected the path of a reference, in Rust names, and a rule: \
                       `on_delete(lines.product, \"restrict\")`";
        errors.at(parsed.to_token_stream(), message);
        None
    }
}
