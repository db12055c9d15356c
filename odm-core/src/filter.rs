//! Filters: typed conditions on paths, as values that need no server.
//!
//! The operators are methods of [`Path`](crate::path::Path), in files by the manual's groups. Here
//! is what they yield, and how filters combine. A filter ends in an action, which sends it.

mod array;
mod bitwise;
mod comparison;
mod element;
mod evaluation;
mod geospatial;
mod logical;
mod pattern;
mod placement;
mod text;

pub(crate) use array::{ElementRoot, element_filter};
pub use bitwise::IntoBits;
pub(crate) use comparison::{encode, encode_all};
pub use element::BsonType;
pub use geospatial::{Area, Near};
pub(crate) use logical::both;
pub use pattern::Pattern;
pub use text::TextSearch;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use crate::error::Result;
use crate::path::Name;

/// A condition on the documents of model `M`.
///
/// Filters combine by `&`, `|` and `!`. Values never act as operators, whatever they hold. An
/// error in a value (such as a `u64` above `i64::MAX`) is kept and returned by the action, before
/// anything is sent.
///
/// ```
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32, tags: Vec<String> }
/// let p = Post::fields();
/// let filter = p.tags().contains("business") & p.votes().gt(3);
/// assert_eq!(filter.to_string(), r#"{ "tags": "business", "votes": { "$gt": 3 } }"#);
/// ```
#[must_use = "a filter does nothing until an action takes it"]
pub struct Filter<M> {
    document: Result<Document>,
    marker: PhantomData<fn() -> M>,
}

impl<M> Filter<M> {
    /// The filter that every document matches.
    ///
    /// An update or delete of many refuses it, unless `.all()` is said there.
    pub fn new() -> Self {
        Self::from_result(Ok(Document::new()))
    }

    /// Any filter in the server's own words.
    ///
    /// Nothing in it is checked against the model, and nothing is escaped: never build it from
    /// input.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// use bson::doc;
    /// let filter = Post::fields().votes().gt(3) & Filter::raw(doc! { "$where": "this.votes % 2" });
    /// # let _ = filter;
    /// ```
    pub fn raw(document: Document) -> Self {
        Self::from_result(Ok(document))
    }

    /// Whether every document matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.document.as_ref().is_ok_and(matches_all)
    }

    /// The filter as it is sent.
    ///
    /// # Errors
    /// The error that a value or path in it had, or
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `$text` or `$near`
    /// stands twice or cannot stand.
    pub fn into_document(self) -> Result<Document> {
        let document = self.document?;
        placement::check(&document)?;
        Ok(document)
    }

    /// The filter as it is so far: it may become part of another.
    fn into_parts(self) -> Result<Document> {
        self.document
    }

    /// A condition on one path.
    pub(crate) fn condition(name: &Name, condition: Result<Bson>) -> Self {
        Self::build(name, condition, |path, condition| doc! { path: condition })
    }

    /// A condition made of a path and an encoded value.
    pub(crate) fn build<T>(
        name: &Name,
        value: Result<T>,
        build: impl FnOnce(&str, T) -> Document,
    ) -> Self {
        Self::from_result(name.checked().and_then(|path| {
            let value = value.map_err(|error| error.with_path(path))?;
            Ok(build(path, value))
        }))
    }

    pub(crate) fn from_result(document: Result<Document>) -> Self {
        Self { document, marker: PhantomData }
    }
}

impl<M> Default for Filter<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> Clone for Filter<M> {
    fn clone(&self) -> Self {
        Self::from_result(self.document.clone())
    }
}

impl<M> fmt::Debug for Filter<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.document).finish()
    }
}

impl<M> fmt::Display for Filter<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.document {
            Ok(document) => write!(f, "{document}"),
            Err(error) => write!(f, "invalid filter: {error}"),
        }
    }
}

/// Whether a filter in the server's words matches every document.
pub(crate) fn matches_all(filter: &Document) -> bool {
    filter.iter().all(|(key, value)| match (key.as_str(), value) {
        ("$comment", _) => true,
        ("$and", Bson::Array(parts)) => {
            parts.iter().all(|part| part.as_document().is_some_and(matches_all))
        }
        _ => false,
    })
}

/// The condition that a value is equal to this one, whatever it looks like.
pub(crate) fn equal_to(value: Bson) -> Bson {
    match value {
        Bson::Document(_) | Bson::RegularExpression(_) => Bson::Document(doc! { "$eq": value }),
        value => value,
    }
}

/// Whether the server would read the value as a condition where it stands among plain values.
fn is_condition(value: &Bson) -> bool {
    match value {
        Bson::RegularExpression(_) => true,
        Bson::Document(document) => document.keys().next().is_some_and(|key| key.starts_with('$')),
        _ => false,
    }
}

/// Turns a condition on an element, built on an empty path, into the form that `$elemMatch` and
/// `$pull` take: operators alone for plain values, a filter for embedded documents.
pub(crate) fn on_element(filter: Document) -> Result<Document> {
    const OF_THE_DOCUMENT: [&str; 4] = ["$text", "$where", "$expr", "$jsonSchema"];
    if let Some(key) = filter.keys().find(|key| OF_THE_DOCUMENT.contains(&key.as_str())) {
        let message = format!("`{key}` is about the whole document, not about an element");
        return Err(crate::Error::invalid(message));
    }
    match filter.get("") {
        None if filter.iter().any(|(_, operand)| names_value(operand)) => {
            Err(crate::Error::invalid(
                "conditions on a plain element are joined by `&`, each operator once",
            ))
        }
        None => Ok(filter),
        Some(_) if filter.len() > 1 => Err(crate::Error::invalid(
            "a condition on an element is either on its value or on its fields",
        )),
        Some(Bson::Document(operators)) => Ok(operators.clone()),
        Some(value) => Ok(doc! { "$eq": value.clone() }),
    }
}

/// Whether an operand of `$and`, `$or` or `$nor` holds a condition on the element itself.
fn names_value(operand: &Bson) -> bool {
    let parts = operand.as_array().into_iter().flatten().filter_map(Bson::as_document);
    parts
        .into_iter()
        .any(|part| part.contains_key("") || part.iter().any(|(_, operand)| names_value(operand)))
}
