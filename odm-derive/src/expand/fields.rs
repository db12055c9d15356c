//! The type whose methods are the paths to the fields.
//!
//! ```text
//! pub struct PostFields<M: 'static, C: 'static = Whole<Post>, V: 'static = Direct>(Path<M, C, V>);
//! impl<M, C: Nest, V> PostFields<M, C, V> {
//!     pub fn title(&self) -> <String as FieldType>::Path<M, String, C::Via<V>> {
//!         self.0.child::<String>("title")
//!     }
//! }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Type, Visibility};

use super::Declared;
use crate::input::Field;

/// The definition of the type, with these accessors.
pub(super) fn expand_type(
    vis: &Visibility,
    name: &Ident,
    owner: &Ident,
    accessors: &[TokenStream],
) -> TokenStream {
    quote! {
        #[doc(hidden)]
        #vis struct #name<M: 'static, C: 'static = __odm::Whole<#owner>, V: 'static = __odm::Direct>(
            __odm::Path<M, C, V>,
        );
        impl<M: 'static, C: 'static, V: 'static> __odm::From<__odm::Path<M, C, V>> for #name<M, C, V> {
            fn from(path: __odm::Path<M, C, V>) -> Self {
                Self(path)
            }
        }
        impl<M: 'static, C: 'static, V: 'static> __odm::Deref for #name<M, C, V> {
            type Target = __odm::Path<M, C, V>;
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
        impl<M: 'static, C: __odm::Nest, V: 'static> #name<M, C, V> {
            #(#accessors)*
        }
    }
}

/// The accessor of each field.
pub(super) fn accessors(
    vis: &Visibility,
    fields: &[Field<'_>],
    declared: &[Declared],
) -> Vec<TokenStream> {
    fields
        .iter()
        .zip(declared)
        .map(|(field, declared)| match field.flatten {
            true => flattened(vis, field.ident, &field.doc, &declared.ty),
            false => accessor(vis, field.ident, &field.name, &field.doc, &declared.ty),
        })
        .collect()
}

pub(super) fn accessor(
    vis: &Visibility,
    ident: &Ident,
    name: &str,
    doc: &str,
    ty: &Type,
) -> TokenStream {
    quote_spanned! {ty.span()=>
        #[doc = #doc]
        #vis fn #ident(&self) -> <#ty as __odm::FieldType>::Path<M, #ty, C::Via<V>> {
            self.0.child::<#ty>(#name)
        }
    }
}

pub(super) fn flattened(vis: &Visibility, ident: &Ident, doc: &str, ty: &Type) -> TokenStream {
    quote_spanned! {ty.span()=>
        #[doc = #doc]
        #vis fn #ident(&self) -> <#ty as __odm::FieldType>::Path<M, __odm::Flat<#ty>, C::Via<V>> {
            self.0.flatten::<#ty>()
        }
    }
}
