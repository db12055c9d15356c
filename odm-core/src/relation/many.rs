//! `Many<T>` and `One<T>`: the documents that refer to this one.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use bson::Bson;

use super::state::{State, view_of};
use super::{Shared, Slot, Visit};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, Model};
use crate::view::View;

/// The documents of model `T` that refer to this one.
///
/// The field is not stored: serde skips it, and `#[odm(inverse = …)]` names the reference of the
/// other model, by its path in Rust names. A lookup loads them, in the order of its sort, then of
/// their `_id`s. What is not loaded has no length and no elements.
///
/// Any two are equal, since they are no part of what is stored.
///
/// ```
/// # use odm::prelude::*;
/// use odm::{Many, Ref};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Serialize, Deserialize, Document)]
/// struct Publisher {
///     #[serde(rename = "_id")]
///     id: String,
///     #[serde(skip)]
///     #[odm(inverse = publisher)]
///     books: Many<Book>,
/// }
/// #[derive(Serialize, Deserialize, Document)]
/// struct Book {
///     #[serde(rename = "_id")]
///     id: i32,
///     publisher: Ref<Publisher>,
/// }
/// let publisher = Publisher { id: "oreilly".to_owned(), books: Many::default() };
/// assert!(publisher.books.get().is_none());
/// ```
pub struct Many<T> {
    state: Loaded,
    marker: PhantomData<fn() -> T>,
}

#[derive(Clone, Default)]
enum Loaded {
    #[default]
    Not,
    Documents {
        found: Vec<Shared>,
        failed: Vec<Error>,
    },
    Counted(u64),
}

impl<T: Document> Many<T> {
    /// The documents, if they were loaded.
    #[must_use]
    pub fn get(&self) -> Option<impl ExactSizeIterator<Item = &T>> {
        let found = self.found()?;
        // A lookup loads all whole, or all as views.
        let whole: Option<Vec<&T>> = found.iter().map(|document| document.downcast_ref()).collect();
        whole.map(Vec::into_iter)
    }

    /// The documents, or why they are not there.
    ///
    /// # Errors
    /// [`ErrorKind::NotLoaded`] if no lookup named the field, or only counted them, or loaded views.
    pub fn try_get(&self) -> Result<impl ExactSizeIterator<Item = &T>> {
        self.get().ok_or_else(|| {
            let message = match &self.state {
                Loaded::Not => "no lookup asked for them",
                Loaded::Documents { .. } => "the lookup loaded views of them: ask by `views`",
                Loaded::Counted(_) => "the lookup only counted them",
            };
            Error::new(ErrorKind::NotLoaded, message).with_model(T::MODEL.name)
        })
    }

    /// The views that a lookup with a [projection](super::Lookup::project) has loaded.
    #[must_use]
    pub fn views<V: View<Of = T>>(&self) -> Option<impl ExactSizeIterator<Item = &V>> {
        let views: Option<Vec<&V>> = self.found()?.iter().map(view_of).collect();
        views.map(Vec::into_iter)
    }

    fn found(&self) -> Option<&[Shared]> {
        match &self.state {
            Loaded::Documents { found, .. } => Some(found),
            Loaded::Not | Loaded::Counted(_) => None,
        }
    }

    /// How many documents were loaded, or [counted](super::Lookup::count).
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        match &self.state {
            Loaded::Not => None,
            Loaded::Documents { found, .. } => Some(found.len() as u64),
            Loaded::Counted(count) => Some(*count),
        }
    }

    /// The errors of documents that refer to this one and could not be read, where the lookup was
    /// asked to [skip](super::Lookup::skip_errors) them.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        match &self.state {
            Loaded::Documents { failed, .. } => failed,
            Loaded::Not | Loaded::Counted(_) => &[],
        }
    }

    /// Whether the documents were loaded, whole or as views.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        matches!(self.state, Loaded::Documents { .. })
    }
}

impl<T: Document> Slot for Many<T> {
    fn target(&self) -> &'static Model {
        T::MODEL
    }

    fn key(&self) -> Result<Option<Bson>> {
        Ok(None)
    }

    fn fill(&mut self, found: &[Shared], failed: &[Error]) {
        self.state = Loaded::Documents { found: found.to_vec(), failed: failed.to_vec() };
    }

    fn fill_count(&mut self, count: u64) {
        self.state = Loaded::Counted(count);
    }
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self { state: Loaded::Not, marker: PhantomData }
    }
}

impl<T> Clone for Many<T> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), marker: PhantomData }
    }
}

impl<T> fmt::Debug for Many<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.state {
            Loaded::Not => f.write_str("Many(not loaded)"),
            Loaded::Documents { found, .. } => write!(f, "Many({} loaded)", found.len()),
            Loaded::Counted(count) => write!(f, "Many({count} counted)"),
        }
    }
}

/// The document of model `T` that refers to this one, if there is one.
///
/// As [`Many`], where at most one document refers to this one: declare the reference there as
/// unique. Of several, the first by the lookup's order is taken.
///
/// ```
/// # use odm::prelude::*;
/// use odm::{One, Ref};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Serialize, Deserialize, Document)]
/// struct Contact {
///     #[serde(rename = "_id")]
///     id: i32,
///     #[serde(skip)]
///     #[odm(inverse = contact)]
///     portrait: One<Portrait>,
/// }
/// #[derive(Serialize, Deserialize, Document)]
/// struct Portrait {
///     #[serde(rename = "_id")]
///     id: i32,
///     #[odm(unique)]
///     contact: Ref<Contact>,
///     image: odm::bson::Binary,
/// }
/// ```
pub struct One<T> {
    state: State,
    marker: PhantomData<fn() -> T>,
}

impl<T: Document> One<T> {
    /// The document, if it was loaded.
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        self.state.get()
    }

    /// The document, or why it is not there.
    ///
    /// # Errors
    /// [`ErrorKind::NotLoaded`] if no lookup named the field; [`ErrorKind::Missing`] if one did and
    /// no document refers to this one; [`ErrorKind::Decode`] if the lookup was asked to skip errors,
    /// and the document could not be read.
    pub fn try_get(&self) -> Result<&T> {
        self.state.try_get().map_err(|error| error.with_model(T::MODEL.name))
    }

    /// The view of the document that a lookup with a [projection](super::Lookup::project) has
    /// loaded.
    #[must_use]
    pub fn view<V: View<Of = T>>(&self) -> Option<&V> {
        match &self.state {
            State::Loaded(document) => view_of(document),
            _ => None,
        }
    }

    /// Whether the document was loaded, whole or as a view.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.state.is_loaded()
    }

    /// Whether the document was looked for and is not there.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.state.is_missing()
    }
}

impl<T: Document> Slot for One<T> {
    fn target(&self) -> &'static Model {
        T::MODEL
    }

    fn key(&self) -> Result<Option<Bson>> {
        Ok(None)
    }

    fn fill(&mut self, found: &[Shared], failed: &[Error]) {
        self.state = State::of(found, failed);
    }
}

impl<T> Default for One<T> {
    fn default() -> Self {
        Self { state: State::NotLoaded, marker: PhantomData }
    }
}

impl<T> Clone for One<T> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), marker: PhantomData }
    }
}

impl<T> fmt::Debug for One<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "One({})", self.state.as_str())
    }
}

/// Any two are equal: they are no part of what is stored.
macro_rules! not_stored {
    ($($type:ident),+) => {$(
        impl<T> PartialEq for $type<T> {
            fn eq(&self, _: &Self) -> bool {
                true
            }
        }

        impl<T> Eq for $type<T> {}

        impl<T> Hash for $type<T> {
            fn hash<H: Hasher>(&self, _: &mut H) {}
        }

        impl<T: Document> InverseField for $type<T> {
            fn visit_slot(&mut self, path: &[&str], visit: Visit<'_>) {
                if path.is_empty() {
                    visit(self);
                }
            }
        }
    )+};
}

not_stored!(Many, One);

/// A type of fields for what refers back. The derive names it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold what refers back",
    label = "neither `Many<Model>` nor `One<Model>`",
    note = "a field with `#[serde(skip)]` and `#[odm(inverse = …)]` is a `Many<Model>` or a `One<Model>`"
)]
pub trait InverseField: super::Relation {
    /// Hands the field to `visit`.
    #[doc(hidden)]
    fn visit_slot(&mut self, path: &[&str], visit: Visit<'_>);
}
