//! The writer of values that does without serde: a table, and one call for each field.
//!
//! ```text
//! fn write_raw(&self, __out: &mut RawBuffer) -> Option<ElementType> {
//!     static __WRITER: Writer =
//!         Writer::new("Comment", &[offset_of!(Comment, who), offset_of!(Comment, text)]);
//!     let __start = open(&__WRITER, self, __out)?;
//!     let __is_whole = <String as FieldType>::write_field(&self.who, "\0who\0", __out)
//!         && <String as FieldType>::write_field(&self.text, "\0text\0", __out);
//!     __WRITER.close(__start, __is_whole, __out)
//! }
//! ```

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Declared;
use crate::input::{Field, Input, Variant};

/// The method of a document: nothing where serde writes it.
pub(super) fn of_document(
    input: &Input<'_>,
    fields: &[Field<'_>],
    declared: &[Declared],
) -> TokenStream {
    let mut writes = writes(fields, declared);
    if input.attrs.schema_version.is_some() {
        // Right after `_id`, or first where another field is.
        let version = quote!(__odm::write_version(&__MODEL, __out));
        match fields.iter().position(Field::is_id) {
            Some(0) => writes.insert(1, version),
            Some(id) if fields.iter().take(id).any(|field| field.skip_if.is_some()) => {
                return TokenStream::new();
            }
            _ => writes.insert(0, version),
        }
    }
    let open = quote!(__odm::open_document);
    struct_method(input, fields, &writes, &open).unwrap_or_default()
}

/// The method of an embedded struct.
pub(super) fn of_struct(
    input: &Input<'_>,
    fields: &[Field<'_>],
    declared: &[Declared],
) -> TokenStream {
    let writes = writes(fields, declared);
    struct_method(input, fields, &writes, &quote!(__odm::open)).unwrap_or_else(by_serde)
}

/// The method of a newtype, which is written as what it holds.
pub(super) fn of_newtype(input: &Input<'_>, declared: &Declared) -> TokenStream {
    let (ident, write) = (input.ident, declared.get("write_raw"));
    let Some(name) = written_name(input) else {
        return method(&quote!(__odm::write_by_serde(self, __out)));
    };
    method(&quote! {
        static __WRITER: __odm::Writer =
            __odm::Writer::new(#name, &[__odm::offset_of!(#ident, 0)]);
        match __WRITER.is_newtype(self) {
            true => #write(&self.0, __out),
            false => __odm::None,
        }
    })
}

/// The method of an enum of unit variants.
pub(super) fn of_unit_enum(input: &Input<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let Some(name) = written_name(input) else { return by_serde() };
    let ident = input.ident;
    let (idents, names): (Vec<_>, Vec<_>) =
        variants.iter().map(|variant| (variant.ident, &variant.name)).unzip();
    let positions = (0..variants.len()).map(Literal::usize_unsuffixed);
    method(&quote! {
        static __WRITER: __odm::Writer = __odm::Writer::new(#name, &[]);
        const VARIANTS: &[(#ident, &__odm::str)] = &[#((#ident::#idents, #names)),*];
        let __position = match self {
            #(Self::#idents => #positions,)*
            #[allow(unreachable_patterns)]
            _ => return __odm::None,
        };
        __odm::write_variant(&__WRITER, VARIANTS, __position, __out)
    })
}

/// The method of a type that only serde can write.
pub(super) fn by_serde() -> TokenStream {
    method(&quote!(__odm::write_embedded(self, __out)))
}

fn method(body: &TokenStream) -> TokenStream {
    quote! {
        fn write_raw(&self, __out: &mut __odm::RawBuffer) -> __odm::Option<__odm::ElementType> {
            #body
        }
    }
}

fn written_name<'a>(input: &'a Input<'_>) -> Option<&'a String> {
    input.reading.as_ref()?.written_name.as_ref()
}

/// `None` where only serde can write the struct.
fn struct_method(
    input: &Input<'_>,
    fields: &[Field<'_>],
    writes: &[TokenStream],
    open: &TokenStream,
) -> Option<TokenStream> {
    let (ident, name) = (input.ident, written_name(input)?);
    if fields.iter().any(|field| field.name.contains('\0')) {
        return None;
    }
    let offsets = fields.iter().map(|field| match field.serialize_with {
        Some(_) => quote!(__odm::Writer::ANYWHERE),
        None => {
            let field = field.ident;
            quote!(__odm::offset_of!(#ident, #field))
        }
    });
    let none = writes.is_empty().then(|| quote!(true));
    Some(method(&quote! {
        static __WRITER: __odm::Writer = __odm::Writer::new(#name, &[#(#offsets),*]);
        let __start = #open(&__WRITER, self, __out)?;
        let __is_whole = #none #(#writes)&&*;
        __WRITER.close(__start, __is_whole, __out)
    }))
}

/// `<String as FieldType>::write_field(&self.who, "\0who\0", __out)`
fn writes(fields: &[Field<'_>], declared: &[Declared]) -> Vec<TokenStream> {
    let write = |(field, declared): (&Field<'_>, &Declared)| {
        let (ident, name) = (field.ident, format!("\0{}\0", field.name));
        let by_function = field.serialize_with.is_some() || field.attrs.opaque;
        let write = declared.get(if by_function { "write_key" } else { "write_field" });
        let write = quote!(#write(&self.#ident, #name, __out));
        match &field.skip_if {
            Some(skip_if) => quote!((#skip_if(&self.#ident) || #write)),
            None => write,
        }
    };
    fields.iter().zip(declared).map(write).collect()
}
