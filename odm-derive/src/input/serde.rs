//! What serde stores: names, skipped and flattened fields, tags. Read by serde's own parser.

use serde_derive_internals::ast::{self, Style};
use serde_derive_internals::attr::TagType;
use serde_derive_internals::{Ctxt, Derive};
use syn::{DeriveInput, Member};

use super::{Content, Data, Field, Role, Variant};
use crate::attr::FieldAttrs;
use crate::errors::Errors;

/// `None` where the type cannot be derived for; the errors say why, unless serde's derive does.
pub(super) fn read<'a>(
    input: &'a DeriveInput,
    role: Role,
    errors: &mut Errors,
) -> Option<Data<'a>> {
    check_generics(input, errors);
    let ctxt = Ctxt::new();
    let private = syn::Ident::new("__private", proc_macro2::Span::call_site());
    let container = ast::Container::from_ast(&ctxt, input, Derive::Serialize, &private);
    // Serde's derive shows its errors itself.
    let (Ok(()), Some(container)) = (ctxt.check(), container) else {
        return None;
    };
    check_container(&container, input, role, errors);
    match container.data {
        ast::Data::Struct(Style::Struct, fields) => Some(Data::Struct(read_fields(
            input_fields(input)?,
            fields,
            errors,
        ))),
        ast::Data::Struct(Style::Newtype, fields) if role == Role::Embedded => {
            fields.first().map(|field| Data::Newtype(field.ty))
        }
        ast::Data::Struct(..) => {
            let cure = match role {
                Role::Document => "a document needs named fields",
                Role::Embedded => "an embedded document needs named fields, or is a newtype of one",
            };
            errors.at(
                &input.ident,
                format!("`{}` has no named fields: {cure}", input.ident),
            );
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
    let converted = attrs
        .type_from()
        .or(attrs.type_try_from())
        .or(attrs.type_into());
    if let Some(ty) = converted {
        errors.at(
            ty,
            "a model is stored by its own fields: derive for this type instead",
        );
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
            &input.ident,
            "a tag on a struct is a stored field that no field declares: declare it",
        );
    }
    if is_struct && attrs.transparent() {
        let cure = match role {
            Role::Document => "remove `transparent`",
            Role::Embedded => "make it a newtype: `struct Name(Type);`",
        };
        errors.at(
            &input.ident,
            format!("a transparent struct is stored without its field's name: {cure}"),
        );
    }
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
                return None;
            }
            let name = field.attrs.name().serialize_name().value.clone();
            check_one_name(
                &name,
                &field.attrs.name().deserialize_name().value,
                original,
                errors,
            );
            let aliases = field
                .attrs
                .aliases()
                .iter()
                .map(|alias| alias.value.clone());
            Some(Field {
                ident,
                original,
                ty: &original.ty,
                aliases: aliases.filter(|alias| *alias != name).collect(),
                name,
                doc: super::doc(&original.attrs),
                flatten: field.attrs.flatten(),
                skippable: field.attrs.skip_serializing_if().is_some(),
                serialize_with: field.attrs.serialize_with().cloned(),
                attrs,
            })
        })
        .collect()
}

fn check_one_name(written: &str, read: &str, original: &syn::Field, errors: &mut Errors) {
    if written != read {
        errors.at(
            original,
            format!(
                "the field is written as `{written}` and read as `{read}`: use one `rename`, and \
                 `alias` for other names to read"
            ),
        );
    }
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
    let is_unit = variants
        .iter()
        .all(|variant| matches!(variant.style, Style::Unit));
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
    let content = match variant.style {
        Style::Unit => Content::Unit,
        Style::Newtype => Content::Newtype(&original.fields.iter().next()?.ty),
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
