//! `#[odm(...)]` on a field.

use syn::Attribute;

use super::{IndexAttr, Item, Value, items, once, unknown};
use crate::errors::Errors;

/// What a field declares.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) opaque: bool,
    /// The index on this field; its only key is the field itself.
    pub(crate) index: Option<IndexAttr>,
}

const KNOWN: [&str; 9] =
    ["index", "unique", "sparse", "hidden", "desc", "partial", "ttl", "name", "opaque"];

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
            known if IndexAttr::is_option(known) => {
                let index = self.index.get_or_insert_with(|| IndexAttr::new(name));
                index.option(item, errors);
            }
            _ => unknown(name, "attribute", &KNOWN, errors),
        }
    }
}
