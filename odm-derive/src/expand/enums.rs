//! The expansion of `Embedded` for enums.

use heck::ToSnakeCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse_quote;

use super::{Declared, embedded, fields as paths, shape};
use crate::input::{Content, Field, Input, Variant};

/// Unit variants: stored as strings.
pub(super) fn expand_unit(input: &Input<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let (name, doc) = (input.rust_name(), &input.doc);
    let table = variants.iter().map(|variant| entry(variant, &quote!([])));
    let path = quote!(__odm::Path<__M, __C, __V>);
    let names = quote!(__odm::Names::NONE);
    let read = super::read::of_unit_enum(input);
    let write = super::write::of_unit_enum(input, variants);
    let methods = quote!(#read #write);
    let kind = quote!(__odm::Kind::String);
    let traits = embedded::traits(input.ident, &path, &kind, &names, &methods);
    quote! {
        static __SHAPE: __odm::Shape = {
            const VARIANTS: &[__odm::Variant] = &[#(#table),*];
            __odm::Shape::new(#name, #doc, &[]).variants(VARIANTS)
        };
        #traits
    }
}

/// What a variant adds to its enum.
#[derive(Default)]
struct Expanded {
    /// Types and checks beside the enum.
    definition: TokenStream,
    /// The method that yields the paths to its fields.
    accessor: TokenStream,
    /// The table of its fields.
    fields: TokenStream,
    /// The stored names of its fields.
    names: TokenStream,
}

/// An internal tag: paths to the tag, and to the fields of each variant by its name.
pub(super) fn expand_tagged(input: &Input<'_>, tag: &str, variants: &[Variant<'_>]) -> TokenStream {
    let (ident, vis) = (input.ident, input.vis);
    let (name, doc) = (input.rust_name(), &input.doc);
    let paths_name = super::paths_name(ident);
    let tag_type = Declared::new(&parse_quote!(__odm::String));
    let tag_doc = format!("The tag that tells the variants of `{name}` apart.");
    let expanded: Vec<_> =
        variants.iter().map(|variant| expand_variant(input, tag, variant)).collect();
    let mut accessors = vec![paths::accessor(vis, &path_ident(tag), tag, &tag_doc, &tag_type)];
    accessors.extend(expanded.iter().map(|variant| variant.accessor.clone()));
    let paths_type = paths::expand_type(vis, &paths_name, ident, &accessors);
    let names: Vec<_> = expanded.iter().map(|variant| variant.names.clone()).collect();
    let names = shape::names_of(std::iter::once(tag), &names);
    let path = quote!(#paths_name<__M, __C, __V>);
    let refs = super::refs::of_enum(variants, &declared(input, variants));
    let (read, write) = (super::read::by_serde(), super::write::by_serde());
    let methods = quote!(#read #write #refs);
    let traits = embedded::traits(ident, &path, &quote!(__odm::Kind::Document), &names, &methods);
    let definitions = expanded.iter().map(|variant| &variant.definition);
    let table = variants.iter().zip(&expanded).map(|(v, expanded)| entry(v, &expanded.fields));
    let tag_field = tag_type.get("FIELD");
    quote! {
        #(#definitions)*
        #paths_type
        static __SHAPE: __odm::Shape = {
            const FIELDS: &[__odm::Field] = &[#tag_field.named(#tag, #tag, #tag_doc)];
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

/// References into several collections: a path to each variant, at the same place.
pub(super) fn expand_untagged(input: &Input<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let (ident, vis) = (input.ident, input.vis);
    let (name, doc) = (input.rust_name(), &input.doc);
    let paths_name = super::paths_name(ident);
    let held = variants.iter().filter_map(|variant| match &variant.content {
        Content::Newtype(ty) => Some((variant, Declared::new(ty))),
        Content::Unit | Content::Struct(_) => None,
    });
    let held: Vec<_> = held.collect();
    let accessors: Vec<_> = held
        .iter()
        .map(|(variant, declared)| {
            let (ty, path) = (&declared.ty, declared.path(&declared.ty));
            let (accessor, doc) = (path_ident(&variant.rust_name()), &variant.doc);
            quote_spanned! {declared.ends.0=>
                #[doc = #doc]
                #vis fn #accessor(&self) -> #path {
                    self.0.variant::<#ty>()
                }
            }
        })
        .collect();
    let paths_type = paths::expand_type(vis, &paths_name, ident, &accessors);
    let checks = held.iter().map(|(_, declared)| {
        let reference = declared.get("REFERENCE");
        declared.assert(
            &quote!(__odm::is_db_ref(#reference)),
            "an enum without a tag is for references into several collections, each a `DbRef<Model>`; \
             another enum with data needs an internal tag: add `#[serde(tag = \"kind\")]`",
        )
    });
    let table = held.iter().map(|(variant, declared)| {
        let field = declared.get("FIELD");
        entry(variant, &quote!([#field.named("0", "", "").flatten()]))
    });
    let (read, write) = (super::read::by_serde(), super::write::by_serde());
    let refs = super::refs::of_untagged_enum(variants);
    let path = quote!(#paths_name<__M, __C, __V>);
    let traits = embedded::traits(
        ident,
        &path,
        &quote!(__odm::Kind::Any),
        &quote!(__odm::Names::NONE),
        &quote!(#read #write #refs),
    );
    quote! {
        #(#checks)*
        #paths_type
        static __SHAPE: __odm::Shape = {
            const VARIANTS: &[__odm::Variant] = &[#(#table),*];
            __odm::Shape::new(#name, #doc, &[]).variants(VARIANTS)
        };
        #traits
    }
}

fn expand_variant(input: &Input<'_>, tag: &str, variant: &Variant<'_>) -> Expanded {
    match &variant.content {
        Content::Unit => Expanded {
            fields: quote!([]),
            names: quote!(&__odm::Names::NONE),
            ..Expanded::default()
        },
        Content::Newtype(ty) => expand_newtype(input, tag, variant, &Declared::new(ty)),
        Content::Struct(fields) => expand_struct(input, tag, variant, fields),
    }
}

/// The fields of the variant's type stand beside the tag.
fn expand_newtype(
    input: &Input<'_>,
    tag: &str,
    variant: &Variant<'_>,
    declared: &Declared,
) -> Expanded {
    let accessor = path_ident(&variant.rust_name());
    let of_type = declared.get("FIELD");
    let beside = shape::names_of(std::iter::once(tag), &[]);
    Expanded {
        definition: shape::flatten_check(&variant.rust_name(), declared, &beside),
        accessor: paths::flattened(input.vis, &accessor, &variant.doc, declared),
        fields: quote!([#of_type.named("0", "", "").flatten()]),
        names: declared.get("NAMES"),
    }
}

/// The variant has a paths type of its own.
fn expand_struct(
    input: &Input<'_>,
    tag: &str,
    variant: &Variant<'_>,
    fields: &[Field<'_>],
) -> Expanded {
    let (ident, vis, doc) = (input.ident, input.vis, &variant.doc);
    let owner = format_ident!("{}{}", input.rust_name(), variant.rust_name());
    let paths_name = super::paths_name(&owner);
    let accessor = path_ident(&variant.rust_name());
    let declared: Vec<_> = fields.iter().map(|field| Declared::of(&owner, field)).collect();
    let codings = declared.iter().map(|declared| &declared.coding);
    let accessors = paths::accessors(vis, fields, &declared);
    let paths_type = paths::expand_type(vis, &paths_name, ident, &accessors);
    let flatten_checks = shape::flatten_checks(fields, &declared, Some(tag));
    let element_checks = super::elements::checks(fields, &declared);
    let names = shape::names(fields, &declared);
    Expanded {
        definition: quote! {
            #(#codings)*
            #paths_type
            #flatten_checks
            #element_checks
        },
        accessor: quote! {
            #[doc = #doc]
            #vis fn #accessor(&self) -> #paths_name<__M, __odm::Flat<#ident>, __C::Via<__V>> {
                self.0.within::<#ident>().into()
            }
        },
        fields: shape::table(fields, &declared),
        names: quote!(&#names),
    }
}

/// The types of the variants' fields.
fn declared(input: &Input<'_>, variants: &[Variant<'_>]) -> Vec<Vec<Declared>> {
    let of_variant = |variant: &Variant<'_>| match &variant.content {
        Content::Unit => Vec::new(),
        Content::Newtype(ty) => vec![Declared::new(ty)],
        Content::Struct(fields) => {
            let owner = format_ident!("{}{}", input.ident, variant.ident);
            fields.iter().map(|field| Declared::of(&owner, field)).collect()
        }
    };
    variants.iter().map(of_variant).collect()
}

fn entry(variant: &Variant<'_>, fields: &TokenStream) -> TokenStream {
    let (rust_name, name, doc) = (variant.rust_name(), &variant.name, &variant.doc);
    quote!(__odm::Variant::new(#rust_name, #name, #doc, &#fields))
}

/// A stored or variant name as the name of a method.
fn path_ident(name: &str) -> Ident {
    let snake = name.to_snake_case();
    syn::parse_str::<Ident>(&snake)
        .or_else(|_| syn::parse_str(&format!("r#{snake}")))
        .unwrap_or_else(|_| format_ident!("tag"))
}
