//! The expansion of `Document`.

use heck::ToSnakeCase;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::{Declared, fields as paths, shape};
use crate::attr::{IndexAttr, SchemaVersion};
use crate::input::{Field, Input};

pub(super) fn expand(input: &Input<'_>, fields: &[Field<'_>]) -> TokenStream {
    let (ident, vis) = (input.ident, input.vis);
    let name = ident.to_string();
    let doc = &input.doc;
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
    let model = model(input, fields);
    let indexes = indexes(input, fields, &paths_name);
    let document_impl = document_impl(input, fields, &declared);
    quote! {
        #(#codings)*
        #paths_type
        #flatten_checks
        static SHAPE: __odm::Shape = {
            const FIELDS: &[__odm::Field] = &#table;
            __odm::Shape::new(#name, #doc, FIELDS)
        };
        static MODEL: __odm::Model = #model;
        #indexes
        impl #ident {
            /// The paths to the fields, for filters, updates and sorts.
            #vis fn fields() -> #paths_name<#ident> {
                #paths_name(__odm::Path::root())
            }
        }
        #document_impl
    }
}

fn model(input: &Input<'_>, fields: &[Field<'_>]) -> TokenStream {
    let name = input.ident.to_string();
    let collection = match &input.attrs.collection {
        Some(collection) => collection.to_token_stream(),
        None => default_collection(&name).to_token_stream(),
    };
    let database = input
        .attrs
        .database
        .as_ref()
        .map(|database| quote!(.database(#database)));
    let version_field = input.version_field();
    let version = input
        .attrs
        .schema_version
        .as_ref()
        .map(|version| match version {
            SchemaVersion::Number(number) => {
                quote!(.version(__odm::Version::number(#version_field, #number)))
            }
            SchemaVersion::Text(text) => {
                quote!(.version(__odm::Version::text(#version_field, #text)))
            }
        });
    let indexes = has_indexes(input, fields).then(|| quote!(.indexes(indexes)));
    quote!(__odm::Model::new(#name, #collection, &SHAPE) #database #version #indexes)
}

/// `BlogPost` is stored in `blog_posts`.
fn default_collection(name: &str) -> String {
    pluralizer::pluralize(&name.to_snake_case(), 2, false)
}

fn has_indexes(input: &Input<'_>, fields: &[Field<'_>]) -> bool {
    !input.attrs.indexes.is_empty() || fields.iter().any(|field| field.attrs.index.is_some())
}

fn document_impl(input: &Input<'_>, fields: &[Field<'_>], declared: &[Declared]) -> TokenStream {
    let ident = input.ident;
    let id = fields.iter().zip(declared).find(|(field, _)| field.is_id());
    // `valid` has refused a struct without `_id`.
    let Some((field, declared)) = id else {
        return TokenStream::new();
    };
    let id_ident = field.ident;
    let (ty, get, check) = match field.option() {
        Some(inner) if declared.coding.is_none() => {
            let check = quote_spanned! {inner.span()=>
                const _: () = __odm::is_generated::<#inner>();
            };
            (inner, quote!(self.#id_ident.as_ref()), check)
        }
        _ => (
            &declared.ty,
            quote!(__odm::Some(&self.#id_ident)),
            id_check(&declared.ty),
        ),
    };
    quote! {
        #check
        impl __odm::Document for #ident {
            type Id = #ty;
            const MODEL: &'static __odm::Model = &MODEL;
            fn id(&self) -> __odm::Option<&<#ty as __odm::FieldType>::Key> {
                #get
            }
        }
    }
}

fn id_check(ty: &Type) -> TokenStream {
    quote_spanned! {ty.span()=>
        const _: () = ::core::assert!(
            __odm::is_id::<#ty>(),
            "an `_id` cannot be an array, a regular expression or null"
        );
    }
}

/// `fn indexes() -> Vec<Index> { let fields = Post::fields(); … }`
fn indexes(input: &Input<'_>, fields: &[Field<'_>], paths: &Ident) -> TokenStream {
    if !has_indexes(input, fields) {
        return TokenStream::new();
    }
    let ident = input.ident;
    let of_fields = fields.iter().filter_map(|field| {
        let index = field.attrs.index.as_ref()?;
        let key = field_path(field);
        Some(index_of(ident, paths, index, &[(key, index.descending)]))
    });
    let of_struct = input.attrs.indexes.iter().map(|index| {
        let keys: Vec<_> = index
            .keys
            .iter()
            .map(|key| (nested_path(&key.path), key.descending))
            .collect();
        index_of(ident, paths, index, &keys)
    });
    quote! {
        fn indexes() -> __odm::Vec<__odm::Index> {
            let fields = #ident::fields();
            __odm::Vec::from([#(#of_fields,)* #(#of_struct,)*])
        }
    }
}

fn field_path(field: &Field<'_>) -> TokenStream {
    let ident = field.ident;
    quote_spanned!(field.ty.span()=> fields.#ident())
}

/// `fields.comments().who()`, each call at the span of its name, so that an unknown one is
/// underlined.
fn nested_path(path: &[Ident]) -> TokenStream {
    path.iter().fold(
        quote!(fields),
        |outer, name| quote_spanned!(name.span()=> #outer.#name()),
    )
}

fn index_of(
    ident: &Ident,
    paths: &Ident,
    index: &IndexAttr,
    keys: &[(TokenStream, bool)],
) -> TokenStream {
    let keys_code = keys.iter().map(|(key, descending)| {
        let direction = if *descending { -1i32 } else { 1i32 };
        quote!(.key(&#key, #direction))
    });
    let flag = |set: bool, method: TokenStream| set.then_some(method);
    let unique = flag(index.unique, quote!(.unique()));
    let sparse = flag(index.sparse, quote!(.sparse()));
    let hidden = flag(index.hidden, quote!(.hidden()));
    let name = index.name.as_ref().map(|name| quote!(.name(#name)));
    let partial = index.partial.as_ref().map(|closure| {
        quote!(.partial({
            let filter: fn(&#paths<#ident>) -> __odm::Filter<#ident> = #closure;
            filter(&fields)
        }))
    });
    let ttl = index.ttl.as_ref().zip(keys.first()).map(
        |((seconds, word), (key, _))| quote_spanned!(word.span()=> .expire_after(&#key, #seconds)),
    );
    quote!(__odm::Index::new() #(#keys_code)* #unique #sparse #hidden #name #partial #ttl)
}
