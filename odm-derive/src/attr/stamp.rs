//! The fields that the library keeps: the revision and the stamps, on a struct or on a field.

use proc_macro2::Ident;
use syn::LitStr;

use super::Item;
use crate::errors::Errors;

/// What the library keeps in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StampKind {
    Revision,
    CreatedAt,
    UpdatedAt,
    SoftDelete,
}

/// One declaration: the word, and on a struct the field that it names.
pub(crate) struct StampAttr {
    pub(crate) kind: StampKind,
    pub(crate) word: Ident,
    pub(crate) field: Option<LitStr>,
}

impl StampKind {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "revision" => Self::Revision,
            "created_at" => Self::CreatedAt,
            "updated_at" => Self::UpdatedAt,
            "soft_delete" => Self::SoftDelete,
            _ => return None,
        })
    }
}

impl StampAttr {
    /// `revision = "rev"` on a struct.
    pub(super) fn of_struct(kind: StampKind, item: &Item, errors: &mut Errors) -> Option<Self> {
        let field = item.string(errors)?;
        Some(Self { kind, word: item.name.clone(), field: Some(field) })
    }

    /// `revision` on a field.
    pub(super) fn of_field(kind: StampKind, item: &Item, errors: &mut Errors) -> Self {
        item.word(errors);
        Self { kind, word: item.name.clone(), field: None }
    }
}
