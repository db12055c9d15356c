//! What is checked of lists whose elements have keys or a bound.
//!
//! ```text
//! const _: () = assert!(has_field(<<Vec<Line> as List>::Element as Described>::SHAPE, "sku"), "…");
//! ```

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::Declared;
use crate::input::Field;

/// The key is a field of the elements, whose values equality finds.
pub(super) fn checks(fields: &[Field<'_>], declared: &[Declared]) -> TokenStream {
    let bounds = fields.iter().zip(declared).filter_map(|(field, declared)| {
        field.attrs.embedded.as_ref()?.max.as_ref()?;
        let field = declared.get("FIELD");
        Some(declared.assert(
            &quote!(__odm::is_own_list(&#field)),
            "a bound is for a list that is stored in the document: a `Vec` or another list, and not \
             one of references",
        ))
    });
    let keys = fields.iter().filter_map(|field| {
        let key = field.attrs.embedded.as_ref()?.key.as_ref()?;
        let ty = field.ty;
        let (first, last) = super::ends(ty);
        let element = quote_spanned!(first=> <#ty as);
        let element = quote_spanned!(last=> #element __odm::List>::Element);
        let (name, list) = (key.unraw().to_string(), field.rust_name());
        let there = format!(
            "the elements of `{list}` have no field `{name}`: name the one that tells them apart, as \
             in Rust, and neither a flattened one nor one inside of it"
        );
        let exact = format!(
            "`{name}` cannot tell elements apart: a key is an ObjectId, a text, a 32-bit or 64-bit \
             integer, a date or binary data, and never null or left out"
        );
        let shape = quote!(<#element as __odm::Described>::SHAPE);
        let there = quote_spanned! {key.span()=>
            ::core::assert!(__odm::has_field(#shape, #name), #there)
        };
        let exact = quote_spanned! {key.span()=>
            ::core::assert!(__odm::is_key(#shape, #name), #exact)
        };
        Some(quote! {
            const _: () = #there;
            const _: () = #exact;
        })
    });
    quote!(#(#bounds)* #(#keys)*)
}
