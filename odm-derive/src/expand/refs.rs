//! The walk over references: one match over the fields that may hold some.
//!
//! ```text
//! fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
//!     match path {
//!         ["author", rest @ ..] => <Ref<User> as FieldType>::visit_refs(&mut self.author, rest, visit),
//!         _ => {}
//!     }
//! }
//! ```

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, PathArguments, Type};

use super::Declared;
use crate::input::{Content, Field, Variant};

/// The method for a struct; nothing where no field can hold a reference.
pub(super) fn of_struct(fields: &[Field<'_>], declared: &[Declared]) -> TokenStream {
    let walk = walk(fields, declared, |field| {
        let ident = field.ident;
        quote!(&mut self.#ident)
    });
    method(walk)
}

/// The method for an internally tagged enum.
pub(super) fn of_enum(variants: &[Variant<'_>], declared: &[Vec<Declared>]) -> TokenStream {
    let arms: Vec<_> = variants.iter().zip(declared).filter_map(|(v, d)| arm(v, d)).collect();
    method((!arms.is_empty()).then(|| {
        quote! {
            match self {
                #(#arms)*
                #[allow(unreachable_patterns)]
                _ => {}
            }
        }
    }))
}

fn arm(variant: &Variant<'_>, declared: &[Declared]) -> Option<TokenStream> {
    let ident = variant.ident;
    match &variant.content {
        Content::Unit => None,
        Content::Newtype(ty) => {
            let visit = declared.first().filter(|_| !is_plain(ty))?.get("visit_refs");
            Some(quote!(Self::#ident(__inner) => #visit(__inner, __path, __visit),))
        }
        Content::Struct(fields) => {
            let walk = walk(fields, declared, |field| {
                let ident = field.ident;
                quote!(#ident)
            })?;
            let held = fields.iter().filter(|field| may_hold(field)).map(|field| field.ident);
            Some(quote!(Self::#ident { #(#held,)* .. } => { #walk }))
        }
    }
}

fn method(walk: Option<TokenStream>) -> TokenStream {
    let Some(walk) = walk else { return TokenStream::new() };
    quote! {
        fn visit_refs(&mut self, __path: &[&__odm::str], __visit: __odm::Visit<'_>) {
            #walk
        }
    }
}

fn walk(
    fields: &[Field<'_>],
    declared: &[Declared],
    place: impl Fn(&Field<'_>) -> TokenStream,
) -> Option<TokenStream> {
    let held = || fields.iter().zip(declared).filter(|(field, _)| may_hold(field));
    held().next()?;
    let arms = held().filter(|(field, _)| !field.flatten).map(|(field, declared)| {
        let (name, place, visit) = (&field.name, place(field), declared.get("visit_refs"));
        quote!([#name, __rest @ ..] => #visit(#place, __rest, __visit),)
    });
    let flattened = held().filter(|(field, _)| field.flatten).map(|(field, declared)| {
        let (place, visit) = (place(field), declared.get("visit_refs"));
        quote!(#visit(#place, __path, __visit);)
    });
    Some(quote! {
        match __path {
            #(#arms)*
            _ => { #(#flattened)* }
        }
    })
}

/// Whether a field may hold references, as far as its tokens tell: those that cannot cost no code.
fn may_hold(field: &Field<'_>) -> bool {
    field.serialize_with.is_none() && !field.attrs.opaque && !is_plain(field.ty)
}

fn is_plain(ty: &Type) -> bool {
    const VALUES: [&str; 22] = [
        "bool",
        "char",
        "i8",
        "i16",
        "i32",
        "i64",
        "u8",
        "u16",
        "u32",
        "u64",
        "f32",
        "f64",
        "String",
        "ObjectId",
        "DateTime",
        "Decimal128",
        "Uuid",
        "Binary",
        "Timestamp",
        "Regex",
        "Bson",
        "JavaScriptCodeWithScope",
    ];
    const WRAPPERS: [&str; 5] = ["Option", "Vec", "Box", "HashMap", "BTreeMap"];
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let name = last.ident.to_string();
    match &last.arguments {
        PathArguments::None => VALUES.contains(&name.as_str()),
        PathArguments::AngleBracketed(inner) => {
            WRAPPERS.contains(&name.as_str())
                && inner.args.iter().all(|argument| match argument {
                    GenericArgument::Type(ty) => is_plain(ty),
                    _ => false,
                })
        }
        PathArguments::Parenthesized(_) => false,
    }
}
