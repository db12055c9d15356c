//! The static table of the fields.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::Declared;
use crate::input::Field;

/// `[Field::of::<String>("title", "title", "…"), …]`
pub(super) fn table(fields: &[Field<'_>], declared: &[Declared]) -> TokenStream {
    let entries = fields
        .iter()
        .zip(declared)
        .map(|(field, declared)| entry(field, declared));
    quote!([#(#entries),*])
}

fn entry(field: &Field<'_>, declared: &Declared) -> TokenStream {
    let (rust_name, doc, ty) = (field.rust_name(), &field.doc, &declared.ty);
    let name = if field.flatten {
        ""
    } else {
        field.name.as_str()
    };
    let aliases = match field.aliases.as_slice() {
        [] => None,
        aliases => Some(quote!(.aliases(&[#(#aliases),*]))),
    };
    let skippable = field.skippable.then(|| quote!(.skippable()));
    let flatten = field.flatten.then(|| quote!(.flatten()));
    quote_spanned! {ty.span()=>
        __odm::Field::of::<#ty>(#rust_name, #name, #doc) #aliases #skippable #flatten
    }
}

/// The names of the fields that are not flattened.
pub(super) fn names(fields: &[Field<'_>]) -> TokenStream {
    let names = fields
        .iter()
        .filter(|field| !field.flatten)
        .map(|field| &field.name);
    quote!([#(#names),*])
}

/// Checks that no field of a flattened type has the name of a field beside it.
pub(super) fn flatten_checks(fields: &[Field<'_>], declared: &[Declared]) -> TokenStream {
    let names = names(fields);
    let checks = fields
        .iter()
        .zip(declared)
        .filter(|(field, _)| field.flatten)
        .map(|(field, declared)| {
            let ty = &declared.ty;
            let message = format!(
                "a field of `{}` has the stored name of a field beside it: one would overwrite the \
                 other",
                field.rust_name()
            );
            quote_spanned! {ty.span()=>
                const _: () = ::core::assert!(
                    __odm::is_disjoint(&#names, <#ty as __odm::FieldType>::NAMES),
                    #message
                );
            }
        });
    quote!(#(#checks)*)
}
