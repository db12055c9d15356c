//! `#[odm(...)]` on a view and its fields.

use proc_macro2::Ident;
use syn::{Attribute, Expr, ExprClosure, Path};

use super::container::krate;
use super::{Item, Value, items, once, set, unknown};
use crate::errors::Errors;

/// What a view declares.
#[derive(Default)]
pub(crate) struct ViewAttrs {
    /// The model or embedded document that it is a part of.
    pub(crate) of: Option<Path>,
    pub(crate) krate: Option<Path>,
}

const KNOWN: [&str; 2] = ["of", "crate"];

impl ViewAttrs {
    pub(crate) fn from_syn(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for item in once(items(attrs, errors), &[], errors) {
            let name = &item.name;
            match name.to_string().as_str() {
                "of" => set(&mut read.of, of(&item, errors), name, errors),
                "crate" => set(&mut read.krate, krate(&item, errors), name, errors),
                _ => unknown(name, "attribute", &KNOWN, errors),
            }
        }
        read
    }
}

fn of(item: &Item, errors: &mut Errors) -> Option<Path> {
    match &item.value {
        Value::Expr(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
        _ => {
            errors.at(item.value_or_name(), "expected the model: `of = Post`");
            None
        }
    }
}

/// What a field of a view declares.
#[derive(Default)]
pub(crate) struct ViewFieldAttrs {
    pub(crate) opaque: bool,
    /// The place in the model, in Rust names.
    pub(crate) path: Option<Vec<Ident>>,
    pub(crate) computed: Option<ExprClosure>,
}

const KNOWN_ON_FIELD: [&str; 3] = ["path", "computed", "opaque"];

impl ViewFieldAttrs {
    pub(crate) fn from_syn(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for item in once(items(attrs, errors), &[], errors) {
            let name = &item.name;
            match name.to_string().as_str() {
                "opaque" => read.opaque = item.word(errors),
                "path" => set(&mut read.path, path(&item, errors), name, errors),
                "computed" => set(&mut read.computed, computed(&item, errors), name, errors),
                _ => unknown(name, "attribute", &KNOWN_ON_FIELD, errors),
            }
        }
        read
    }
}

fn path(item: &Item, errors: &mut Errors) -> Option<Vec<Ident>> {
    let path = item.path();
    if path.is_none() {
        errors.at(item.value_or_name(), "expected a path in Rust names: `path = address.city`");
    }
    path
}

fn computed(item: &Item, errors: &mut Errors) -> Option<ExprClosure> {
    match &item.value {
        Value::Expr(Expr::Closure(closure)) if closure.inputs.len() == 1 => Some(closure.clone()),
        _ => {
            let message = "expected an expression: `computed = |p| p.comments().expr().size()`";
            errors.at(item.value_or_name(), message);
            None
        }
    }
}
