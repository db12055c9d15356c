//! Updates: typed changes at paths, as values that need no server.
//!
//! The operators are methods of [`Path`](crate::path::Path), in files by the manual's groups. Here
//! is what they yield, and how updates combine. An update ends in an action, which checks it
//! against its filter and model (`check`) and sends it.

mod array;
mod array_filter;
mod bitwise;
mod check;
mod conflict;
mod current_date;
mod field;
mod insertion;
mod matched;
mod modification;
mod pipeline;
mod push;
mod room;
mod stamped;

pub use current_date::CurrentDate;
pub(crate) use insertion::{Insertion, equalities, inserted};
pub(crate) use modification::Modification;
pub use pipeline::UpdatePipeline;
pub use push::PushModifiers;
pub(crate) use room::Room;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Add;

use bson::{Bson, Document, doc};

use crate::error::{Error, Result};
use crate::path::{ArrayFilters, Name};

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
    change: Result<Modification>,
    marker: PhantomData<fn() -> M>,
}

impl<M> Update<M> {
    /// The update that changes nothing: a start to add to. An action refuses it.
    pub fn new() -> Self {
        Self::from_result(Ok(Modification::default()))
    }

    /// Any update operators in the server's own words.
    ///
    /// Its paths take part in the check for conflicts, and may change neither `_id` nor the schema
    /// version; nothing else in it is checked, and nothing is escaped: never build it from input.
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
        let checked = conflict::check_operators(&document);
        Self::from_result(
            checked
                .map(|()| Modification::Operators { document, filters: ArrayFilters::default() }),
        )
    }

    /// Defines what the identifiers `$[identifier]` in a [raw](Update::raw) update stand for, as the
    /// driver takes it. Paths made by [`filtered`](crate::path::Path::filtered) bring their own.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, grades: Vec<i32> }
    /// use bson::doc;
    /// let update: Update<Student> = Update::raw(doc! { "$set": { "grades.$[high]": 100 } })
    ///     .array_filters([doc! { "high": { "$gte": 100 } }]);
    /// # let _ = update;
    /// ```
    pub fn array_filters(self, filters: impl IntoIterator<Item = Document>) -> Self {
        let filters = array_filter::read(filters);
        self.and(filters.map(|filters| Modification::Operators { document: doc! {}, filters }))
    }

    /// The update as it is sent, without its array filters.
    ///
    /// # Errors
    /// The error that a value or path in it had; [`ErrorKind::InvalidArgument`] if two changes
    /// conflict, if there is none, or if the update is a pipeline.
    ///
    /// [`ErrorKind::InvalidArgument`]: crate::ErrorKind::InvalidArgument
    pub fn into_document(self) -> Result<Document> {
        match self.into_modification()? {
            Modification::Operators { document, .. } => Ok(document),
            Modification::Pipeline(_) => Err(Error::invalid("the update is a pipeline")),
        }
    }

    pub(crate) fn into_modification(self) -> Result<Modification> {
        let change = self.change?;
        match change.is_empty() {
            true => Err(Error::invalid("the update is empty: it changes nothing")),
            false => Ok(change),
        }
    }

    /// One operator at one path.
    pub(crate) fn operator(operator: &str, name: &Name, value: Result<Bson>) -> Self {
        Self::from_result(name.checked().and_then(|path| {
            let value = value.map_err(|error| error.with_path(path))?;
            let document = doc! { operator: { path: value } };
            conflict::check_operators(&document)?;
            Ok(Modification::Operators { document, filters: name.array_filters().clone() })
        }))
    }

    fn from_result(change: Result<Modification>) -> Self {
        Self { change, marker: PhantomData }
    }

    fn and(self, other: Result<Modification>) -> Self {
        Self::from_result(self.change.and_then(|change| change.and(other?)))
    }
}

impl<M> Add for Update<M> {
    type Output = Self;

    /// Both changes, in one update; of two pipelines, the stages of one after those of the other.
    /// Operators and a pipeline cannot be joined.
    fn add(self, other: Self) -> Self {
        self.and(other.change)
    }
}

impl<M> Default for Update<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> Clone for Update<M> {
    fn clone(&self) -> Self {
        Self::from_result(self.change.clone())
    }
}

impl<M> fmt::Debug for Update<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Update").field(&self.change).finish()
    }
}

impl<M> fmt::Display for Update<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.change {
            Ok(change) => change.fmt(f),
            Err(error) => write!(f, "invalid update: {error}"),
        }
    }
}
