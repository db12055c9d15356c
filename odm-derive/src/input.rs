//! Reads a struct or enum into the form that the other stages ask: names as serde stores them,
//! types, documentation and `#[odm(...)]`.

mod reading;
mod serde;
mod view;

pub(crate) use view::{View, ViewField};

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Attribute, DeriveInput, Expr, ExprPath, Lit, Type, Visibility};

use crate::attr::{ContainerAttrs, FieldAttrs};
use crate::errors::Errors;

pub(crate) use reading::{Default, Names, ReadField, Reading};

/// Which derive is being expanded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Document,
    Embedded,
}

/// A type to be derived for.
pub(crate) struct Input<'a> {
    pub(crate) role: Role,
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) doc: String,
    pub(crate) attrs: ContainerAttrs,
    pub(crate) data: Data<'a>,
    /// The fields that are not stored, for what refers back.
    pub(crate) inverses: Vec<InverseField<'a>>,
    /// Whether fields that are not declared are an error to serde.
    pub(crate) is_strict: bool,
    /// How the type is read without serde, where that can be done.
    pub(crate) reading: Option<Reading<'a>>,
}

pub(crate) enum Data<'a> {
    /// A struct of named fields.
    Struct(Vec<Field<'a>>),
    /// A struct of one unnamed field, stored as that field.
    Newtype(&'a Type),
    /// An enum of unit variants, stored as strings.
    UnitEnum(Vec<Variant<'a>>),
    /// An internally tagged enum: the name of its tag.
    TaggedEnum(String, Vec<Variant<'a>>),
    /// An enum that is stored as what its variants hold: references into several collections.
    UntaggedEnum(Vec<Variant<'a>>),
}

/// A field that is not stored, for what refers back.
pub(crate) struct InverseField<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) doc: String,
    /// The path by which the other model refers back, in Rust names.
    pub(crate) path: Vec<Ident>,
}

impl InverseField<'_> {
    /// The name of a type that holds no slot for what refers back, as far as its tokens tell.
    pub(crate) fn other_type(&self) -> Option<&Ident> {
        const OTHERS: [&str; 7] =
            ["Vec", "Option", "Box", "VecDeque", "HashSet", "BTreeSet", "Ref"];
        let Type::Path(path) = self.ty else { return None };
        let name = &path.path.segments.last()?.ident;
        OTHERS.iter().any(|other| name == other).then_some(name)
    }

    /// The name in Rust, without `r#`.
    pub(crate) fn rust_name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

/// A field that is stored.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    /// The field as written, for errors about the whole of it.
    pub(crate) original: &'a syn::Field,
    pub(crate) ty: &'a Type,
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) doc: String,
    pub(crate) flatten: bool,
    /// The function that says whether serde leaves the field out.
    pub(crate) skip_if: Option<ExprPath>,
    /// Whether the field itself says what a missing one is read as.
    pub(crate) has_default: bool,
    /// The function that writes the field, where it is not the type's own.
    pub(crate) serialize_with: Option<ExprPath>,
    pub(crate) attrs: FieldAttrs,
}

pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) content: Content<'a>,
}

pub(crate) enum Content<'a> {
    Unit,
    Newtype(&'a Type),
    Struct(Vec<Field<'a>>),
}

impl<'a> Input<'a> {
    /// `None` if serde cannot read the type either, or if nothing more can be said of it.
    pub(crate) fn from_syn(
        input: &'a DeriveInput,
        role: Role,
        errors: &mut Errors,
    ) -> Option<Self> {
        let attrs = ContainerAttrs::from_syn(&input.attrs, role, errors);
        let serde::Stored { data, inverses, is_strict, reading } =
            serde::read(input, role, errors)?;
        Some(Self {
            role,
            ident: &input.ident,
            vis: &input.vis,
            doc: doc(&input.attrs),
            attrs,
            data,
            inverses,
            is_strict,
            reading,
        })
    }
}

impl Input<'_> {
    /// The name in Rust, without `r#`.
    pub(crate) fn rust_name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// The stored name of the field that holds the schema version.
    pub(crate) fn version_field(&self) -> String {
        self.attrs
            .version_field
            .as_ref()
            .map_or_else(|| "schema_version".to_owned(), syn::LitStr::value)
    }
}

impl Variant<'_> {
    /// The name in Rust, without `r#`.
    pub(crate) fn rust_name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

impl Field<'_> {
    /// Whether the field identifies the document.
    pub(crate) fn is_id(&self) -> bool {
        !self.flatten && self.name == "_id"
    }

    /// The name in Rust, without `r#`.
    pub(crate) fn rust_name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// The type in an `Option`, as far as its tokens tell.
    pub(crate) fn option(&self) -> Option<&Type> {
        self.argument_of("Option")
    }

    /// Whether the field is a `Nullable`, as far as its tokens tell.
    pub(crate) fn is_nullable(&self) -> bool {
        self.argument_of("Nullable").is_some()
    }

    /// Whether the field is a `Many` or a `One`, as far as its tokens tell.
    pub(crate) fn is_inverse(&self) -> bool {
        self.argument_of("Many").or_else(|| self.argument_of("One")).is_some()
    }

    /// The type that this generic type has for its first argument.
    fn argument_of(&self, generic: &str) -> Option<&Type> {
        let Type::Path(path) = self.ty else {
            return None;
        };
        let last = path.path.segments.last()?;
        let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        match (last.ident == generic, arguments.args.first()?) {
            (true, syn::GenericArgument::Type(inner)) => Some(inner),
            _ => None,
        }
    }
}

/// The lines of a doc comment.
fn doc(attrs: &[Attribute]) -> String {
    let lines: Vec<_> = attrs.iter().filter_map(doc_line).collect();
    lines.join("\n").trim().to_owned()
}

fn doc_line(attr: &Attribute) -> Option<String> {
    let meta = attr.meta.require_name_value().ok()?;
    match &meta.value {
        Expr::Lit(expr) if meta.path.is_ident("doc") => match &expr.lit {
            Lit::Str(text) => {
                let text = text.value();
                Some(text.strip_prefix(' ').unwrap_or(&text).trim_end().to_owned())
            }
            _ => None,
        },
        _ => None,
    }
}
