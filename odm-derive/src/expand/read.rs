//! The reader of stored values that does without serde: a table of names, and one call for each field.
//!
//! ```text
//! fn read_raw(__value: RawValue<'_>) -> Option<Self> {
//!     static __READER: Reader = Reader::new("Comment", &["who\0", "text\0"]);
//!     if !is_derived::<Self>(&__READER) {
//!         return None;
//!     }
//!     let mut __fields = __READER.fields(__value)?;
//!     let __read = Self {
//!         who: <String as FieldType>::read_field(&mut __fields, 0)?,
//!         text: <String as FieldType>::read_field(&mut __fields, 1)?,
//!     };
//!     match __fields.end() {
//!         true => Some(__read),
//!         false => None,
//!     }
//! }
//! ```

use std::ops::RangeFrom;

use heck::ToUpperCamelCase;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{ExprPath, Type};

use super::Declared;
use crate::input::{Default, Field, Input, Names, ReadField, Reading};

/// What stands before the method, and the method: nothing where serde reads the document.
pub(super) fn of_document(
    input: &Input<'_>,
    fields: &[Field<'_>],
    declared: &[Declared],
) -> (TokenStream, TokenStream) {
    let Some(reading) = &input.reading else {
        return (TokenStream::new(), TokenStream::new());
    };
    let is_derived = quote!(__odm::is_derived_document::<Self>);
    read_struct(input, reading, fields, declared, &is_derived)
}

/// The same for an embedded struct.
pub(super) fn of_struct(
    input: &Input<'_>,
    fields: &[Field<'_>],
    declared: &[Declared],
) -> (TokenStream, TokenStream) {
    let Some(reading) = &input.reading else {
        return (TokenStream::new(), by_serde());
    };
    let is_derived = quote!(__odm::is_derived::<Self>);
    read_struct(input, reading, fields, declared, &is_derived)
}

/// The method of a newtype, which is read as what it holds.
pub(super) fn of_newtype(input: &Input<'_>, declared: &Declared) -> TokenStream {
    let Some(reading) = &input.reading else {
        return method(&quote!(__odm::by_serde(__value)));
    };
    let (name, read) = (&reading.name, declared.get("read_raw"));
    method(&quote! {
        static __READER: __odm::Reader = __odm::Reader::new(#name, &[]);
        match __READER.is_newtype::<Self>() {
            true => __odm::Option::map(#read(__value), Self),
            false => __odm::None,
        }
    })
}

/// The method of an enum of unit variants.
pub(super) fn of_unit_enum(input: &Input<'_>) -> TokenStream {
    let Some(reading) = &input.reading else { return by_serde() };
    let reader = reader(input, reading, reading.variants.iter().map(|(_, names)| names));
    let arms = reading.variants.iter().enumerate().map(|(position, (ident, _))| {
        let position = Literal::usize_unsuffixed(position);
        quote!(__odm::Some(#position) => __odm::Some(Self::#ident),)
    });
    method(&quote! {
        #reader
        match __odm::variant::<Self>(&__READER, __value) {
            #(#arms)*
            _ => __odm::None,
        }
    })
}

/// The method of a type that only serde can read.
pub(super) fn by_serde() -> TokenStream {
    method(&quote!(__odm::embedded_by_serde(__value)))
}

fn method(body: &TokenStream) -> TokenStream {
    quote! {
        fn read_raw(__value: __odm::RawValue<'_>) -> __odm::Option<Self> {
            #body
        }
    }
}

fn read_struct(
    input: &Input<'_>,
    reading: &Reading<'_>,
    fields: &[Field<'_>],
    declared: &[Declared],
    is_derived: &TokenStream,
) -> (TokenStream, TokenStream) {
    let all: Vec<_> = reading
        .fields
        .iter()
        .map(|field| {
            let declared = fields.iter().zip(declared).find(|(f, _)| f.ident == field.ident);
            Place::new(input.ident, field, declared)
        })
        .collect();
    let stored = all.iter().filter(|place| !place.field.skipped);
    let reader = reader(input, reading, stored.map(|place| &place.field.names));
    let default = match &reading.default {
        Default::None => None,
        Default::Type => Some(quote!(let __default: Self = __odm::Default::default();)),
        Default::Path(path) => Some(quote!(let __default: Self = #path();)),
    };
    let mut positions = 0..;
    let values = all.iter().map(|place| place.value(&mut positions, default.is_some()));
    let wrappers = all.iter().map(|place| &place.wrapper);
    let method = method(&quote! {
        #reader
        if !#is_derived(&__READER) {
            return __odm::None;
        }
        let mut __fields = __READER.fields(__value)?;
        #default
        let __read = Self { #(#values),* };
        match __fields.end() {
            true => __odm::Some(__read),
            false => __odm::None,
        }
    });
    (quote!(#(#wrappers)*), method)
}

/// `static __READER: Reader = Reader::new("Post", &["_id\0"]).aliases(&[("id\0", 0)]);`
fn reader<'n>(
    input: &Input<'_>,
    reading: &Reading<'_>,
    read: impl Iterator<Item = &'n Names>,
) -> TokenStream {
    let with_end = |name: &String| format!("{name}\0");
    let (mut names, mut aliases) = (Vec::new(), Vec::new());
    for (position, read) in read.enumerate() {
        names.push(with_end(&read.name));
        let position = Literal::usize_unsuffixed(position);
        let of_field = read.aliases.iter().map(with_end);
        aliases.extend(of_field.map(|alias| quote!((#alias, #position))));
    }
    let name = &reading.name;
    let aliases = (!aliases.is_empty()).then(|| quote!(.aliases(&[#(#aliases),*])));
    let strict = input.is_strict.then(|| quote!(.strict()));
    let version = input.attrs.schema_version.as_ref().map(|_| {
        let version = with_end(&input.version_field());
        quote!(.version(#version))
    });
    quote! {
        static __READER: __odm::Reader =
            __odm::Reader::new(#name, &[#(#names),*]) #aliases #strict #version;
    }
}

/// Where the value of a field comes from.
struct Place<'a> {
    field: &'a ReadField<'a>,
    /// The function that reads a field which serde has no default for.
    read: TokenStream,
    /// The function that reads one which has.
    read_stored: TokenStream,
    /// The type that names the function by which serde reads the field.
    wrapper: Option<TokenStream>,
}

impl<'a> Place<'a> {
    fn new(
        owner: &Ident,
        field: &'a ReadField<'a>,
        declared: Option<(&Field<'_>, &Declared)>,
    ) -> Self {
        let ty = field.ty;
        if let Some(path) = &field.deserialize_with {
            let name = field.ident.unraw().to_string();
            let wrapper = format_ident!("ReadingOf{}{}", owner.unraw(), name.to_upper_camel_case());
            return Self {
                field,
                read: quote!(__odm::decoded_field::<#wrapper>),
                read_stored: quote!(__odm::decoded_stored::<#wrapper>),
                wrapper: Some(expand_wrapper(&wrapper, ty, path)),
            };
        }
        let direct = declared.filter(|(f, _)| f.serialize_with.is_none() && !f.attrs.opaque);
        let (read, read_stored) = match direct {
            Some((_, declared)) => (declared.get("read_field"), declared.get("read_stored")),
            None => (quote!(__odm::opaque_field::<#ty>), quote!(__odm::opaque_stored::<#ty>)),
        };
        Self { field, read, read_stored, wrapper: None }
    }

    /// `title: <String as FieldType>::read_field(&mut __fields, 2)?`
    fn value(&self, positions: &mut RangeFrom<usize>, has_default: bool) -> TokenStream {
        let name = self.field.ident;
        let default = match &self.field.default {
            Default::Type => Some(quote!(__odm::Default::default())),
            Default::Path(path) => Some(quote!(#path())),
            Default::None => has_default.then(|| quote!(__default.#name)),
        };
        if self.field.skipped {
            // Serde's parser gives each skipped field a default.
            let default = default.unwrap_or_else(|| quote!(__odm::Default::default()));
            return quote!(#name: #default);
        }
        let position = positions.next().map(Literal::usize_unsuffixed);
        let (read, read_stored) = (&self.read, &self.read_stored);
        match default {
            Some(default) => quote! {
                #name: match #read_stored(&mut __fields, #position)? {
                    __odm::Some(__read) => __read,
                    __odm::None => #default,
                }
            },
            None => quote!(#name: #read(&mut __fields, #position)?),
        }
    }
}

/// A type that is read by the function.
fn expand_wrapper(wrapper: &Ident, ty: &Type, path: &ExprPath) -> TokenStream {
    quote! {
        struct #wrapper;
        impl __odm::Decoding for #wrapper {
            type Value = #ty;
            fn deserialize<'de, __D: __odm::Deserializer<'de>>(
                deserializer: __D,
            ) -> __odm::Result<#ty, __D::Error> {
                #path(deserializer)
            }
        }
    }
}
