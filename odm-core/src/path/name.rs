//! The text of a path, and what is wrong with it.

use std::borrow::Cow;
use std::fmt::Display;

use bson::Document;

use super::ArrayFilters;
use crate::error::{Error, Result};
use crate::relation::{Inverse, MAP_VALUES};

/// How a field relates, where its type does not say it.
#[derive(Debug, Clone, Copy)]
pub enum Relates {
    /// It refers by this key of the target, in stored names.
    Key(&'static str),
    /// It is what refers back.
    Inverse(fn() -> Inverse),
}

/// A dotted path in stored names. A map key that no path can hold is kept as an error, which the
/// action that uses the path returns.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    text: Cow<'static, str>,
    /// Whether something on the way may be absent, and with it the value.
    nullable: bool,
    /// What a lookup needs to know beside the type.
    relates: Option<Relates>,
    /// Whether it names a position in an array, which the server's expressions do not know.
    positional: bool,
    /// What the identifiers of positional operators in it stand for.
    filters: ArrayFilters,
    error: Option<Error>,
}

impl From<Cow<'static, str>> for Name {
    fn from(text: Cow<'static, str>) -> Self {
        Self { nullable: false, ..Self::new(text, None) }
    }
}

impl Name {
    /// A path with what is wrong with it, if anything is.
    pub(super) fn new(text: Cow<'static, str>, error: Option<Error>) -> Self {
        let (nullable, positional, relates) = (true, false, None);
        Self { text, nullable, relates, positional, filters: ArrayFilters::default(), error }
    }

    pub(super) fn relating(self, relates: Relates) -> Self {
        Self { relates: Some(relates), ..self }
    }

    /// What a lookup needs to know beside the type.
    pub(crate) fn relates(&self) -> Option<Relates> {
        self.relates
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The path's text, or the error of a key in it.
    pub(crate) fn checked(&self) -> Result<&str> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None => Ok(&self.text),
        }
    }

    /// The path as an expression: `$votes`, or `$$ROOT` for the whole document.
    pub(crate) fn expression(&self) -> Result<String> {
        if self.positional {
            let message = "an expression cannot name a position in an array: use \
                           `.expr().array_elem_at(…)` on the array";
            return Err(Error::invalid(message).with_path(self.as_str()));
        }
        match self.checked()? {
            "" => Ok("$$ROOT".to_owned()),
            path => Ok(format!("${path}")),
        }
    }

    /// Whether this is an element itself, as in `elem_match`. The server does not look into arrays
    /// that are elements.
    pub(crate) fn is_element(&self) -> bool {
        self.text.is_empty()
    }

    /// The path to any element of the array here.
    pub(crate) fn elements(&self) -> Self {
        let message = "the server does not look into an element that is an array: say `elem_match` \
                       instead of `any`";
        let refused = || self.is_element().then(|| Error::invalid(message));
        Self { error: self.error.clone().or_else(refused), ..self.clone() }
    }

    pub(crate) fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// The path to a field below this one, which may be absent if `nullable`.
    pub(crate) fn child(&self, name: &'static str, nullable: bool) -> Self {
        let text = match self.text.is_empty() {
            true => Cow::Borrowed(name),
            false => self.join(name),
        };
        Self { relates: None, ..self.to(text, self.nullable || nullable) }
    }

    /// The path to an element: its position, or a positional operator.
    pub(crate) fn segment(&self, segment: impl Display) -> Self {
        Self { positional: true, ..self.to(self.join(segment), true) }
    }

    /// The path to the elements that a named condition selects: `$[identifier]`.
    pub(crate) fn filtered(&self, identifier: &str, condition: Result<Document>) -> Self {
        let mut name = self.segment(format_args!("$[{identifier}]"));
        let defined = condition.and_then(|condition| name.filters.define(identifier, condition));
        if let (None, Err(error)) = (&name.error, defined) {
            name.error = Some(error.with_path(self.as_str()));
        }
        name
    }

    pub(crate) fn array_filters(&self) -> &ArrayFilters {
        &self.filters
    }

    /// The path to the values of a map.
    pub(super) fn values(&self) -> Self {
        self.to(self.join(MAP_VALUES), true)
    }

    /// The path to a key of a map.
    pub(crate) fn key(&self, key: &str) -> Self {
        let reason = match key {
            "" => Some("is empty"),
            key if key.starts_with('$') => Some("begins with `$`"),
            key if key.contains('.') => Some("contains `.`"),
            key if key.contains('\0') => Some("contains a null character"),
            _ => None,
        };
        let error = self.error.clone().or_else(|| {
            let message = format!(
                "the map key {key:?} {}, so no path can name it; read or replace the whole map",
                reason?
            );
            Some(Error::invalid(message).with_path(self.as_str()))
        });
        Self { error, ..self.to(self.join(key), true) }
    }

    /// A path that goes on from this one.
    fn to(&self, text: Cow<'static, str>, nullable: bool) -> Self {
        let (filters, error) = (self.filters.clone(), self.error.clone());
        Self { text, nullable, relates: self.relates, positional: self.positional, filters, error }
    }

    /// The text with one more part. A path to an element itself, as in `elem_match`, is empty.
    fn join(&self, part: impl Display) -> Cow<'static, str> {
        Cow::Owned(match self.text.as_ref() {
            "" => part.to_string(),
            text => format!("{text}.{part}"),
        })
    }
}
