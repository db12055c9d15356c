//! `$push` with modifiers: where the values go in, and what is kept.

use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use super::Update;
use super::array::ElementKey;
use super::array_filter::element_root;
use crate::error::{Error, Result};
use crate::filter::{ElementRoot, encode_all};
use crate::path::{IntoKey, List, Path, Updatable};
use crate::sort::Sort;

impl<M, L, V> Path<M, L, V> {
    /// Adds the values, at a position, and sorts or cuts the array: `$push` with `$each` and the
    /// modifiers `$position`, `$sort` and `$slice`.
    ///
    /// The server adds the values, then sorts, then cuts, whatever the order of the modifiers.
    /// Without values the array is only sorted and cut.
    ///
    /// Source: [`$push`](https://www.mongodb.com/docs/manual/reference/operator/update/push/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Quiz { wk: i32, score: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, quizzes: Vec<Quiz>, last: Vec<i32> }
    /// let s = Student::fields();
    /// // The three best.
    /// let update = s.quizzes().push_each_with([Quiz { wk: 5, score: 8 }], |push| {
    ///     push.sort(|quiz| quiz.score().desc()).slice(3)
    /// });
    /// assert_eq!(
    ///     update.to_string(),
    ///     r#"{ "$push": { "quizzes": { "$each": [{ "wk": 5, "score": 8 }], "$sort": { "score": -1 }, "$slice": 3 } } }"#,
    /// );
    /// // The newest first, ten of them.
    /// let update = s.last().push_each_with([7], |push| push.position(0).slice(10));
    /// assert_eq!(
    ///     update.to_string(),
    ///     r#"{ "$push": { "last": { "$each": [7], "$position": 0, "$slice": 10 } } }"#,
    /// );
    /// ```
    pub fn push_each_with<K>(
        &self,
        values: impl IntoIterator<Item = K>,
        modifiers: impl FnOnce(PushModifiers<L>) -> PushModifiers<L>,
    ) -> Update<M>
    where
        L: List,
        V: Updatable,
        K: IntoKey<ElementKey<L>>,
    {
        let each = encode_all::<L::Element, K>(values).map(|values| doc! { "$each": values });
        let push = modifiers(PushModifiers { push: each, marker: PhantomData });
        Update::operator("$push", &self.name, push.push.map(Bson::Document))
    }
}

/// The modifiers of [`Path::push_each_with`] on a list `L`.
#[must_use = "give the modifiers back to `push_each_with`"]
#[derive(Debug)]
pub struct PushModifiers<L> {
    push: Result<Document>,
    marker: PhantomData<fn() -> L>,
}

impl<L: List> PushModifiers<L> {
    /// Where the values go in, from 0; negative, counted from the end: `$position`. At the end
    /// unless set.
    pub fn position(self, position: i32) -> Self {
        self.with("$position", Ok(position.into()))
    }

    /// The order of the whole array: `$sort`. A path of the element sorts by its field, the element
    /// itself (`|score| score.asc()`) by its value.
    pub fn sort(self, sort: impl FnOnce(ElementRoot<L>) -> Sort<L::Element>) -> Self {
        let sort = sort(element_root::<L>()).into_document();
        self.with("$sort", sort.and_then(of_elements))
    }

    /// How many elements are kept: the first ones, or the last ones where negative: `$slice`. 0
    /// empties the array.
    pub fn slice(self, slice: i32) -> Self {
        self.with("$slice", Ok(slice.into()))
    }

    fn with(self, modifier: &str, value: Result<Bson>) -> Self {
        let push = self.push.and_then(|mut push| {
            push.insert(modifier, value?);
            Ok(push)
        });
        Self { push, ..self }
    }
}

/// A sort as `$push` takes it: a direction alone where elements are sorted by their value.
fn of_elements(sort: Document) -> Result<Bson> {
    match sort.get("") {
        None => Ok(sort.into()),
        Some(direction) if sort.len() == 1 => Ok(direction.clone()),
        Some(_) => {
            Err(Error::invalid("elements are sorted either by their value or by their fields"))
        }
    }
}
