//! Documents that remember what is stored. [`save`](crate::Collection::save) sends the difference.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bson::{RawDocument, RawDocumentBuf};

use crate::driver::Outcome;
use crate::error::{Error, Result};
use crate::migrate::{self, Read};
use crate::model::Document;

/// A document that remembers what is stored, and so what has changed since.
///
/// It is used as the document itself. Read one by [`Find::tracked`](crate::action::Find::tracked) or
/// [`FindOne::tracked`](crate::action::FindOne::tracked), and save it by
/// [`Collection::save`](crate::Collection::save).
///
/// A change counts as made when the document is borrowed mutably: what a `Cell` or a lock inside of
/// it holds is not seen to change otherwise.
///
/// ```no_run
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32, title: String, tags: Vec<String> }
/// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
/// if let Some(mut post) = posts.get(1).tracked().await? {
///     post.title = "New title".into();
///     post.tags.push("edited".into());
///     posts.save(&mut post).await?; // { $set: { title: … }, $push: { tags: … } }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tracked<T> {
    value: T,
    state: State,
    /// What was saved in a transaction, and is stored once that commits.
    saved: Option<(Outcome, State)>,
}

/// What is stored.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) stored: RawDocumentBuf,
    before: Before,
}

/// The document as the struct wrote it when it was read or saved last.
#[derive(Clone)]
enum Before {
    /// It has not been borrowed mutably since.
    Unchanged,
    Written(RawDocumentBuf),
    /// It could not be written.
    Failed(Error),
}

impl<T> Tracked<T> {
    /// The document alone.
    pub fn into_inner(this: Self) -> T {
        this.value
    }

    /// The document, whose references are loaded: that is no change.
    pub(crate) fn loading(&mut self) -> &mut T {
        &mut self.value
    }

    pub(crate) fn value(this: &Self) -> &T {
        &this.value
    }
}

impl<T: Document> Tracked<T> {
    /// What the next save is held against.
    ///
    /// # Errors
    /// The document was saved in another transaction, of which it is not known whether it commits.
    pub(crate) fn state(&mut self, outcome: Option<&Outcome>) -> Result<&State> {
        if let Some((saved_in, state)) = self.saved.take() {
            let is_here = outcome.is_some_and(|outcome| outcome.is_of(&saved_in));
            match (saved_in.is_committed(), saved_in.is_open()) {
                (true, _) => self.state = state,
                (_, true) if is_here => self.saved = Some((saved_in, state)),
                (_, true) => {
                    self.saved = Some((saved_in, state));
                    return Err(Error::invalid(
                        "the document was saved in a transaction that has not been seen to end: \
                         save it there, or read it again",
                    ));
                }
                (false, false) => {}
            }
        }
        Ok(self.saved.as_ref().map_or(&self.state, |(_, state)| state))
    }

    /// Takes the fields that the library keeps from what was stored. How the struct writes the
    /// document then.
    pub(crate) fn take_stamps(&mut self, stored: &RawDocument) -> Result<RawDocumentBuf> {
        self.value.take_stamps(migrate::read::<T>(stored)?.value);
        self.value.encode()
    }

    /// The document was saved.
    pub(crate) fn advance(
        &mut self,
        stored: RawDocumentBuf,
        written: RawDocumentBuf,
        outcome: Option<Outcome>,
    ) {
        let state = State { stored, before: Before::Written(written) };
        match outcome {
            Some(outcome) => self.saved = Some((outcome, state)),
            None => self.state = state,
        }
    }
}

impl State {
    /// What the struct wrote; `None` where nothing can have changed since.
    pub(crate) fn before(&self) -> Result<Option<&RawDocument>> {
        match &self.before {
            Before::Unchanged => Ok(None),
            Before::Written(before) => Ok(Some(before)),
            Before::Failed(error) => Err(error.clone()),
        }
    }
}

/// Reads a stored document and keeps its bytes. What an upgrade changes is left to a save.
pub(crate) fn read<T: Document>(raw: &RawDocument) -> Result<Read<Tracked<T>>> {
    let value = migrate::read::<T>(raw)?.value;
    let state = State { stored: raw.to_owned(), before: Before::Unchanged };
    Ok(Read { value: Tracked { value, state, saved: None }, write_back: None })
}

impl<T> Deref for Tracked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Document> DerefMut for Tracked<T> {
    /// The first time since it was read, the document is written in memory, to tell later what has
    /// changed.
    fn deref_mut(&mut self) -> &mut T {
        if let Before::Unchanged = self.state.before {
            self.state.before = match self.value.encode() {
                Ok(before) => Before::Written(before),
                Err(error) => Before::Failed(error),
            };
        }
        &mut self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Tracked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tracked").field(&self.value).finish()
    }
}
