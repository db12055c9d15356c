//! The rules of references, and the models that have rules about this one.
//!
//! ```text
//! fn __rules() -> Vec<Rule> {
//!     let __fields = Book::fields();
//!     Vec::from([Rule::restrict(&__fields.publisher())])
//! }
//! impl ReferencedBy<Book> for Publisher {}
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::document::{field_path, nested_path};
use crate::attr::OnDelete;
use crate::input::{Field, Input};

/// The rules of a document: a function that lists them, and the option of the model.
pub(super) fn rules(input: &Input<'_>, fields: &[Field<'_>]) -> (TokenStream, TokenStream) {
    let of_fields = fields.iter().filter_map(|field| {
        let (_, on_delete) = field.attrs.on_delete.as_ref()?;
        Some(rule(&field_path(field), on_delete))
    });
    let of_struct = input.attrs.rules.iter();
    let of_struct = of_struct.map(|attr| rule(&nested_path(&attr.path), &attr.on_delete));
    let all: Vec<_> = of_fields.chain(of_struct).collect();
    if all.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let ident = input.ident;
    let definition = quote! {
        fn __rules() -> __odm::Vec<__odm::Rule> {
            let __fields = #ident::fields();
            __odm::Vec::from([#(#all),*])
        }
    };
    (definition, quote!(.rules(__rules)))
}

fn rule(path: &TokenStream, on_delete: &OnDelete) -> TokenStream {
    let function = Ident::new(&on_delete.word, on_delete.span);
    let rule = quote_spanned!(on_delete.span=> __odm::Rule::#function);
    quote!(#rule(#path))
}

/// The models that have rules about a document: a function that lists them, and the option of the
/// model.
pub(super) fn referrers(input: &Input<'_>) -> (TokenStream, TokenStream) {
    let (ident, models) = (input.ident, &input.attrs.referenced_by);
    if models.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let definition = quote! {
        #(impl __odm::ReferencedBy<#models> for #ident {})*
        fn __referrers() -> __odm::Vec<__odm::Referrer> {
            __odm::Vec::from([#(__odm::Referrer::of::<#models>()),*])
        }
    };
    (definition, quote!(.referrers(__referrers)))
}
