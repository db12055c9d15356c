//! What is known of the document that a reference leads to.

use std::any::Any;

use super::Shared;
use super::erased::OfView;
use crate::error::{Error, ErrorKind, Result};
use crate::view::View;

/// Whether a document was looked for, and what was found.
#[derive(Clone, Default)]
pub(super) enum State {
    #[default]
    NotLoaded,
    /// A document, or a view of it.
    Loaded(Shared),
    Missing,
    /// It is there and could not be read.
    Failed(Error),
}

impl State {
    /// What placement found.
    pub(super) fn of(found: &[Shared], failed: &[Error]) -> Self {
        match (found.first(), failed.first()) {
            (Some(document), _) => Self::Loaded(document.clone()),
            (None, Some(error)) => Self::Failed(error.clone()),
            (None, None) => Self::Missing,
        }
    }

    pub(super) fn get<T: 'static>(&self) -> Option<&T> {
        match self {
            Self::Loaded(document) => document.downcast_ref(),
            Self::NotLoaded | Self::Missing | Self::Failed(_) => None,
        }
    }

    /// The document, or why it is not there.
    pub(super) fn try_get<T: 'static>(&self) -> Result<&T> {
        match self {
            Self::Loaded(document) => document.downcast_ref().ok_or_else(|| {
                let message = "the lookup loaded a view of it: ask for that by `view`";
                Error::new(ErrorKind::NotLoaded, message)
            }),
            Self::NotLoaded => Err(Error::new(
                ErrorKind::NotLoaded,
                "no lookup asked for it, or its filter left it out",
            )),
            Self::Missing => {
                Err(Error::new(ErrorKind::Missing, "a lookup found no document with the key"))
            }
            Self::Failed(error) => Err(error.clone()),
        }
    }

    pub(super) fn is_loaded(&self) -> bool {
        matches!(self, Self::Loaded(_))
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// The state in words.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::NotLoaded => "not loaded",
            Self::Loaded(_) => "loaded",
            Self::Missing => "missing",
            Self::Failed(_) => "failed",
        }
    }
}

/// The view in a shared place.
pub(super) fn view_of<V: View>(document: &Shared) -> Option<&V> {
    let document: &(dyn Any + Send + Sync) = &**document;
    document.downcast_ref().map(|OfView(view)| view)
}
