//! The table of the fields that the library keeps.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::Declared;
use crate::attr::{StampAttr, StampKind};
use crate::input::{Field, Input};

/// `static __STAMPS: Stamps = Stamps::NONE.revision(revision::<i64>("rev"));` and the call that makes
/// it part of the model; nothing without such fields. `valid` has seen that the fields are there.
pub(super) fn stamps(
    input: &Input<'_>,
    fields: &[Field<'_>],
    declared: &[Declared],
) -> (TokenStream, TokenStream) {
    let entries: Vec<_> = all(input, fields)
        .filter_map(|(stamp, field)| {
            let position = fields.iter().position(|other| other.ident == field.ident)?;
            Some(entry(stamp.kind, field, declared.get(position)?))
        })
        .collect();
    if entries.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let table = quote!(static __STAMPS: __odm::Stamps = __odm::Stamps::NONE #(#entries)*;);
    (table, quote!(.stamps(&__STAMPS)))
}

/// The method that takes the kept fields from another value; nothing without such fields.
pub(super) fn take(input: &Input<'_>, fields: &[Field<'_>]) -> TokenStream {
    let taken: Vec<_> = all(input, fields).map(|(_, field)| field.ident).collect();
    match taken.is_empty() {
        true => TokenStream::new(),
        false => quote! {
            fn take_stamps(&mut self, from: Self) {
                #(self.#taken = from.#taken;)*
            }
        },
    }
}

/// The declarations with their fields.
fn all<'i>(
    input: &'i Input<'_>,
    fields: &'i [Field<'i>],
) -> impl Iterator<Item = (&'i StampAttr, &'i Field<'i>)> {
    let of_struct = input.attrs.stamps.iter().filter_map(move |stamp| {
        let name = stamp.field.as_ref()?.value();
        Some((stamp, fields.iter().find(|field| field.rust_name() == name)?))
    });
    let of_fields =
        fields.iter().flat_map(|field| field.attrs.stamps.iter().map(move |s| (s, field)));
    of_struct.chain(of_fields)
}

fn entry(kind: StampKind, field: &Field<'_>, declared: &Declared) -> TokenStream {
    let (ty, name, span) = (&declared.ty, &field.name, declared.ends.0);
    match kind {
        StampKind::Revision => quote_spanned!(span=> .revision(__odm::revision::<#ty>(#name))),
        StampKind::CreatedAt => quote_spanned!(span=> .created_at(__odm::stamp::<#ty>(#name))),
        StampKind::UpdatedAt => quote_spanned!(span=> .updated_at(__odm::stamp::<#ty>(#name))),
        StampKind::SoftDelete => quote_spanned!(span=> .soft_delete(__odm::stamp::<#ty>(#name))),
    }
}

/// The stored name of the field that tells whether a document is deleted.
pub(super) fn soft_delete(input: &Input<'_>, fields: &[Field<'_>]) -> Option<String> {
    let mut stamps = all(input, fields);
    let found = stamps.find(|(stamp, _)| stamp.kind == StampKind::SoftDelete);
    found.map(|(_, field)| field.name.clone())
}
