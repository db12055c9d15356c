//! `#[odm(...)]` on a struct or enum.

use std::collections::HashSet;

use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, LitInt, LitStr, Path, Token};

use super::stamp::{StampAttr, StampKind};
use super::{IndexAttr, Item, RuleAttr, Value, items, nearest, once, set, unknown};
use crate::errors::Errors;
use crate::input::Role;

/// What a type declares.
#[derive(Default)]
pub(crate) struct ContainerAttrs {
    pub(crate) collection: Option<LitStr>,
    pub(crate) database: Option<LitStr>,
    pub(crate) schema_version: Option<SchemaVersion>,
    pub(crate) version_field: Option<LitStr>,
    /// The struct of the schema version before.
    pub(crate) from: Option<Path>,
    pub(crate) krate: Option<Path>,
    pub(crate) indexes: Vec<IndexAttr>,
    /// The rules of references inside of embedded documents.
    pub(crate) rules: Vec<RuleAttr>,
    /// The models that have rules about this one.
    pub(crate) referenced_by: Vec<Path>,
    /// The fields that the library keeps.
    pub(crate) stamps: Vec<StampAttr>,
    pub(crate) read_concern: Option<LitStr>,
    pub(crate) write_concern: Option<String>,
    pub(crate) read_preference: Option<LitStr>,
}

/// The version as written.
pub(crate) enum SchemaVersion {
    Number(LitInt),
    Text(LitStr),
}

const DOCUMENT: [&str; 16] = [
    "collection",
    "database",
    "schema_version",
    "version_field",
    "from",
    "index",
    "on_delete",
    "referenced_by",
    "revision",
    "created_at",
    "updated_at",
    "soft_delete",
    "read_concern",
    "write_concern",
    "read_preference",
    "crate",
];
const EMBEDDED: [&str; 1] = ["crate"];

const READ_CONCERNS: [&str; 5] = ["local", "available", "majority", "linearizable", "snapshot"];
const READ_PREFERENCES: [&str; 5] =
    ["primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"];

impl ContainerAttrs {
    pub(crate) fn from_syn(attrs: &[Attribute], role: Role, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for item in once(items(attrs, errors), &["index", "on_delete"], errors) {
            match role {
                Role::Document => read.document_item(&item, errors),
                Role::Embedded => read.embedded_item(&item, errors),
            }
        }
        read
    }

    fn document_item(&mut self, item: &Item, errors: &mut Errors) {
        let name = &item.name;
        match name.to_string().as_str() {
            "collection" => set(&mut self.collection, item.string(errors), name, errors),
            "database" => set(&mut self.database, item.string(errors), name, errors),
            "version_field" => set(&mut self.version_field, item.string(errors), name, errors),
            "schema_version" => {
                set(&mut self.schema_version, schema_version(item, errors), name, errors);
            }
            "from" => set(&mut self.from, from(item, errors), name, errors),
            "index" => self.indexes.extend(index(item, errors)),
            "on_delete" => self.rules.extend(RuleAttr::from_item(item, errors)),
            "referenced_by" => self.referenced_by = models(item, errors),
            "read_concern" => {
                let level = one_of(item, &READ_CONCERNS, errors);
                set(&mut self.read_concern, level, name, errors);
            }
            "write_concern" => {
                set(&mut self.write_concern, write_concern(item, errors), name, errors);
            }
            "read_preference" => {
                let mode = one_of(item, &READ_PREFERENCES, errors);
                set(&mut self.read_preference, mode, name, errors);
            }
            "crate" => set(&mut self.krate, krate(item, errors), name, errors),
            word => match StampKind::parse(word) {
                Some(kind) => self.stamps.extend(StampAttr::of_struct(kind, item, errors)),
                None => unknown(name, "attribute", &DOCUMENT, errors),
            },
        }
    }

    fn embedded_item(&mut self, item: &Item, errors: &mut Errors) {
        let name = &item.name;
        match name.to_string().as_str() {
            "crate" => set(&mut self.krate, krate(item, errors), name, errors),
            known if DOCUMENT.contains(&known) => {
                let message = format!(
                    "`{name}` is for documents: declare it on the struct that derives `Document`"
                );
                errors.at(name, message);
            }
            _ => unknown(name, "attribute", &EMBEDDED, errors),
        }
    }
}

fn index(item: &Item, errors: &mut Errors) -> Option<IndexAttr> {
    match &item.value {
        Value::List(tokens) => IndexAttr::from_list(&item.name, tokens.clone(), errors),
        _ => {
            errors.at(&item.name, "expected the keys: `index(author, -when)`");
            None
        }
    }
}

fn models(item: &Item, errors: &mut Errors) -> Vec<Path> {
    let parse = Punctuated::<Path, Token![,]>::parse_terminated;
    let parsed = match &item.value {
        Value::List(tokens) => parse.parse2(tokens.clone()).ok(),
        Value::None | Value::Expr(_) => None,
    };
    let Some(models) = parsed.filter(|models| !models.is_empty()) else {
        let message = "expected the models that have an `on_delete` rule about this one: \
                       `referenced_by(Book, Review)`";
        errors.at(item.value_or_name(), message);
        return Vec::new();
    };
    let text = |model: &Path| model.to_token_stream().to_string();
    let (mut seen, mut named) = (HashSet::new(), Vec::new());
    for model in models {
        match seen.insert(text(&model)) {
            true => named.push(model),
            false => errors.at(&model, "this model is named twice"),
        }
    }
    named
}

fn schema_version(item: &Item, errors: &mut Errors) -> Option<SchemaVersion> {
    if let Value::Expr(Expr::Lit(expr)) = &item.value {
        match &expr.lit {
            Lit::Int(number) if number.base10_parse::<i32>().is_ok() => {
                return Some(SchemaVersion::Number(number.clone()));
            }
            Lit::Str(text) if !text.value().is_empty() && !text.value().contains('\0') => {
                return Some(SchemaVersion::Text(text.clone()));
            }
            _ => {}
        }
    }
    let message =
        "expected a 32-bit number or a label: `schema_version = 2` or `schema_version = \"2.0\"`";
    errors.at(item.value_or_name(), message);
    None
}

/// One of the server's words.
fn one_of(item: &Item, known: &[&str], errors: &mut Errors) -> Option<LitStr> {
    let text = item.string(errors)?;
    if known.contains(&text.value().as_str()) {
        return Some(text);
    }
    let message = match nearest(&text.value(), known) {
        Some(word) => format!("unknown `{}`: did you mean `{word}`?", item.name),
        None => format!("unknown `{}`: known are `{}`", item.name, known.join("`, `")),
    };
    errors.push(syn::Error::new(text.span(), message));
    None
}

fn write_concern(item: &Item, errors: &mut Errors) -> Option<String> {
    if let Value::Expr(Expr::Lit(expr)) = &item.value {
        match &expr.lit {
            Lit::Int(members) => {
                // Nothing is known of a write that no member confirms.
                match members.base10_parse::<u32>() {
                    Ok(members) if members > 0 => return Some(members.to_string()),
                    _ => {}
                }
            }
            Lit::Str(text) if !text.value().is_empty() => return Some(text.value()),
            _ => {}
        }
    }
    let message = "expected who confirms a write: `write_concern = \"majority\"`, or a number of \
                   members from 1";
    errors.at(item.value_or_name(), message);
    None
}

fn from(item: &Item, errors: &mut Errors) -> Option<Path> {
    match &item.value {
        Value::Expr(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
        _ => {
            let message = "expected the struct of the schema version before: `from = PostV1`";
            errors.at(item.value_or_name(), message);
            None
        }
    }
}

pub(super) fn krate(item: &Item, errors: &mut Errors) -> Option<Path> {
    let text = item.string(errors)?;
    let parsed = text.parse_with(Path::parse_mod_style);
    parsed
        .map_err(|_| {
            let message = "expected the path of the library: `crate = \"my_crate::odm\"`";
            errors.push(syn::Error::new(text.span(), message));
        })
        .ok()
}
