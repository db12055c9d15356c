//! After an error: the error, and stub impls, so that no other errors follow from it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::input::Role;

pub(crate) fn expand(input: &DeriveInput, role: Role, error: Option<&syn::Error>) -> TokenStream {
    let error = error.map(syn::Error::to_compile_error);
    let ident = &input.ident;
    let is_generic = !input.generics.params.is_empty();
    let stub = match role {
        Role::Document if !is_generic => quote! {
            impl ::odm::Document for #ident {
                type Id = ::odm::bson::Bson;
                const MODEL: &'static ::odm::Model =
                    &::odm::Model::new("", "", &::odm::model::Shape::new("", "", &[]));
                fn id(&self) -> ::std::option::Option<&::odm::bson::Bson> {
                    ::std::option::Option::None
                }
            }
        },
        Role::Embedded if !is_generic => quote! {
            impl ::odm::path::Nest for #ident {
                type Via<V: 'static> = V;
            }
            impl ::odm::path::FieldType for #ident {
                type Path<M: 'static, C: 'static, V: 'static> = ::odm::path::Path<M, C, V>;
                type Key = Self;
                const KIND: ::odm::model::Kind = ::odm::model::Kind::Any;
                fn encode(_: &Self) -> ::odm::Result<::odm::bson::Bson> {
                    ::std::result::Result::Ok(::odm::bson::Bson::Null)
                }
            }
        },
        _ => TokenStream::new(),
    };
    quote! {
        #error
        #stub
    }
}
