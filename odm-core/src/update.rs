//! Updates: typed changes at paths, as values that need no server.
//!
//! The operators are methods of [`Path`](crate::path::Path), in files by the manual's groups. Here
//! is what they yield, and how updates combine. An update ends in an action, which sends it.

mod array;
mod conflict;
mod field;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Add;

use bson::{Bson, Document, doc};

use crate::error::{Error, Result};
use crate::path::Name;

/// A change to documents of model `M`.
///
/// Updates combine by `+`. Two changes to the same path, or to a path and one inside it, are
/// refused by the action before anything is sent, as is a value without a BSON form.
///
/// ```
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32, voters: Vec<String> }
/// let p = Post::fields();
/// let update = p.votes().inc(1) + p.voters().push("calvin");
/// assert_eq!(
///     update.to_string(),
///     r#"{ "$inc": { "votes": 1 }, "$push": { "voters": "calvin" } }"#,
/// );
/// ```
#[must_use = "an update does nothing until an action takes it"]
pub struct Update<M> {
    document: Result<Document>,
    marker: PhantomData<fn() -> M>,
}

impl<M> Update<M> {
    /// The update that changes nothing: a start to add to. An action refuses it.
    pub fn new() -> Self {
        Self::from_result(Ok(Document::new()))
    }

    /// Any update operators in the server's own words.
    ///
    /// Its paths take part in the check for conflicts; nothing else in it is checked, and nothing
    /// is escaped: never build it from input.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// use bson::doc;
    /// let update: Update<Post> = Update::raw(doc! { "$bit": { "votes": { "xor": 1 } } });
    /// # let _ = update;
    /// ```
    pub fn raw(document: Document) -> Self {
        Self::new() + Self::from_result(conflict::check_operators(&document).map(|()| document))
    }

    /// The update as it is sent.
    ///
    /// # Errors
    /// The error that a value or path in it had; [`ErrorKind::InvalidArgument`] if two changes
    /// conflict or there is none.
    ///
    /// [`ErrorKind::InvalidArgument`]: crate::ErrorKind::InvalidArgument
    pub fn into_document(self) -> Result<Document> {
        match self.document {
            Ok(document) if document.is_empty() => {
                Err(Error::invalid("the update is empty: it changes nothing"))
            }
            document => document,
        }
    }

    /// One operator at one path.
    pub(crate) fn operator(operator: &str, name: &Name, value: Result<Bson>) -> Self {
        Self::from_result(name.checked().and_then(|path| {
            let value = value.map_err(|error| error.with_path(path))?;
            Ok(doc! { operator: { path: value } })
        }))
    }

    fn from_result(document: Result<Document>) -> Self {
        Self { document, marker: PhantomData }
    }
}

impl<M> Add for Update<M> {
    type Output = Self;

    /// Both changes, in one update.
    fn add(self, other: Self) -> Self {
        let joined = self.document.and_then(|mut joined| {
            let other = other.document?;
            conflict::check(&joined, &other)?;
            for (operator, changes) in other {
                match (joined.get_mut(&operator), changes) {
                    (Some(Bson::Document(there)), Bson::Document(more)) => there.extend(more),
                    (_, changes) => drop(joined.insert(operator, changes)),
                }
            }
            Ok(joined)
        });
        Self::from_result(joined)
    }
}

impl<M> Default for Update<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> Clone for Update<M> {
    fn clone(&self) -> Self {
        Self::from_result(self.document.clone())
    }
}

impl<M> fmt::Debug for Update<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Update").field(&self.document).finish()
    }
}

impl<M> fmt::Display for Update<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.document {
            Ok(document) => write!(f, "{document}"),
            Err(error) => write!(f, "invalid update: {error}"),
        }
    }
}
