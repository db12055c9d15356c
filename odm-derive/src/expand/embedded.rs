//! The expansion of `Embedded` for structs.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Type;

use super::{Declared, fields as paths, shape};
use crate::input::{Field, Input};

pub(super) fn expand_struct(input: &Input<'_>, fields: &[Field<'_>]) -> TokenStream {
    let (ident, vis) = (input.ident, input.vis);
    let (name, doc) = (input.rust_name(), &input.doc);
    let declared: Vec<_> = fields.iter().map(|field| Declared::of(ident, field)).collect();
    let codings = declared.iter().map(|declared| &declared.coding);
    let paths_name = super::paths_name(ident);
    let accessors = paths::accessors(vis, fields, &declared);
    let paths_type = paths::expand_type(vis, &paths_name, ident, &accessors);
    let table = shape::table(fields, &declared);
    let flatten_checks = shape::flatten_checks(fields, &declared, None);
    let reference_checks = super::relation::checks(fields, &declared);
    let element_checks = super::elements::checks(fields, &declared);
    let names = shape::names(fields, &declared);
    let refs = super::refs::of_struct(fields, &declared, &[]);
    let path = quote!(#paths_name<__M, __C, __V>);
    let (readings, read) = super::read::of_struct(input, fields, &declared);
    let write = super::write::of_struct(input, fields, &declared);
    let methods = quote!(#read #write #refs);
    let traits = traits(ident, &path, &quote!(__odm::Kind::Document), &names, &methods);
    quote! {
        #(#codings)*
        #readings
        #paths_type
        #flatten_checks
        #reference_checks
        #element_checks
        static __SHAPE: __odm::Shape = {
            const FIELDS: &[__odm::Field] = &#table;
            __odm::Shape::new(#name, #doc, FIELDS)
        };
        #[diagnostic::do_not_recommend]
        impl __odm::Described for #ident {
            const SHAPE: &'static __odm::Shape = &__SHAPE;
        }
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
    methods: &TokenStream,
) -> TokenStream {
    quote! {
        impl __odm::Nest for #ident {
            type Via<__V: 'static> = __V;
        }
        #[diagnostic::do_not_recommend]
        impl __odm::FieldType for #ident {
            type Path<__M: 'static, __C: 'static, __V: 'static> = #path;
            type Key = Self;
            const KIND: __odm::Kind = #kind;
            const NAMES: &'static __odm::Names = &#names;
            fn encode(value: &Self) -> __odm::Encoded {
                __odm::encode_embedded(value)
            }
            fn shape() -> __odm::Option<&'static __odm::Shape> {
                __odm::Some(&__SHAPE)
            }
            #methods
        }
        #[diagnostic::do_not_recommend]
        impl __odm::ViewField for #ident {
            type Of = Self;
            fn visit_refs(&mut self, path: &[&__odm::str], visit: __odm::Visit<'_>) {
                <Self as __odm::FieldType>::visit_refs(self, path, visit);
            }
        }
        #[diagnostic::do_not_recommend]
        impl __odm::Embedded for #ident {
            const SHAPE: &'static __odm::Shape = &__SHAPE;
        }
        #[diagnostic::do_not_recommend]
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
    let declared = Declared::new(ty);
    let (kind, optional) = (declared.get("KIND"), declared.get("OPTIONAL"));
    let (indexed, names) = (declared.get("INDEXED"), declared.get("NAMES"));
    let shape = declared.get("shape");
    let read = super::read::of_newtype(input, &declared);
    let write = super::write::of_newtype(input, &declared);
    let refs = super::refs::of_newtype(ty, &declared);
    let (reference, values) = (declared.get("REFERENCE"), declared.get("values"));
    quote! {
        impl __odm::Nest for #ident {
            type Via<__V: 'static> = <#ty as __odm::Nest>::Via<__V>;
            const NULLABLE: __odm::bool = <#ty as __odm::Nest>::NULLABLE;
        }
        #[diagnostic::do_not_recommend]
        impl __odm::FieldType for #ident {
            type Path<__M: 'static, __C: 'static, __V: 'static> = __odm::Path<__M, __C, __V>;
            type Key = Self;
            const KIND: __odm::Kind = #kind;
            const INDEXED: __odm::Kind = #indexed;
            const OPTIONAL: __odm::bool = #optional;
            const REFERENCE: __odm::Option<__odm::Reference> = #reference;
            const NAMES: &'static __odm::Names = #names;
            fn encode(value: &Self) -> __odm::Encoded {
                __odm::encode_value(value)
            }
            fn shape() -> __odm::Option<&'static __odm::Shape> {
                #shape()
            }
            fn values() -> __odm::Option<&'static __odm::Shape> {
                #values()
            }
            #read
            #write
            #refs
        }
        #[diagnostic::do_not_recommend]
        impl __odm::ViewField for #ident {
            type Of = Self;
            fn visit_refs(&mut self, path: &[&__odm::str], visit: __odm::Visit<'_>) {
                <Self as __odm::FieldType>::visit_refs(self, path, visit);
            }
        }
        #[diagnostic::do_not_recommend]
        impl __odm::Newtype for #ident {
            type Inner = #ty;
        }
        #[diagnostic::do_not_recommend]
        impl __odm::IntoKey<__odm::Option<#ident>> for #ident {
            fn into_key(self) -> __odm::Option<#ident> {
                __odm::Some(self)
            }
        }
    }
}
