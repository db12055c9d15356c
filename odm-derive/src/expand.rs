//! Writes the code: tables and calls into the runtime, all inside one `const _: () = { … };`.

mod document;
mod elements;
mod embedded;
mod enums;
mod fields;
mod read;
mod refs;
mod relation;
mod rule;
mod shape;
mod stamp;
pub(crate) mod view;
mod write;

use heck::ToUpperCamelCase;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{ExprPath, Path, Type, parse_quote};

use crate::input::{Data, Field, Input, Role};

/// The whole expansion. Names in it are ones that no field's type, function or filter would have,
/// since those are resolved inside of it.
pub(crate) fn expand(input: &Input<'_>) -> TokenStream {
    let code = match (&input.data, input.role) {
        (Data::Struct(fields), Role::Document) => document::expand(input, fields),
        (Data::Struct(fields), Role::Embedded) => embedded::expand_struct(input, fields),
        (Data::Newtype(ty), _) => embedded::expand_newtype(input, ty),
        (Data::UnitEnum(variants), _) => enums::expand_unit(input, variants),
        (Data::TaggedEnum(tag, variants), _) => enums::expand_tagged(input, tag, variants),
        (Data::UntaggedEnum(variants), _) => enums::expand_untagged(input, variants),
    };
    in_scope(&input.attrs.krate, &code)
}

/// Code that names the library `__odm`, in a scope of its own.
fn in_scope(krate: &Option<Path>, code: &TokenStream) -> TokenStream {
    let krate: Path = krate.clone().unwrap_or_else(|| parse_quote!(::odm));
    quote! {
        #[allow(
            dead_code, deprecated, missing_copy_implementations, missing_debug_implementations,
            missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals,
            private_interfaces, single_use_lifetimes, unnameable_types, unreachable_pub,
            unused_qualifications, clippy::all, clippy::pedantic, clippy::nursery
        )]
        const _: () = {
            use #krate::__private as __odm;
            #code
        };
    }
}

/// The type whose methods are the paths to the fields of a type or variant.
fn paths_name(owner: &Ident) -> Ident {
    format_ident!("PathsOf{}", owner.unraw())
}

/// The type that the runtime sees in place of the field's own, with the impl that it may need.
///
/// ```text
/// pub struct CodingOfPostWhen;
/// impl Coding for CodingOfPostWhen {
///     type Value = DateTime<Utc>;
///     fn serialize(…) { helper::serialize(…) }
/// }
/// ```
struct Declared {
    ty: Type,
    coding: Option<TokenStream>,
    /// Where the field's own type begins and ends: errors underline it.
    ends: (Span, Span),
}

impl Declared {
    /// A type that stands for itself.
    fn new(ty: &Type) -> Self {
        Self { ty: ty.clone(), coding: None, ends: ends(ty) }
    }

    fn of(owner: &Ident, field: &Field<'_>) -> Self {
        let (ty, ends) = (field.ty, ends(field.ty));
        if let Some(serialize) = &field.serialize_with {
            let field_name = field.rust_name().to_upper_camel_case();
            let name = format_ident!("CodingOf{}{field_name}", owner.unraw());
            let coding = Some(coding(&name, ty, serialize));
            return Self { ty: parse_quote!(__odm::Coded<#name>), coding, ends };
        }
        match field.attrs.opaque {
            true => Self { ty: parse_quote!(__odm::Opaque<#ty>), coding: None, ends },
            false => Self::new(ty),
        }
    }

    /// `<Type as FieldType>::NAME`, underlined as a whole where the type has no form in BSON. All
    /// that is generated asks for the trait in this one way: the compiler shows equal errors once.
    fn get(&self, name: &str) -> TokenStream {
        let ((first, last), ty) = (self.ends, &self.ty);
        let name = Ident::new(name, last);
        let open = quote_spanned!(first=> <);
        let close = quote_spanned!(last=> as __odm::FieldType>::);
        quote!(#open #ty #close #name)
    }

    /// `<Type as FieldType>::Path<__M, Seen, __C::Via<__V>>`
    fn path(&self, seen: &Type) -> TokenStream {
        let path = self.get("Path");
        let arguments = quote_spanned!(self.ends.1=> <__M, #seen, __C::Via<__V>>);
        quote!(#path #arguments)
    }

    /// A check at compile time whose message underlines the type.
    fn assert(&self, condition: &TokenStream, message: &str) -> TokenStream {
        let assert = quote_spanned!(self.ends.0=> ::core::assert!);
        let mut arguments = Group::new(Delimiter::Parenthesis, quote!(#condition, #message));
        arguments.set_span(self.ends.1);
        quote!(const _: () = #assert #arguments;)
    }
}

fn ends(ty: &Type) -> (Span, Span) {
    let mut spans = ty.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}

fn coding(name: &Ident, ty: &Type, serialize: &ExprPath) -> TokenStream {
    quote! {
        #[doc(hidden)]
        pub struct #name;
        impl __odm::Coding for #name {
            type Value = #ty;
            fn serialize<__S: __odm::Serializer>(
                value: &#ty,
                serializer: __S,
            ) -> __odm::Result<__S::Ok, __S::Error> {
                #serialize(value, serializer)
            }
        }
    }
}
