//! Writes the code: tables and calls into the runtime, all inside one `const _: () = { … };`.

mod document;
mod embedded;
mod enums;
mod fields;
mod shape;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Path, Type, parse_quote};

use crate::input::{Data, Field, Input, Role};

/// The whole expansion.
pub(crate) fn expand(input: &Input<'_>) -> TokenStream {
    let krate: Path = input
        .attrs
        .krate
        .clone()
        .unwrap_or_else(|| parse_quote!(::odm));
    let code = match (&input.data, input.role) {
        (Data::Struct(fields), Role::Document) => document::expand(input, fields),
        (Data::Struct(fields), Role::Embedded) => embedded::expand_struct(input, fields),
        (Data::Newtype(ty), _) => embedded::expand_newtype(input, ty),
        (Data::UnitEnum(variants), _) => enums::expand_unit(input, variants),
        (Data::TaggedEnum(tag, variants), _) => enums::expand_tagged(input, tag, variants),
    };
    quote! {
        #[allow(
            dead_code, missing_docs, non_camel_case_types, private_interfaces, unreachable_pub,
            unused_qualifications, clippy::all, clippy::pedantic, clippy::nursery
        )]
        const _: () = {
            use #krate::__private as __odm;
            #code
        };
    }
}

/// The type that the runtime sees in place of the field's own, with the impl that it may need.
///
/// ```text
/// pub struct PostWhenCoding;
/// impl Coding for PostWhenCoding { type Value = DateTime<Utc>; fn serialize(…) { helper::serialize(…) } }
/// ```
struct Declared {
    ty: Type,
    coding: Option<TokenStream>,
}

impl Declared {
    fn of(owner: &proc_macro2::Ident, field: &Field<'_>) -> Self {
        let ty = field.ty;
        if let Some(serialize) = &field.serialize_with {
            let coding = quote::format_ident!(
                "{owner}{}Coding",
                heck::ToUpperCamelCase::to_upper_camel_case(field.rust_name().as_str())
            );
            let definition = quote! {
                #[doc(hidden)]
                pub struct #coding;
                impl __odm::Coding for #coding {
                    type Value = #ty;
                    fn serialize<S: __odm::Serializer>(
                        value: &#ty,
                        serializer: S,
                    ) -> __odm::Result<S::Ok, S::Error> {
                        #serialize(value, serializer)
                    }
                }
            };
            return Self {
                ty: parse_quote!(__odm::Coded<#coding>),
                coding: Some(definition),
            };
        }
        match field.attrs.opaque {
            true => Self {
                ty: parse_quote!(__odm::Opaque<#ty>),
                coding: None,
            },
            false => Self {
                ty: ty.clone(),
                coding: None,
            },
        }
    }
}
