//! What a model says of its relations: references in the table of its fields, and what refers back.

use super::Relation;
use crate::model::{Document, Model};
use crate::path::{Path, Queryable, Relates};

/// How many references a field holds, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Just one.
    One,
    /// One or none.
    Optional,
    /// A list or set.
    List,
    /// An array of fixed length, or a list of lists.
    Fixed,
    /// The values of a map, which the server cannot find.
    Map,
    /// None: the others refer to this model.
    Inverse,
}

impl Place {
    pub(crate) const fn optional(self) -> Self {
        match self {
            Self::One => Self::Optional,
            other => other,
        }
    }

    pub(crate) const fn list(self) -> Self {
        match self {
            Self::One | Self::Optional => Self::List,
            Self::List => Self::Fixed,
            other => other,
        }
    }

    pub(crate) const fn fixed(self) -> Self {
        match self {
            Self::Map | Self::Inverse => self,
            _ => Self::Fixed,
        }
    }

    /// Whether a single reference can be taken away.
    #[must_use]
    pub const fn can_unlink(self) -> bool {
        matches!(self, Self::Optional | Self::List)
    }
}

/// A reference that a field holds.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Reference {
    /// The model that is referred to.
    pub target: fn() -> &'static Model,
    /// The stored name of its unique key that is referred to.
    pub key: &'static str,
    /// How many references there are, and where.
    pub place: Place,
    /// Whether it is stored as a DBRef.
    pub is_db_ref: bool,
    /// Whether it holds the `_id`.
    pub is_by_id: bool,
}

impl Reference {
    pub(crate) const fn new(target: fn() -> &'static Model, place: Place, is_by_id: bool) -> Self {
        Self { target, key: "_id", place, is_db_ref: false, is_by_id }
    }

    pub(crate) const fn db_ref(mut self) -> Self {
        self.is_db_ref = true;
        self
    }

    pub(crate) const fn at(reference: Option<Self>, place: Place) -> Option<Self> {
        match reference {
            Some(mut reference) => {
                reference.place = place;
                Some(reference)
            }
            None => None,
        }
    }

    pub(crate) const fn optional(reference: Option<Self>) -> Option<Self> {
        match reference {
            Some(found) => Self::at(reference, found.place.optional()),
            None => None,
        }
    }

    pub(crate) const fn list(reference: Option<Self>) -> Option<Self> {
        match reference {
            Some(found) => Self::at(reference, found.place.list()),
            None => None,
        }
    }

    pub(crate) const fn fixed(reference: Option<Self>) -> Option<Self> {
        match reference {
            Some(found) => Self::at(reference, found.place.fixed()),
            None => None,
        }
    }
}

/// What refers back to a model, as one of its fields declares it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inverse {
    /// The model that declares it.
    pub of: &'static Model,
    /// The field that declares it: its stored name, or its name in Rust where it is not stored.
    pub field: &'static str,
    /// Whether the field is stored: both sides hold references.
    pub is_stored: bool,
    /// The model whose documents refer to this one.
    pub model: &'static Model,
    /// The path of the reference there.
    pub path: String,
    /// The stored name of this model's key that is referred to.
    pub key: &'static str,
    /// How many references there are on this side.
    pub place: Place,
    /// How many references there are on the other side.
    pub inverse_place: Place,
    /// Whether the other side is stored as a DBRef.
    pub is_db_ref: bool,
}

/// A reference to `M`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not refer to `{M}`",
    label = "not a reference to `{M}`",
    note = "`inverse` names the field of the other model that refers to this one: a `Ref<{M}>`, or an `Option` or list of it; `graph_lookup` follows a field that refers to its own model"
)]
pub trait RefersTo<M>: Relation<Target = M> {}
#[diagnostic::do_not_recommend]
impl<M, R: Relation<Target = M>> RefersTo<M> for R {}

impl Inverse {
    /// What the derive calls: `path` leads from the other model to this one.
    #[doc(hidden)]
    #[must_use]
    pub fn of<M, R, C, V>(field: &'static str, path: &Path<R::Target, C, V>) -> Self
    where
        M: Document,
        R: Relation,
        C: RefersTo<M>,
        V: Queryable,
    {
        Self {
            of: M::MODEL,
            field,
            is_stored: !matches!(R::PLACE, Place::Inverse),
            model: R::Target::MODEL,
            path: path.as_str().to_owned(),
            key: match path.name.relates() {
                Some(Relates::Key(key)) => key,
                Some(Relates::Inverse(_)) | None => "_id",
            },
            place: R::PLACE,
            inverse_place: C::PLACE,
            is_db_ref: C::IS_DB_REF,
        }
    }
}
