//! After an error: the errors, and as much of the code as they leave, so that no others follow from
//! them.

use std::collections::HashSet;

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Path, parse_quote};

use crate::attr::ContainerAttrs;
use crate::errors::Errors;
use crate::expand;
use crate::input::{Content, Data, Input, Role, Variant};

pub(crate) fn expand(
    input: &DeriveInput,
    read: Option<Input<'_>>,
    role: Role,
    error: Option<&syn::Error>,
) -> TokenStream {
    let error = error.map(syn::Error::to_compile_error);
    let is_generic = !input.generics.params.is_empty();
    let is_union = matches!(input.data, syn::Data::Union(_));
    let rest = match read {
        // Nothing can be implemented for it that would compile.
        _ if is_generic || is_union => TokenStream::new(),
        Some(read) => expand::expand(&without_mistakes(read)),
        None => stub(input, role),
    };
    quote! {
        #error
        #rest
    }
}

/// Leaves out what may be wrong and would be wrong in the code too: indexes, and variants that have
/// the path of another.
fn without_mistakes(mut read: Input<'_>) -> Input<'_> {
    read.attrs.indexes.clear();
    read.attrs.rules.clear();
    read.attrs.from = None;
    read.attrs.stamps.clear();
    read.inverses.clear();
    match &mut read.data {
        Data::Struct(fields) => fields.iter_mut().for_each(|field| {
            field.attrs.index = None;
            field.attrs.references = None;
            field.attrs.inverse = None;
            field.attrs.on_delete = None;
            field.attrs.embedded = None;
            field.attrs.stamps.clear();
        }),
        Data::TaggedEnum(tag, variants) => without_collisions(tag, variants),
        Data::Newtype(_) | Data::UnitEnum(_) | Data::UntaggedEnum(_) => {}
    }
    read
}

fn without_collisions(tag: &str, variants: &mut [Variant<'_>]) {
    let mut taken = HashSet::from([tag.to_snake_case()]);
    for variant in variants {
        if !taken.insert(variant.rust_name().to_snake_case()) {
            variant.content = Content::Unit;
        }
    }
}

/// The traits alone, for a type of which nothing else is known.
fn stub(input: &DeriveInput, role: Role) -> TokenStream {
    let attrs = ContainerAttrs::from_syn(&input.attrs, role, &mut Errors::default());
    let odm: Path = attrs.krate.unwrap_or_else(|| parse_quote!(::odm));
    let ident = &input.ident;
    match role {
        Role::Document => quote! {
            impl #odm::Document for #ident {
                type Id = #odm::bson::Bson;
                const MODEL: &'static #odm::Model =
                    &#odm::Model::new("", "", &#odm::model::Shape::new("", "", &[]));
                fn id(&self) -> ::core::option::Option<&#odm::bson::Bson> {
                    ::core::option::Option::None
                }
                type Previous = #odm::migrate::First;
                fn upgrade(previous: #odm::migrate::First) -> #odm::Result<Self> {
                    match previous {}
                }
            }
        },
        Role::Embedded => quote! {
            impl #odm::path::Nest for #ident {
                type Via<V: 'static> = V;
            }
            impl #odm::view::ViewField for #ident {
                type Of = Self;
            }
            impl #odm::path::FieldType for #ident {
                type Path<M: 'static, C: 'static, V: 'static> = #odm::path::Path<M, C, V>;
                type Key = Self;
                const KIND: #odm::model::Kind = #odm::model::Kind::Any;
                fn encode(_: &Self) -> #odm::Result<#odm::bson::Bson> {
                    ::core::result::Result::Ok(#odm::bson::Bson::Null)
                }
            }
        },
    }
}
