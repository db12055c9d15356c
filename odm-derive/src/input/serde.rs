//! What serde stores: names, skipped and flattened fields, tags. Read by serde's own parser.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use serde_derive_internals::ast::{self, Style};
use serde_derive_internals::attr::TagType;
use serde_derive_internals::{Ctxt, Derive};
use syn::{Attribute, DeriveInput, Ident, Member};

use super::reading::{self, Reading};
use super::{Content, Data, Field, InverseField, Role, Variant};
use crate::attr::{self, FieldAttrs};
use crate::errors::Errors;

/// What serde makes of a type.
pub(super) struct Stored<'a> {
    pub(super) data: Data<'a>,
    pub(super) inverses: Vec<InverseField<'a>>,
    /// Whether fields that are not declared are an error.
    pub(super) is_strict: bool,
    /// How it is read without it.
    pub(super) reading: Option<Reading<'a>>,
}

/// `None` where the type cannot be derived for; the errors say why, unless serde's derive does.
pub(super) fn read<'a>(
    input: &'a DeriveInput,
    role: Role,
    errors: &mut Errors,
) -> Option<Stored<'a>> {
    check_generics(input, errors);
    if matches!(input.data, syn::Data::Union(_)) {
        errors.at(&input.ident, "a union cannot be stored: its bytes do not say what it holds");
        return None;
    }
    let ctxt = Ctxt::new();
    let private = syn::Ident::new("__private", proc_macro2::Span::call_site());
    let container = ast::Container::from_ast(&ctxt, input, Derive::Serialize, &private);
    // Serde's derive shows its errors itself.
    let (Ok(()), Some(container)) = (ctxt.check(), container) else {
        return None;
    };
    check_container(&container, input, role, errors);
    let is_strict = container.attrs.deny_unknown_fields();
    let reading = reading::read(&container, input);
    let inverses = read_inverses(&container, input, role, errors);
    let data = read_data(container, input, role, errors)?;
    Some(Stored { data, inverses, is_strict, reading })
}

/// The fields that serde skips, and that say what refers back.
fn read_inverses<'a>(
    container: &ast::Container<'_>,
    input: &'a DeriveInput,
    role: Role,
    errors: &mut Errors,
) -> Vec<InverseField<'a>> {
    let (ast::Data::Struct(Style::Struct, fields), syn::Data::Struct(data)) =
        (&container.data, &input.data)
    else {
        return Vec::new();
    };
    let skipped =
        data.fields.iter().zip(fields).filter(|(_, field)| field.attrs.skip_serializing());
    let mut inverses = Vec::new();
    for (original, field) in skipped {
        // Read a second time: the errors are told with the other fields.
        let attrs = FieldAttrs::from_syn(&original.attrs, &mut Errors::default());
        let (Some((word, path)), Some(ident)) = (attrs.inverse, &original.ident) else { continue };
        if !field.attrs.skip_deserializing() {
            errors.at(word, "what refers back is not stored: add `#[serde(skip)]`");
        } else if role == Role::Embedded {
            let message = "documents refer to documents: declare what refers back on the struct \
                           that derives `Document`";
            errors.at(word, message);
        } else {
            let doc = super::doc(&original.attrs);
            inverses.push(InverseField { ident, ty: &original.ty, doc, path });
        }
    }
    inverses
}

fn read_data<'a>(
    container: ast::Container<'a>,
    input: &'a DeriveInput,
    role: Role,
    errors: &mut Errors,
) -> Option<Data<'a>> {
    match container.data {
        ast::Data::Struct(Style::Struct, fields) => {
            Some(Data::Struct(read_fields(input_fields(input)?, fields, errors)))
        }
        ast::Data::Struct(Style::Newtype, fields) if role == Role::Embedded => {
            fields.first().and_then(|field| read_newtype(field, errors))
        }
        ast::Data::Struct(..) => {
            let cure = match role {
                Role::Document => "a document needs named fields",
                Role::Embedded => "an embedded document needs named fields, or is a newtype of one",
            };
            errors.at(&input.ident, format!("`{}` has no named fields: {cure}", input.ident));
            None
        }
        ast::Data::Enum(_) if role == Role::Document => {
            errors.at(
                &input.ident,
                "a document is a struct: put the enum into a field and derive `Embedded` for it",
            );
            None
        }
        ast::Data::Enum(variants) => read_enum(input, container.attrs.tag(), variants, errors),
    }
}

fn check_generics(input: &DeriveInput, errors: &mut Errors) {
    if !input.generics.params.is_empty() {
        errors.at(
            &input.generics,
            "generic models are not supported: a model has one static description; declare a \
             struct for each type",
        );
    }
}

fn check_container(
    container: &ast::Container,
    input: &DeriveInput,
    role: Role,
    errors: &mut Errors,
) {
    let attrs = &container.attrs;
    let converted = attrs.type_from().or(attrs.type_try_from()).or(attrs.type_into());
    if let Some(ty) = converted {
        errors.at(ty, "a model is stored by its own fields: derive for this type instead");
    }
    if let Some(remote) = attrs.remote() {
        errors.at(
            remote,
            "a remote type cannot be a model: mark the field that holds it `#[odm(opaque)]`",
        );
    }
    let is_struct = matches!(container.data, ast::Data::Struct(Style::Struct, _));
    if is_struct && !matches!(attrs.tag(), TagType::External) {
        errors.at(
            word_of(&input.attrs, "tag", &input.ident),
            "a tag on a struct is a stored field that no field declares: declare it",
        );
    }
    if is_struct && attrs.transparent() {
        let cure = match role {
            Role::Document => "remove `transparent`",
            Role::Embedded => "make it a newtype: `struct Name(Type);`",
        };
        errors.at(
            word_of(&input.attrs, "transparent", &input.ident),
            format!("a transparent struct is stored without its field's name: {cure}"),
        );
    }
}

/// A word of `#[serde(...)]`, to be underlined; the name of what it stands on, if it is not found.
fn word_of(attrs: &[Attribute], word: &str, ident: &Ident) -> TokenStream {
    let lists = attrs.iter().filter(|attr| attr.path().is_ident("serde"));
    lists
        .filter_map(|attr| attr.meta.require_list().ok())
        .flat_map(|list| list.tokens.clone())
        .find(|token| matches!(token, TokenTree::Ident(found) if found == word))
        .map_or_else(|| ident.to_token_stream(), ToTokens::into_token_stream)
}

/// The named fields as written, in their order.
fn input_fields(input: &DeriveInput) -> Option<&syn::Fields> {
    match &input.data {
        syn::Data::Struct(data) => Some(&data.fields),
        syn::Data::Enum(_) | syn::Data::Union(_) => None,
    }
}

fn read_fields<'a>(
    originals: &'a syn::Fields,
    fields: Vec<ast::Field<'_>>,
    errors: &mut Errors,
) -> Vec<Field<'a>> {
    originals
        .iter()
        .zip(fields)
        .filter_map(|(original, field)| {
            let attrs = FieldAttrs::from_syn(&original.attrs, errors);
            let Member::Named(_) = field.member else {
                return None;
            };
            let ident = original.ident.as_ref()?;
            if field.attrs.skip_serializing() {
                check_skipped(&attrs, errors);
                return None;
            }
            let name = field.attrs.name().serialize_name().value.clone();
            let read = &field.attrs.name().deserialize_name().value;
            check_one_name(&name, read, &original.attrs, ident, errors);
            let aliases = field.attrs.aliases().iter().map(|alias| alias.value.clone());
            Some(Field {
                ident,
                original,
                ty: &original.ty,
                aliases: aliases.filter(|alias| *alias != name).collect(),
                name,
                doc: super::doc(&original.attrs),
                flatten: field.attrs.flatten(),
                skip_if: field.attrs.skip_serializing_if().cloned(),
                has_default: !field.attrs.default().is_none(),
                serialize_with: field.attrs.serialize_with().cloned(),
                attrs,
            })
        })
        .collect()
}

fn check_skipped(attrs: &FieldAttrs, errors: &mut Errors) {
    if let Some(key) = &attrs.references {
        errors.at(key, "serde skips the field, so it refers to nothing: remove `references`");
    }
    if let Some((word, _)) = &attrs.on_delete {
        let message = match attrs.inverse {
            Some(_) => {
                "this is what refers back: the rule belongs to the reference, on the field of the \
                 other model"
            }
            None => "serde skips the field, so it refers to nothing: remove `on_delete`",
        };
        errors.at(word, message);
    }
    if let Some(index) = &attrs.index {
        errors.at(
            &index.declared_by,
            "serde skips the field, so it is not stored: remove the index, or the `skip`",
        );
    }
}

fn check_one_name(
    written: &str,
    read: &str,
    attrs: &[Attribute],
    ident: &Ident,
    errors: &mut Errors,
) {
    if written != read {
        let message = format!(
            "`{ident}` is written as `{written}` and read as `{read}`: use one `rename`, and \
             `alias` for other names to read"
        );
        errors.at(word_of(attrs, "rename", ident), message);
    }
}

/// A newtype is known by the type that it holds, so no function may store it as something else.
fn read_newtype<'a>(field: &ast::Field<'a>, errors: &mut Errors) -> Option<Data<'a>> {
    attr::check_none(&field.original.attrs, "the field of a newtype", errors);
    if field.attrs.serialize_with().is_some() {
        errors.at(
            field.original,
            "a newtype is stored as the type that it holds: put `with` on the fields that have \
             the newtype",
        );
        return None;
    }
    Some(Data::Newtype(field.ty))
}

fn read_enum<'a>(
    input: &'a DeriveInput,
    tag: &TagType,
    variants: Vec<ast::Variant<'_>>,
    errors: &mut Errors,
) -> Option<Data<'a>> {
    let syn::Data::Enum(data) = &input.data else {
        return None;
    };
    let is_unit = variants.iter().all(|variant| matches!(variant.style, Style::Unit));
    let read: Vec<_> = data
        .variants
        .iter()
        .zip(variants)
        .filter(|(_, variant)| !variant.attrs.skip_serializing())
        .filter_map(|(original, variant)| read_variant(original, variant, errors))
        .collect();
    match tag {
        TagType::External if is_unit => Some(Data::UnitEnum(read)),
        TagType::Internal { tag, .. } => Some(Data::TaggedEnum(tag.clone(), read)),
        TagType::None if read.iter().all(|v| matches!(v.content, Content::Newtype(_))) => {
            Some(Data::UntaggedEnum(read))
        }
        _ => {
            errors.at(
                &input.ident,
                "an enum with data needs an internal tag, so that its fields have paths: add \
                 `#[serde(tag = \"kind\")]`; or leave the derive out and mark the fields that \
                 hold it `#[odm(opaque)]`",
            );
            None
        }
    }
}

fn read_variant<'a>(
    original: &'a syn::Variant,
    variant: ast::Variant<'_>,
    errors: &mut Errors,
) -> Option<Variant<'a>> {
    attr::check_none(&original.attrs, "a variant", errors);
    check_variant(original, &variant, errors);
    let content = match variant.style {
        Style::Unit => Content::Unit,
        Style::Newtype => {
            let field = original.fields.iter().next()?;
            attr::check_none(&field.attrs, "the field of a newtype", errors);
            Content::Newtype(&field.ty)
        }
        Style::Struct => Content::Struct(read_fields(&original.fields, variant.fields, errors)),
        // Serde's derive refuses it under an internal tag, and `read_enum` elsewhere.
        Style::Tuple => return None,
    };
    Some(Variant {
        ident: &original.ident,
        name: variant.attrs.name().serialize_name().value.clone(),
        doc: super::doc(&original.attrs),
        content,
    })
}

fn check_variant(original: &syn::Variant, variant: &ast::Variant<'_>, errors: &mut Errors) {
    let ident = &original.ident;
    let name = variant.attrs.name();
    let (written, read) = (&name.serialize_name().value, &name.deserialize_name().value);
    check_one_name(written, read, &original.attrs, ident, errors);
    if variant.attrs.untagged() {
        errors.at(
            word_of(&original.attrs, "untagged", ident),
            "an untagged variant is stored without its name: remove `untagged`, or mark the fields \
             that hold the enum `#[odm(opaque)]`",
        );
    }
    if variant.attrs.serialize_with().is_some() {
        errors.at(
            ident,
            "a variant is known by the fields that it holds: remove `with`, or mark the fields \
             that hold the enum `#[odm(opaque)]`",
        );
    }
}
