//! What refers back: the paths, the table, and the checks of references by another key.
//!
//! ```text
//! fn __inverse_books() -> Inverse {
//!     Inverse::of::<Publisher, Many<Book>, _, _>("books", &{
//!         let __fields = <<Many<Book> as Relation>::Target>::fields();
//!         __fields.publisher()
//!     })
//! }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Type, Visibility};

use super::{Declared, document::nested_path};
use crate::input::{Field, Input, InverseField};

/// What refers back to a document: functions that describe it, and the option of the model.
pub(super) fn inverses(input: &Input<'_>, fields: &[Field<'_>]) -> (TokenStream, TokenStream) {
    let stored = fields.iter().filter_map(|field| {
        let (_, path) = field.attrs.inverse.as_ref()?;
        Some((field.ident, field.ty, field.name.clone(), path))
    });
    let of_others = input.inverses.iter();
    let of_others = of_others.map(|field| (field.ident, field.ty, field.rust_name(), &field.path));
    let all: Vec<_> = stored.chain(of_others).collect();
    if all.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let functions = all.iter().map(|(ident, ty, name, path)| {
        let function = function_name(ident);
        let last = path.last().map_or_else(|| ident.span(), Ident::span);
        let (owner, path) = (input.ident, nested_path(path));
        let (first, _) = super::ends(ty);
        let root = quote_spanned!(first=> <<#ty as __odm::Relation>::Target>::fields());
        let of = quote_spanned!(last=> __odm::Inverse::of::<#owner, #ty, _, _>);
        quote! {
            fn #function() -> __odm::Inverse {
                let __fields = #root;
                #of(#name, #path)
            }
        }
    });
    let names = all.iter().map(|(ident, ..)| function_name(ident));
    let definitions = quote! {
        #(#functions)*
        fn __inverses() -> __odm::Vec<__odm::Inverse> {
            __odm::Vec::from([#(#names()),*])
        }
    };
    (definitions, quote!(.inverses(__inverses)))
}

fn function_name(field: &Ident) -> Ident {
    format_ident!("__inverse_{field}")
}

/// The paths to what refers back.
pub(super) fn accessors(vis: &Visibility, inverses: &[InverseField<'_>]) -> Vec<TokenStream> {
    let accessor = |field: &InverseField<'_>| {
        let InverseField { ident, ty, doc, .. } = field;
        let (name, function) = (field.rust_name(), function_name(ident));
        let (first, _) = super::ends(ty);
        quote_spanned! {first=>
            #[doc = #doc]
            #vis fn #ident(&self) -> __odm::Path<__M, #ty, __C::Via<__V>> {
                self.0.inverse::<#ty>(#name, #function)
            }
        }
    };
    inverses.iter().map(accessor).collect()
}

/// The target of a relation, whose fields are asked for.
fn target(ty: &Type) -> TokenStream {
    quote!(<#ty as __odm::Relation>::Target)
}

/// The stored name of the key that a field refers by.
pub(super) fn key_of(field: &Field<'_>) -> Option<TokenStream> {
    let key = field.attrs.references.as_ref()?;
    let (target, name) = (target(field.ty), key.to_string());
    Some(quote!(__odm::stored_name(<#target as __odm::Described>::SHAPE, #name)))
}

/// A reference holds the `_id` unless it says which key it holds; that key has its type, and is
/// unique.
pub(super) fn checks(fields: &[Field<'_>], declared: &[Declared]) -> TokenStream {
    let checks = fields.iter().zip(declared).filter(|(field, _)| super::refs::may_hold(field));
    let checks = checks.map(|(field, declared)| {
        let (is_by_id, reference) = (field.attrs.references.is_none(), declared.get("REFERENCE"));
        let by_key = declared.assert(
            &quote!(__odm::is_by_id(#reference) == #is_by_id),
            match is_by_id {
                true => {
                    "the reference holds another key than the `_id`: say which, by \
                     `#[odm(references(field))]`"
                }
                false => {
                    "a reference by another key than the `_id` has the key's type as its second \
                     parameter: `Ref<Group, i32>`"
                }
            },
        );
        let key_check = field.attrs.references.as_ref().map(|key| key_check(field, key));
        quote!(#by_key #key_check)
    });
    quote!(#(#checks)*)
}

fn key_check(field: &Field<'_>, key: &Ident) -> TokenStream {
    let (ty, target, name) = (field.ty, target(field.ty), key.to_string());
    let path = nested_path(std::slice::from_ref(key));
    let message = format!(
        "several documents may have the same `{name}`, and a reference leads to one: add \
         `#[odm(unique)]` to it"
    );
    let unique = quote_spanned! {key.span()=>
        ::core::assert!(
            __odm::is_unique(<#target as __odm::Described>::SHAPE, #name), #message
        )
    };
    let holds = quote_spanned!(key.span()=> __odm::holds_key::<#ty, _>);
    quote! {
        const _: fn() = || {
            let __fields = <#target>::fields();
            #holds(#path);
        };
        const _: () = #unique;
    }
}
