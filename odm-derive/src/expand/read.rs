//! The reader of stored values that does without serde: a table, and one match over the fields.
//!
//! ```text
//! fn read_raw(__value: RawValue<'_>) -> Option<Self> {
//!     static __READER: Reader = Reader::new("Comment", &["who\0", "text\0"]);
//!     if !is_derived::<Self>(&__READER) {
//!         return embedded_by_serde(__value);
//!     }
//!     let mut __fields = __READER.fields(__value)?;
//!     let (mut __field0, mut __field1) = (None, None);
//!     while let Some((__position, __value)) = __fields.next_field() {
//!         let __is_read = match __position {
//!             0 => <String as FieldType>::read_into(&mut __field0, __value),
//!             1 => <String as FieldType>::read_into(&mut __field1, __value),
//!             _ => false,
//!         };
//!         if !__is_read {
//!             return None;
//!         }
//!     }
//!     if !__fields.is_whole() {
//!         return None;
//!     }
//!     Some(Self {
//!         who: <String as FieldType>::read_or_missing(__field0)?,
//!         text: <String as FieldType>::read_or_missing(__field1)?,
//!     })
//! }
//! ```

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
    read_struct(input, reading, fields, declared, &is_derived, &quote!(__odm::None))
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
    let by_hand = quote!(__odm::embedded_by_serde(__value));
    read_struct(input, reading, fields, declared, &is_derived, &by_hand)
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
            false => __odm::by_serde(__value),
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
            _ => __odm::embedded_by_serde(__value),
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
    by_hand: &TokenStream,
) -> (TokenStream, TokenStream) {
    let all: Vec<_> = reading
        .fields
        .iter()
        .map(|field| {
            let declared = fields.iter().zip(declared).find(|(f, _)| f.ident == field.ident);
            Slot::new(input.ident, field, declared)
        })
        .collect();
    let read: Vec<_> = all.iter().filter(|slot| !slot.field.skipped).collect();
    let reader = reader(input, reading, read.iter().map(|slot| &slot.field.names));
    let slots: Vec<_> = read.iter().map(|slot| &slot.ident).collect();
    let arms = read.iter().enumerate().map(|(position, slot)| {
        let (position, ident, read) =
            (Literal::usize_unsuffixed(position), &slot.ident, &slot.read);
        quote!(#position => #read(&mut #ident, __value),)
    });
    let default = match &reading.default {
        Default::None => None,
        Default::Type => Some(quote!(let __default: Self = __odm::Default::default();)),
        Default::Path(path) => Some(quote!(let __default: Self = #path();)),
    };
    let values = all.iter().map(|slot| slot.value(default.is_some()));
    let wrappers = all.iter().map(|slot| &slot.wrapper);
    let method = method(&quote! {
        #reader
        if !#is_derived(&__READER) {
            return #by_hand;
        }
        let mut __fields = __READER.fields(__value)?;
        #(let mut #slots = __odm::None;)*
        while let __odm::Some((__position, __value)) = __fields.next_field() {
            let __is_read = match __position {
                #(#arms)*
                _ => false,
            };
            if !__is_read {
                return __odm::None;
            }
        }
        if !__fields.is_whole() {
            return __odm::None;
        }
        #default
        __odm::Some(Self { #(#values),* })
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

/// The local variable that holds a field while the others are read.
struct Slot<'a> {
    field: &'a ReadField<'a>,
    ident: Ident,
    /// The function that fills it.
    read: TokenStream,
    /// The function that ends it where serde has no default; without one, it must be filled.
    finish: Option<TokenStream>,
    /// The type that names the function by which serde reads the field.
    wrapper: Option<TokenStream>,
}

impl<'a> Slot<'a> {
    fn new(
        owner: &Ident,
        field: &'a ReadField<'a>,
        declared: Option<(&Field<'_>, &Declared)>,
    ) -> Self {
        let name = field.ident.unraw().to_string();
        let ident = format_ident!("__field_{name}");
        let ty = field.ty;
        if let Some(path) = &field.deserialize_with {
            let wrapper = format_ident!("ReadingOf{}{}", owner.unraw(), name.to_upper_camel_case());
            return Self {
                field,
                ident,
                read: quote!(__odm::decoded_into::<#wrapper>),
                finish: None,
                wrapper: Some(expand_wrapper(&wrapper, ty, path)),
            };
        }
        let direct = declared.filter(|(f, _)| f.serialize_with.is_none() && !f.attrs.opaque);
        let (read, finish) = match direct {
            Some((_, declared)) => (declared.get("read_into"), declared.get("read_or_missing")),
            None => (quote!(__odm::opaque_into::<#ty>), quote!(__odm::opaque_or_missing::<#ty>)),
        };
        Self { field, ident, read, finish: Some(finish), wrapper: None }
    }

    /// `title: <String as FieldType>::read_or_missing(__field_title)?`
    fn value(&self, has_default: bool) -> TokenStream {
        let (name, slot) = (self.field.ident, &self.ident);
        let default = match &self.field.default {
            Default::Type => Some(quote!(__odm::Default::default())),
            Default::Path(path) => Some(quote!(#path())),
            Default::None => has_default.then(|| quote!(__default.#name)),
        };
        match (default, &self.finish) {
            (Some(default), _) if self.field.skipped => quote!(#name: #default),
            // Serde's parser gives each skipped field a default.
            (None, _) if self.field.skipped => quote!(#name: __odm::Default::default()),
            (Some(default), _) => quote! {
                #name: match #slot {
                    __odm::Some(__read) => __read,
                    __odm::None => #default,
                }
            },
            (None, Some(finish)) => quote!(#name: #finish(#slot)?),
            (None, None) => quote!(#name: #slot?),
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
