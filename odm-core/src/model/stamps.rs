//! The fields that the library keeps: the revision, and when a document was made, changed, deleted.

use crate::path::{Coded, Coding, FieldType, Nullable};

use super::Kind;

/// The fields of a model that the library keeps, by their stored names.
///
/// ```
/// use odm::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Document)]
/// struct Note {
///     #[serde(rename = "_id")]
///     id: i32,
///     #[odm(revision)]
///     rev: i64,
///     #[serde(rename = "changed")]
///     #[odm(updated_at)]
///     updated: bson::DateTime,
/// }
///
/// let stamps = <Note as odm::Document>::MODEL.stamps;
/// assert_eq!(stamps.updated_at, Some("changed"));
/// assert_eq!(stamps.revision.map(|revision| revision.field), Some("rev"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stamps {
    /// The number that every change of a document raises by one.
    pub revision: Option<Revision>,
    /// When the document was inserted.
    pub created_at: Option<&'static str>,
    /// When the document was last changed.
    pub updated_at: Option<&'static str>,
    /// When the document was deleted; null or missing where it was not.
    pub soft_delete: Option<&'static str>,
}

/// The field that counts the changes of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Revision {
    /// The stored name.
    pub field: &'static str,
    /// Whether it is stored as a 64-bit integer.
    pub is_long: bool,
}

impl Stamps {
    /// Those of a model that declares none.
    #[doc(hidden)]
    pub const NONE: Self =
        Self { revision: None, created_at: None, updated_at: None, soft_delete: None };

    /// Whether the model declares none.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.revision.is_none()
            && self.created_at.is_none()
            && self.updated_at.is_none()
            && self.soft_delete.is_none()
    }

    /// What the derive calls.
    #[doc(hidden)]
    #[must_use]
    pub const fn revision(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn created_at(mut self, field: &'static str) -> Self {
        self.created_at = Some(field);
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn updated_at(mut self, field: &'static str) -> Self {
        self.updated_at = Some(field);
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn soft_delete(mut self, field: &'static str) -> Self {
        self.soft_delete = Some(field);
        self
    }

    /// The stored names of the kept fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let revision = self.revision.map(|revision| revision.field);
        [revision, self.created_at, self.updated_at, self.soft_delete].into_iter().flatten()
    }

    /// The kept field of this stored name, as errors call it.
    pub(crate) fn of_field(&self, field: &str) -> Option<&'static str> {
        let dates = [
            (self.created_at, "the date of insertion"),
            (self.updated_at, "the date of the last change"),
            (self.soft_delete, "the date of deletion"),
        ];
        match self.revision {
            Some(revision) if revision.field == field => Some("the revision"),
            _ => dates.into_iter().find_map(|(name, what)| (name == Some(field)).then_some(what)),
        }
    }
}

/// Types of a revision.
#[diagnostic::on_unimplemented(
    message = "a revision is an integer, and `{Self}` is not one",
    label = "not an integer",
    note = "declare the field as `i64` or `i32`"
)]
pub trait Revising: FieldType {}
impl Revising for i32 {}
impl Revising for i64 {}
impl Revising for u32 {}

/// Types of a stamp.
#[diagnostic::on_unimplemented(
    message = "a stamp is a date, and `{Self}` is not one",
    label = "not a date",
    note = "declare the field as `bson::DateTime`, or as a date with `#[serde(with = \"…\")]` that is stored as one"
)]
pub trait Stamped: FieldType {}
impl Stamped for bson::DateTime {}
#[diagnostic::do_not_recommend]
impl<T: Stamped> Stamped for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: Stamped> Stamped for Nullable<T> {}
#[diagnostic::do_not_recommend]
impl<F: Coding> Stamped for Coded<F> {}

/// What the derive calls for a revision.
#[doc(hidden)]
#[must_use]
pub const fn revision<C: Revising>(field: &'static str) -> Revision {
    Revision { field, is_long: matches!(C::KIND, Kind::Long) }
}

/// What the derive calls for a stamp.
#[doc(hidden)]
#[must_use]
pub const fn stamp<C: Stamped>(field: &'static str) -> &'static str {
    field
}
