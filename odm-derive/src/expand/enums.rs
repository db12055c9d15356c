//! The expansion of `Embedded` for enums.

use heck::ToSnakeCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Type, parse_quote};

use super::{Declared, embedded, fields as paths, shape};
use crate::input::{Content, Field, Input, Variant};

/// Unit variants: stored as strings.
pub(super) fn expand_unit(input: &Input<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let (name, doc) = (input.ident.to_string(), &input.doc);
    let table = variants.iter().map(|variant| entry(variant, &quote!([])));
    let path = quote!(__odm::Path<M, C, V>);
    let traits = embedded::traits(
        input.ident,
        &path,
        &quote!(__odm::Kind::String),
        &quote!([]),
    );
    quote! {
        static SHAPE: __odm::Shape = {
            const VARIANTS: &[__odm::Variant] = &[#(#table),*];
            __odm::Shape::new(#name, #doc, &[]).variants(VARIANTS)
        };
        #traits
    }
}

/// An internal tag: paths to the tag, and to the fields of each variant by its name.
pub(super) fn expand_tagged(input: &Input<'_>, tag: &str, variants: &[Variant<'_>]) -> TokenStream {
    let (ident, vis) = (input.ident, input.vis);
    let (name, doc) = (ident.to_string(), &input.doc);
    let paths_name = format_ident!("{ident}Fields");
    let tag_type: Type = parse_quote!(__odm::String);
    let tag_doc = format!("The tag that tells the variants of `{name}` apart.");
    let tag_ident = path_ident(tag);
    let mut accessors = vec![paths::accessor(vis, &tag_ident, tag, &tag_doc, &tag_type)];
    let mut definitions = Vec::new();
    let mut table = Vec::new();
    for variant in variants {
        let accessor_ident = path_ident(&variant.ident.to_string());
        match &variant.content {
            Content::Unit => table.push(entry(variant, &quote!([]))),
            Content::Newtype(ty) => {
                accessors.push(paths::flattened(vis, &accessor_ident, &variant.doc, ty));
                let field = quote!([__odm::Field::of::<#ty>("0", "", "").flatten()]);
                table.push(entry(variant, &field));
            }
            Content::Struct(fields) => {
                let (definition, accessor, fields) =
                    expand_variant(input, variant, fields, &accessor_ident);
                definitions.push(definition);
                accessors.push(accessor);
                table.push(entry(variant, &fields));
            }
        }
    }
    let paths_type = paths::expand_type(vis, &paths_name, ident, &accessors);
    let path = quote!(#paths_name<M, C, V>);
    let kind = quote!(__odm::Kind::Document);
    let traits = embedded::traits(ident, &path, &kind, &quote!([#tag]));
    quote! {
        #(#definitions)*
        #paths_type
        static SHAPE: __odm::Shape = {
            const FIELDS: &[__odm::Field] =
                &[__odm::Field::of::<#tag_type>(#tag, #tag, #tag_doc)];
            const VARIANTS: &[__odm::Variant] = &[#(#table),*];
            __odm::Shape::new(#name, #doc, FIELDS).variants(VARIANTS)
        };
        impl #ident {
            /// The paths to the tag and the variants' fields, for filters and updates.
            #vis fn fields() -> #paths_name<#ident> {
                #paths_name(__odm::Path::root())
            }
        }
        #traits
    }
}

/// The paths type of a variant with named fields, its accessor, and the table of its fields.
fn expand_variant(
    input: &Input<'_>,
    variant: &Variant<'_>,
    fields: &[Field<'_>],
    accessor: &Ident,
) -> (TokenStream, TokenStream, TokenStream) {
    let (ident, vis, doc) = (input.ident, input.vis, &variant.doc);
    let owner = format_ident!("{ident}{}", variant.ident);
    let paths_name = format_ident!("{owner}Fields");
    let declared: Vec<_> = fields
        .iter()
        .map(|field| Declared::of(&owner, field))
        .collect();
    let codings = declared.iter().map(|declared| &declared.coding);
    let accessors = paths::accessors(vis, fields, &declared);
    let paths_type = paths::expand_type(vis, &paths_name, ident, &accessors);
    let definition = quote! {
        #(#codings)*
        #paths_type
    };
    let accessor = quote! {
        #[doc = #doc]
        #vis fn #accessor(&self) -> #paths_name<M, __odm::Flat<#ident>, C::Via<V>> {
            self.0.within::<#ident>().into()
        }
    };
    (definition, accessor, shape::table(fields, &declared))
}

fn entry(variant: &Variant<'_>, fields: &TokenStream) -> TokenStream {
    let (rust_name, name, doc) = (variant.ident.to_string(), &variant.name, &variant.doc);
    quote!(__odm::Variant::new(#rust_name, #name, #doc, &#fields))
}

/// A stored or variant name as the name of a method.
fn path_ident(name: &str) -> Ident {
    let snake = name.to_snake_case();
    syn::parse_str::<Ident>(&snake)
        .or_else(|_| syn::parse_str(&format!("r#{snake}")))
        .unwrap_or_else(|_| format_ident!("tag"))
}
