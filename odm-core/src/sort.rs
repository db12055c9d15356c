//! Sort keys: paths with a direction.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Add;

use bson::{Document, doc};

use crate::error::{Error, Result};
use crate::path::{FieldType, Name, Path, Queryable};

/// The order in which documents are read.
///
/// Source: [`cursor.sort()`](https://www.mongodb.com/docs/manual/reference/method/cursor.sort/).
///
/// ```
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
/// let p = Post::fields();
/// let sort = p.votes().desc() + p.id().asc();
/// assert_eq!(sort.to_string(), r#"{ "votes": -1, "_id": 1 }"#);
/// ```
#[must_use = "a sort does nothing until an action takes it"]
pub struct Sort<M> {
    document: Result<Document>,
    marker: PhantomData<fn() -> M>,
}

impl<M> Sort<M> {
    /// Any sort in the server's own words, for paths that the model does not declare.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, meta: odm::bson::Document }
    /// use odm::bson::doc;
    /// let sort = odm::Sort::<Post>::raw(doc! { "meta.lang": 1 }) + Post::fields().id().asc();
    /// assert_eq!(sort.to_string(), r#"{ "meta.lang": 1, "_id": 1 }"#);
    /// ```
    pub fn raw(document: Document) -> Self {
        Self::from_result(Ok(document))
    }

    /// The sort as it is sent.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if a path stands twice in
    /// it, or holds a map key that no path can hold.
    pub fn into_document(self) -> Result<Document> {
        self.document
    }

    fn by(name: &Name, direction: i32) -> Self {
        Self::from_result(name.checked().map(|path| doc! { path: direction }))
    }

    fn from_result(document: Result<Document>) -> Self {
        Self { document, marker: PhantomData }
    }
}

impl<M, C, V> Path<M, C, V> {
    /// The lowest value first.
    pub fn asc(&self) -> Sort<M>
    where
        C: FieldType,
        V: Queryable,
    {
        Sort::by(&self.name, 1)
    }

    /// The highest value first.
    pub fn desc(&self) -> Sort<M>
    where
        C: FieldType,
        V: Queryable,
    {
        Sort::by(&self.name, -1)
    }
}

impl<M> Add for Sort<M> {
    type Output = Self;

    /// Sorts by the second where the first is equal.
    fn add(self, other: Self) -> Self {
        let joined = self.document.and_then(|mut first| {
            let second = other.document?;
            match second.keys().find(|path| first.contains_key(path)) {
                Some(path) => {
                    let message = "the sort names the path twice";
                    Err(Error::invalid(message).with_path(path.clone()))
                }
                None => {
                    first.extend(second);
                    Ok(first)
                }
            }
        });
        Self::from_result(joined)
    }
}

impl<M> Clone for Sort<M> {
    fn clone(&self) -> Self {
        Self::from_result(self.document.clone())
    }
}

impl<M> fmt::Debug for Sort<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sort").field(&self.document).finish()
    }
}

impl<M> fmt::Display for Sort<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.document {
            Ok(document) => write!(f, "{document}"),
            Err(error) => write!(f, "invalid sort: {error}"),
        }
    }
}
