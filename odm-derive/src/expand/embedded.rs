//! The expansion of `Embedded` for structs.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Type;

use super::{Declared, fields as paths, shape};
use crate::input::{Field, Input};

pub(super) fn expand_struct(input: &Input<'_>, fields: &[Field<'_>]) -> TokenStream {
    let (ident, vis) = (input.ident, input.vis);
    let (name, doc) = (ident.to_string(), &input.doc);
    let declared: Vec<_> = fields
        .iter()
        .map(|field| Declared::of(ident, field))
        .collect();
    let codings = declared.iter().map(|declared| &declared.coding);
    let paths_name = format_ident!("{ident}Fields");
    let accessors = paths::accessors(vis, fields, &declared);
    let paths_type = paths::expand_type(vis, &paths_name, ident, &accessors);
    let table = shape::table(fields, &declared);
    let flatten_checks = shape::flatten_checks(fields, &declared);
    let names = shape::names(fields);
    let traits = traits(
        ident,
        &quote!(#paths_name<M, C, V>),
        &quote!(__odm::Kind::Document),
        &names,
    );
    quote! {
        #(#codings)*
        #paths_type
        #flatten_checks
        static SHAPE: __odm::Shape = {
            const FIELDS: &[__odm::Field] = &#table;
            __odm::Shape::new(#name, #doc, FIELDS)
        };
        impl #ident {
            /// The paths to the fields, for filters and updates.
            #vis fn fields() -> #paths_name<#ident> {
                #paths_name(__odm::Path::root())
            }
        }
        #traits
    }
}

/// The impls that every embedded type with a shape has.
pub(super) fn traits(
    ident: &Ident,
    path: &TokenStream,
    kind: &TokenStream,
    names: &TokenStream,
) -> TokenStream {
    quote! {
        impl __odm::Nest for #ident {
            type Via<V: 'static> = V;
        }
        impl __odm::FieldType for #ident {
            type Path<M: 'static, C: 'static, V: 'static> = #path;
            type Key = Self;
            const KIND: __odm::Kind = #kind;
            const NAMES: &'static [&'static __odm::str] = &#names;
            fn encode(value: &Self) -> __odm::Encoded {
                __odm::encode_value(value)
            }
            fn shape() -> __odm::Option<&'static __odm::Shape> {
                __odm::Some(&SHAPE)
            }
        }
        impl __odm::Embedded for #ident {
            const SHAPE: &'static __odm::Shape = &SHAPE;
        }
        impl __odm::IntoKey<__odm::Option<#ident>> for #ident {
            fn into_key(self) -> __odm::Option<#ident> {
                __odm::Some(self)
            }
        }
    }
}

/// A newtype is stored as its field, and its paths are plain.
pub(super) fn expand_newtype(input: &Input<'_>, ty: &Type) -> TokenStream {
    let ident = input.ident;
    quote! {
        impl __odm::Nest for #ident {
            type Via<V: 'static> = <#ty as __odm::Nest>::Via<V>;
        }
        impl __odm::FieldType for #ident {
            type Path<M: 'static, C: 'static, V: 'static> = __odm::Path<M, C, V>;
            type Key = Self;
            const KIND: __odm::Kind = <#ty as __odm::FieldType>::KIND;
            const OPTIONAL: __odm::bool = <#ty as __odm::FieldType>::OPTIONAL;
            fn encode(value: &Self) -> __odm::Encoded {
                __odm::encode_value(value)
            }
            fn shape() -> __odm::Option<&'static __odm::Shape> {
                <#ty as __odm::FieldType>::shape()
            }
        }
        impl __odm::IntoKey<__odm::Option<#ident>> for #ident {
            fn into_key(self) -> __odm::Option<#ident> {
                __odm::Some(self)
            }
        }
    }
}
