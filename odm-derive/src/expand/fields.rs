//! The type whose methods are the paths to the fields.
//!
//! ```text
//! pub struct PathsOfPost<M: 'static, C: 'static = Whole<Post>, V: 'static = Direct>(Path<M, C, V>);
//! impl<M, C: Nest, V> PathsOfPost<M, C, V> {
//!     pub fn title(&self) -> <String as FieldType>::Path<M, String, C::Via<V>> {
//!         self.0.child::<String>("title")
//!     }
//! }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Visibility, parse_quote};

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
        #vis struct #name<
            __M: 'static,
            __C: 'static = __odm::Whole<#owner>,
            __V: 'static = __odm::Direct,
        >(__odm::Path<__M, __C, __V>);
        impl<__M: 'static, __C: 'static, __V: 'static> __odm::From<__odm::Path<__M, __C, __V>>
            for #name<__M, __C, __V>
        {
            fn from(path: __odm::Path<__M, __C, __V>) -> Self {
                Self(path)
            }
        }
        impl<__M: 'static, __C: 'static, __V: 'static> __odm::Deref for #name<__M, __C, __V> {
            type Target = __odm::Path<__M, __C, __V>;
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
        impl<__M: 'static, __C: 'static, __V: 'static> __odm::IntoPath<__M>
            for #name<__M, __C, __V>
        {
            type Value = __C;
            type Via = __V;
            fn into_path(self) -> __odm::Path<__M, __C, __V> {
                self.0
            }
        }
        impl<__M: 'static, __C: 'static, __V: __odm::Queryable> __odm::IntoExpr<__M>
            for #name<__M, __C, __V>
        {
            fn into_expr(self) -> __odm::Expr<__M> {
                self.0.expr()
            }
        }
        impl<__M: 'static, __C: __odm::Nest, __V: 'static> #name<__M, __C, __V> {
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
            true => flattened(vis, field.ident, &field.doc, declared),
            false => match super::relation::key_of(field) {
                Some(key) => keyed(vis, field, &key, declared),
                None => accessor(vis, field.ident, &field.name, &field.doc, declared),
            },
        })
        .collect()
}

pub(super) fn accessor(
    vis: &Visibility,
    ident: &Ident,
    name: &str,
    doc: &str,
    declared: &Declared,
) -> TokenStream {
    let (ty, path) = (&declared.ty, declared.path(&declared.ty));
    quote_spanned! {declared.ends.0=>
        #[doc = #doc]
        #vis fn #ident(&self) -> #path {
            self.0.child::<#ty>(#name)
        }
    }
}

/// The accessor of a reference by another key than `_id`.
fn keyed(
    vis: &Visibility,
    field: &Field<'_>,
    key: &TokenStream,
    declared: &Declared,
) -> TokenStream {
    let (ident, name, doc) = (field.ident, &field.name, &field.doc);
    let (ty, path) = (&declared.ty, declared.path(&declared.ty));
    quote_spanned! {declared.ends.0=>
        #[doc = #doc]
        #vis fn #ident(&self) -> #path {
            const KEY: &__odm::str = #key;
            self.0.keyed::<#ty>(#name, KEY)
        }
    }
}

pub(super) fn flattened(
    vis: &Visibility,
    ident: &Ident,
    doc: &str,
    declared: &Declared,
) -> TokenStream {
    let ty = &declared.ty;
    let path = declared.path(&parse_quote!(__odm::Flat<#ty>));
    quote_spanned! {declared.ends.0=>
        #[doc = #doc]
        #vis fn #ident(&self) -> #path {
            self.0.flatten::<#ty>()
        }
    }
}
