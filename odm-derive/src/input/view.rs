//! Reads a struct that is a view: what serde reads into it, and where that is in the model.

use proc_macro2::Ident;
use serde_derive_internals::ast::{self, Style};
use serde_derive_internals::{Ctxt, Derive};
use syn::ext::IdentExt;
use syn::{DeriveInput, Type};

use crate::attr::{ViewAttrs, ViewFieldAttrs};
use crate::errors::Errors;

/// A struct to be derived for.
pub(crate) struct View<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) attrs: ViewAttrs,
    pub(crate) fields: Vec<ViewField<'a>>,
    /// Whether fields that are not declared are an error to serde.
    pub(crate) is_strict: bool,
}

/// A field that is read.
pub(crate) struct ViewField<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    /// The name that serde reads.
    pub(crate) name: String,
    pub(crate) flatten: bool,
    /// Whether a function reads the field, and not the type itself.
    pub(crate) is_coded: bool,
    pub(crate) attrs: ViewFieldAttrs,
}

impl<'a> View<'a> {
    /// `None` if serde cannot read the type either, or if it is no struct with named fields.
    pub(crate) fn from_syn(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        if !input.generics.params.is_empty() {
            errors.at(
                &input.generics,
                "generic views are not supported: a view has one list of fields; declare a struct \
                 for each",
            );
        }
        let attrs = ViewAttrs::from_syn(&input.attrs, errors);
        if attrs.of.is_none() {
            let message =
                format!("`{}` is a view of no model: add `#[odm(of = Model)]`", input.ident);
            errors.at(&input.ident, message);
        }
        let syn::Data::Struct(data @ syn::DataStruct { fields: syn::Fields::Named(_), .. }) =
            &input.data
        else {
            errors.at(&input.ident, "a view is a struct with named fields");
            return None;
        };
        let ctxt = Ctxt::new();
        let private = Ident::new("__private", proc_macro2::Span::call_site());
        let container = ast::Container::from_ast(&ctxt, input, Derive::Deserialize, &private);
        // Serde's derive shows its errors itself.
        let (Ok(()), Some(container)) = (ctxt.check(), container) else { return None };
        check_container(&container, errors);
        let is_strict = container.attrs.deny_unknown_fields();
        let ast::Data::Struct(Style::Struct, fields) = container.data else { return None };
        let fields = data.fields.iter().zip(fields);
        let fields = fields.filter_map(|(field, read)| ViewField::new(field, &read, errors));
        Some(Self { ident: &input.ident, attrs, fields: fields.collect(), is_strict })
    }

    /// Whether another view can have it as a field: each field is where its name says.
    pub(crate) fn is_nestable(&self) -> bool {
        let mut fields = self.fields.iter();
        fields.all(|field| field.attrs.path.is_none() && field.attrs.computed.is_none())
    }
}

impl<'a> ViewField<'a> {
    fn new(field: &'a syn::Field, read: &ast::Field<'_>, errors: &mut Errors) -> Option<Self> {
        let attrs = ViewFieldAttrs::from_syn(&field.attrs, errors);
        let ident = field.ident.as_ref()?;
        if read.attrs.skip_deserializing() {
            return None;
        }
        Some(Self {
            ident,
            ty: &field.ty,
            name: read.attrs.name().deserialize_name().value.clone(),
            flatten: read.attrs.flatten(),
            is_coded: read.attrs.deserialize_with().is_some() || attrs.opaque,
            attrs,
        })
    }

    /// The name in Rust, without `r#`.
    pub(crate) fn rust_name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

fn check_container(container: &ast::Container<'_>, errors: &mut Errors) {
    let attrs = &container.attrs;
    if let Some(ty) = attrs.type_from().or(attrs.type_try_from()) {
        errors.at(ty, "a view is read by its own fields: derive for this type instead");
    }
    if attrs.transparent() || attrs.remote().is_some() {
        errors.at(
            &container.ident,
            "a view is read by its own fields: remove `transparent` and `remote`",
        );
    }
}
