//! The static table of the fields, and what is checked of flattened ones.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::Declared;
use crate::input::Field;

/// `[<String as FieldType>::FIELD.named("title", "title", "…"), …]`
pub(super) fn table(fields: &[Field<'_>], declared: &[Declared]) -> TokenStream {
    table_with(fields, declared, &|_| false)
}

/// The table of a document, some of whose fields are unique by an index on the struct.
pub(super) fn table_with(
    fields: &[Field<'_>],
    declared: &[Declared],
    is_unique: &dyn Fn(&Field<'_>) -> bool,
) -> TokenStream {
    let entries = fields.iter().zip(declared).map(|(field, declared)| {
        let entry = entry(field, declared);
        let unique = is_unique(field).then(|| quote!(.unique()));
        quote!(#entry #unique)
    });
    quote!([#(#entries),*])
}

fn entry(field: &Field<'_>, declared: &Declared) -> TokenStream {
    let (rust_name, doc, of_type) = (field.rust_name(), &field.doc, declared.get("FIELD"));
    let name = if field.flatten { "" } else { field.name.as_str() };
    let aliases = match field.aliases.as_slice() {
        [] => None,
        aliases => Some(quote!(.aliases(&[#(#aliases),*]))),
    };
    let skippable = field.skip_if.is_some().then(|| quote!(.skippable()));
    let flatten = field.flatten.then(|| quote!(.flatten()));
    let references = super::relation::key_of(field).map(|key| quote!(.references(#key)));
    let key = field.attrs.embedded.as_ref().and_then(|embedded| embedded.key.as_ref());
    let key = key.map(|key| key.unraw().to_string()).map(|key| quote!(.key(#key)));
    let max = field.attrs.embedded.as_ref().and_then(|embedded| embedded.max.as_ref());
    let max = max.map(|max| max.base10_digits().parse::<u32>().unwrap_or(u32::MAX));
    let max = max.map(|max| quote!(.max(#max)));
    quote! {
        #of_type.named(#rust_name, #name, #doc) #aliases #skippable #flatten #references #key #max
    }
}

/// The stored names: those of the fields, and of the types of flattened ones.
pub(super) fn names(fields: &[Field<'_>], declared: &[Declared]) -> TokenStream {
    let own = fields.iter().filter(|field| !field.flatten).map(|field| field.name.as_str());
    let flattened = fields.iter().zip(declared).filter(|(field, _)| field.flatten);
    let flattened: Vec<_> = flattened.map(|(_, declared)| declared.get("NAMES")).collect();
    names_of(own, &flattened)
}

/// `Names { own: &["title"], flattened: &[<Meta as FieldType>::NAMES] }`
pub(super) fn names_of<'a>(
    own: impl Iterator<Item = &'a str>,
    flattened: &[TokenStream],
) -> TokenStream {
    quote!(__odm::Names { own: &[#(#own),*], flattened: &[#(#flattened),*] })
}

/// Checks that each flattened field is stored as a document, with no name of a field beside it.
pub(super) fn flatten_checks(
    fields: &[Field<'_>],
    declared: &[Declared],
    reserved: Option<&str>,
) -> TokenStream {
    let own = || fields.iter().filter(|field| !field.flatten).map(|field| field.name.as_str());
    let mut before = Vec::new();
    let mut checks = Vec::new();
    for (field, declared) in fields.iter().zip(declared).filter(|(field, _)| field.flatten) {
        let beside = names_of(own().chain(reserved), &before);
        checks.push(flatten_check(&field.rust_name(), declared, &beside));
        before.push(declared.get("NAMES"));
    }
    quote!(#(#checks)*)
}

/// What stands in place of a flattened field, or of a variant's name.
pub(super) fn flatten_check(what: &str, declared: &Declared, beside: &TokenStream) -> TokenStream {
    let (names, field) = (declared.get("NAMES"), declared.get("FIELD"));
    let disjoint = declared.assert(
        &quote!(#beside.is_disjoint(#names)),
        &format!(
            "a stored name in `{what}` is also that of a field, the tag or the version beside it: one \
             value would overwrite the other"
        ),
    );
    let document = declared.assert(
        &quote!(__odm::is_document(&#field)),
        &format!(
            "`{what}` is stored without a name, so it must be a struct, a map or a tagged enum"
        ),
    );
    quote!(#disjoint #document)
}
