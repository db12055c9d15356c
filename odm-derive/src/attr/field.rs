//! `#[odm(...)]` on a field.

use proc_macro2::Ident;
use syn::Attribute;

use super::stamp::{StampAttr, StampKind};
use super::{EmbeddedAttr, IndexAttr, Item, OnDelete, Value, items, once, set, unknown};
use crate::errors::Errors;

/// What a field declares.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) opaque: bool,
    /// The index on this field; its only key is the field itself.
    pub(crate) index: Option<IndexAttr>,
    /// The unique key of the target that a reference holds, in place of its `_id`.
    pub(crate) references: Option<Ident>,
    /// The path by which the other model refers back, in Rust names, and the word that declares it.
    pub(crate) inverse: Option<(Ident, Vec<Ident>)>,
    /// What a delete of the target does, and the word that declares it.
    pub(crate) on_delete: Option<(Ident, OnDelete)>,
    /// What a list of embedded documents declares.
    pub(crate) embedded: Option<EmbeddedAttr>,
    /// What the library keeps in it.
    pub(crate) stamps: Vec<StampAttr>,
}

const KNOWN: [&str; 17] = [
    "index",
    "unique",
    "sparse",
    "hidden",
    "desc",
    "partial",
    "ttl",
    "name",
    "opaque",
    "embedded",
    "references",
    "inverse",
    "on_delete",
    "revision",
    "created_at",
    "updated_at",
    "soft_delete",
];

impl FieldAttrs {
    pub(crate) fn from_syn(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for item in once(items(attrs, errors), &[], errors) {
            read.item(&item, errors);
        }
        read
    }

    fn item(&mut self, item: &Item, errors: &mut Errors) {
        let name = &item.name;
        match name.to_string().as_str() {
            "opaque" => self.opaque = item.word(errors),
            "index" => {
                let index = self.index.get_or_insert_with(|| IndexAttr::new(name));
                match &item.value {
                    Value::None => {}
                    Value::List(tokens) => index.options(tokens.clone(), errors),
                    Value::Expr(value) => {
                        errors.at(value, "expected `index` or `index(unique, …)`");
                    }
                }
            }
            "unique" if matches!(item.value, Value::List(_)) => {
                let index = self.index.get_or_insert_with(|| IndexAttr::new(name));
                index.unique = true;
                if let Value::List(tokens) = &item.value {
                    index.options(tokens.clone(), errors);
                }
            }
            "embedded" => {
                let embedded = EmbeddedAttr::from_item(item, errors);
                set(&mut self.embedded, embedded, name, errors);
            }
            "references" => set(&mut self.references, references(item, errors), name, errors),
            "inverse" => set(&mut self.inverse, inverse(item, errors), name, errors),
            "on_delete" => {
                let rule = item.string(errors).and_then(|word| OnDelete::parse(&word, errors));
                let rule = rule.map(|rule| (name.clone(), rule));
                set(&mut self.on_delete, rule, name, errors);
            }
            known if IndexAttr::is_option(known) => {
                let index = self.index.get_or_insert_with(|| IndexAttr::new(name));
                index.option(item, errors);
            }
            word => match StampKind::parse(word) {
                Some(kind) => self.stamps.push(StampAttr::of_field(kind, item, errors)),
                None => unknown(name, "attribute", &KNOWN, errors),
            },
        }
    }
}

fn references(item: &Item, errors: &mut Errors) -> Option<Ident> {
    let key = match &item.value {
        Value::List(tokens) => syn::parse2(tokens.clone()).ok(),
        Value::None | Value::Expr(_) => None,
    };
    if key.is_none() {
        let message = "expected a field of the model that is referred to: `references(group_id)`";
        errors.at(item.value_or_name(), message);
    }
    key
}

fn inverse(item: &Item, errors: &mut Errors) -> Option<(Ident, Vec<Ident>)> {
    let path = item.path();
    if path.is_none() {
        let message =
            "expected the reference of the other model, in Rust names: `inverse = author`";
        errors.at(item.value_or_name(), message);
    }
    path.map(|path| (item.name.clone(), path))
}
