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
use quote::{quote, quote_spanned};
use syn::{GenericArgument, PathArguments, Type};

use super::Declared;
use crate::input::{Content, Field, InverseField, Variant, View, ViewField};

/// The method for a struct; nothing where no field can hold a reference.
pub(super) fn of_struct(
    fields: &[Field<'_>],
    declared: &[Declared],
    inverses: &[InverseField<'_>],
) -> TokenStream {
    let place = |field: &Field<'_>| {
        let ident = field.ident;
        quote!(&mut self.#ident)
    };
    let mut arms = arms(fields, declared, &place);
    arms.extend(inverses.iter().map(|field| {
        let (ident, name) = (field.ident, field.rust_name());
        let (first, _) = super::ends(field.ty);
        let visit = quote_spanned!(first=> __odm::InverseField::visit_slot);
        quote!([#name, __rest @ ..] => #visit(&mut self.#ident, __rest, __visit),)
    }));
    method(walk(&arms, &flattened(fields, declared, &place)))
}

/// The method for a newtype: that of what it holds.
pub(super) fn of_newtype(ty: &Type, declared: &Declared) -> TokenStream {
    if is_plain(ty) {
        return TokenStream::new();
    }
    let visit = declared.get("visit_refs");
    method(Some(quote!(#visit(&mut self.0, __path, __visit))))
}

/// The method for a view: its fields, by their places in the model.
pub(super) fn of_view(view: &View<'_>) -> TokenStream {
    let is_held = |field: &&ViewField<'_>| {
        let attrs = &field.attrs;
        attrs.path.is_none() && attrs.computed.is_none() && !field.is_coded && !is_plain(field.ty)
    };
    let arms: Vec<_> = view
        .fields
        .iter()
        .filter(is_held)
        .map(|field| {
            let (ident, name, ty) = (field.ident, &field.name, field.ty);
            quote! {
                [#name, __rest @ ..] => {
                    <#ty as __odm::ViewField>::visit_refs(&mut self.#ident, __rest, __visit)
                }
            }
        })
        .collect();
    method(walk(&arms, &[]))
}

/// The method for an enum that is stored as what its variants hold.
pub(super) fn of_untagged_enum(variants: &[Variant<'_>]) -> TokenStream {
    let arms = variants.iter().filter_map(|variant| {
        let Content::Newtype(ty) = &variant.content else { return None };
        let (ident, visit) = (variant.ident, Declared::new(ty).get("visit_refs"));
        Some(quote!(Self::#ident(__inner) => #visit(__inner, __path, __visit),))
    });
    method(Some(quote! {
        match self {
            #(#arms)*
            #[allow(unreachable_patterns)]
            _ => {}
        }
    }))
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
            let place = |field: &Field<'_>| {
                let ident = field.ident;
                quote!(#ident)
            };
            let arms = arms(fields, declared, &place);
            let walk = walk(&arms, &flattened(fields, declared, &place))?;
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

/// The arm of each field.
fn arms(
    fields: &[Field<'_>],
    declared: &[Declared],
    place: &dyn Fn(&Field<'_>) -> TokenStream,
) -> Vec<TokenStream> {
    let held = fields.iter().zip(declared).filter(|(field, _)| may_hold(field) && !field.flatten);
    held.map(|(field, declared)| {
        let (name, place, visit) = (&field.name, place(field), declared.get("visit_refs"));
        quote!([#name, __rest @ ..] => #visit(#place, __rest, __visit),)
    })
    .collect()
}

/// The calls for flattened fields, whose own fields have no arm.
fn flattened(
    fields: &[Field<'_>],
    declared: &[Declared],
    place: &dyn Fn(&Field<'_>) -> TokenStream,
) -> Vec<TokenStream> {
    let held = fields.iter().zip(declared).filter(|(field, _)| may_hold(field) && field.flatten);
    held.map(|(field, declared)| {
        let (place, visit) = (place(field), declared.get("visit_refs"));
        quote!(#visit(#place, __path, __visit);)
    })
    .collect()
}

fn walk(arms: &[TokenStream], flattened: &[TokenStream]) -> Option<TokenStream> {
    if arms.is_empty() && flattened.is_empty() {
        return None;
    }
    Some(quote! {
        match __path {
            #(#arms)*
            _ => { #(#flattened)* }
        }
    })
}

/// Whether a field may hold references, as far as its tokens tell: those that cannot cost no code.
pub(super) fn may_hold(field: &Field<'_>) -> bool {
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
