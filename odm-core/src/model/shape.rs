//! The fields of a document or embedded document, as serde stores them.

use crate::path::FieldType;
use crate::relation::Reference;

/// The BSON type that a field is stored as.
///
/// Source: the manual's [BSON types](https://www.mongodb.com/docs/manual/reference/bson-types/).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// 64-bit floating point number.
    Double,
    /// UTF-8 string.
    String,
    /// Embedded document.
    Document,
    /// Array.
    Array,
    /// Binary data, UUIDs among it.
    Binary,
    /// ObjectId.
    ObjectId,
    /// Boolean.
    Bool,
    /// Date: milliseconds since 1970, UTC.
    Date,
    /// Regular expression.
    Regex,
    /// JavaScript code.
    JavaScript,
    /// 32-bit integer.
    Int,
    /// The server's internal timestamp.
    Timestamp,
    /// 64-bit integer.
    Long,
    /// 128-bit decimal.
    Decimal,
    /// The value below all others.
    MinKey,
    /// The value above all others.
    MaxKey,
    /// Whatever serde makes of the value: nothing is known of it here.
    Any,
}

impl Kind {
    /// The manual's alias of the type, as `$type` takes it; `any` for [`Kind::Any`].
    #[must_use]
    pub const fn alias(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::String => "string",
            Self::Document => "object",
            Self::Array => "array",
            Self::Binary => "binData",
            Self::ObjectId => "objectId",
            Self::Bool => "bool",
            Self::Date => "date",
            Self::Regex => "regex",
            Self::JavaScript => "javascript",
            Self::Int => "int",
            Self::Timestamp => "timestamp",
            Self::Long => "long",
            Self::Decimal => "decimal",
            Self::MinKey => "minKey",
            Self::MaxKey => "maxKey",
            Self::Any => "any",
        }
    }
}

/// The fields of a struct, or the variants of an enum, in their order.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Shape {
    /// The Rust name of the type.
    pub name: &'static str,
    /// Its doc comment.
    pub doc: &'static str,
    /// The fields of a struct; for an internally tagged enum, the tag.
    pub fields: &'static [Field],
    /// The variants of an enum.
    pub variants: &'static [Variant],
    /// Whether fields that are not declared are an error when a document is read.
    pub strict: bool,
}

/// One variant of an enum.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Variant {
    /// The Rust name.
    pub rust_name: &'static str,
    /// The stored name: the string itself, or the value of the tag.
    pub name: &'static str,
    /// Its doc comment.
    pub doc: &'static str,
    /// The fields beside the tag.
    pub fields: &'static [Field],
}

/// One field of a [`Shape`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Field {
    /// The name in Rust, without `r#`.
    pub rust_name: &'static str,
    /// The name in the database; empty for a flattened field, which has none.
    pub name: &'static str,
    /// Other names that are read.
    pub aliases: &'static [&'static str],
    /// Its doc comment.
    pub doc: &'static str,
    /// The BSON type; of an `Option`, that of its value.
    pub kind: Kind,
    /// Whether the value may be null.
    pub optional: bool,
    /// Whether the field may be missing in what is written (`skip_serializing_if`).
    pub skippable: bool,
    /// Whether the fields of its shape stand in place of the field.
    pub flatten: bool,
    /// The shape of an embedded document, or of the elements of an array of them.
    pub shape: fn() -> Option<&'static Shape>,
    /// The shape of the values of a map of embedded documents.
    pub values: fn() -> Option<&'static Shape>,
    /// The reference that the field holds.
    pub reference: Option<Reference>,
    /// Whether no two documents share its value: there is a unique index on the field alone.
    pub unique: bool,
    /// The field that tells the elements of a list of embedded documents apart, by its name in Rust.
    pub key: Option<&'static str>,
    /// How many elements the list may have at most.
    pub max: Option<u32>,
}

impl Shape {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, doc: &'static str, fields: &'static [Field]) -> Self {
        Self { name, doc, fields, variants: &[], strict: false }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn variants(mut self, variants: &'static [Variant]) -> Self {
        self.variants = variants;
        self
    }

    /// The stored names in the order in which serde writes them, those of flattened fields among
    /// them.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = Vec::with_capacity(self.fields.len());
        self.visit(&mut |field| names.push(field.name));
        names
    }

    /// The fields that are stored: flattened ones are replaced by their own fields.
    pub(crate) fn all_fields(&self) -> Vec<&'static Field> {
        let mut fields = Vec::with_capacity(self.fields.len());
        self.visit(&mut |field| fields.push(field));
        fields
    }

    /// Whether a field is written under this name; an alias is only read.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.name == name)
    }

    /// The names that are read: those that are written, and aliases.
    pub(crate) fn read_names(&self) -> Vec<&'static str> {
        let mut names = Vec::with_capacity(self.fields.len());
        self.visit(&mut |field| {
            names.push(field.name);
            names.extend(field.aliases);
        });
        names
    }

    /// The field that is stored, or read, under this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        let mut found = None;
        self.visit(&mut |field| {
            if field.name == name || field.aliases.contains(&name) {
                found = Some(field);
            }
        });
        found
    }

    /// Whether a flattened map takes names that are not declared.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let variants = self.variants.iter().flat_map(|variant| variant.fields);
        self.fields
            .iter()
            .chain(variants)
            .any(|field| field.flatten && (field.shape)().is_none_or(|shape| shape.is_open()))
    }

    /// Whether documents of this shape may have something at a path.
    pub(crate) fn has_path(&self, path: &str) -> bool {
        let (name, rest) = match path.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        match (self.field(name), rest) {
            (None, _) => self.is_open(),
            (Some(_), None) => true,
            (Some(field), Some(rest)) => (field.shape)().is_none_or(|shape| shape.has_path(rest)),
        }
    }

    /// How many arrays a path leads through, that at its end included.
    pub(crate) fn array_levels(&self, path: &str) -> usize {
        let (name, rest) = match path.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        let Some(field) = self.field(name) else { return 0 };
        let here = usize::from(field.kind == Kind::Array);
        let below = rest.zip((field.shape)()).map_or(0, |(rest, shape)| shape.array_levels(rest));
        here + below
    }

    /// Calls `visit` for each stored field: flattened ones are replaced by their own fields.
    fn visit(&self, visit: &mut dyn FnMut(&'static Field)) {
        let variants = self.variants.iter().flat_map(|variant| variant.fields);
        for field in self.fields.iter().chain(variants) {
            match (field.flatten, (field.shape)()) {
                (true, Some(shape)) => shape.visit(visit),
                (true, None) => {}
                (false, _) => visit(field),
            }
        }
    }
}

impl Variant {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        rust_name: &'static str,
        name: &'static str,
        doc: &'static str,
        fields: &'static [Field],
    ) -> Self {
        Self { rust_name, name, doc, fields }
    }
}

impl Field {
    /// What a type says of the fields that have it.
    pub(crate) const fn of<T: FieldType>() -> Self {
        Self {
            rust_name: "",
            name: "",
            aliases: &[],
            doc: "",
            kind: T::KIND,
            optional: T::OPTIONAL,
            skippable: false,
            flatten: false,
            shape: T::shape,
            values: T::values,
            reference: T::REFERENCE,
            unique: false,
            key: None,
            max: None,
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn named(
        mut self,
        rust_name: &'static str,
        name: &'static str,
        doc: &'static str,
    ) -> Self {
        self.rust_name = rust_name;
        self.name = name;
        self.doc = doc;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn skippable(mut self) -> Self {
        self.skippable = true;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// The elements of the list are told apart by this field.
    #[doc(hidden)]
    #[must_use]
    pub const fn key(mut self, key: &'static str) -> Self {
        self.key = Some(key);
        self
    }

    /// The list has no more elements than this.
    #[doc(hidden)]
    #[must_use]
    pub const fn max(mut self, max: u32) -> Self {
        self.max = Some(max);
        self
    }

    /// The reference is by this key of its target, and not by `_id`.
    #[doc(hidden)]
    #[must_use]
    pub const fn references(mut self, key: &'static str) -> Self {
        if let Some(reference) = &mut self.reference {
            reference.key = key;
        }
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn flatten(mut self) -> Self {
        self.flatten = true;
        self
    }
}
