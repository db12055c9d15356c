//! Array update operators.
//!
//! Source: [array update operators](https://www.mongodb.com/docs/manual/reference/operator/update-array/).

use bson::{Bson, doc};

use super::Update;
use crate::error::Result;
use crate::filter::{ElementRoot, Filter, element_filter, encode_all, equal_to};
use crate::path::{FieldType, IntoKey, List, Path, Updatable};

pub(super) type ElementKey<L> = <<L as List>::Element as FieldType>::Key;

impl<M, L, V> Path<M, L, V> {
    /// Appends the value: `$push`. A missing array is created.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, voters: Vec<String> }
    /// let update = Post::fields().voters().push("calvin");
    /// assert_eq!(update.to_string(), r#"{ "$push": { "voters": "calvin" } }"#);
    /// ```
    pub fn push<K>(&self, value: K) -> Update<M>
    where
        L: List,
        V: Updatable,
        K: IntoKey<ElementKey<L>>,
    {
        Update::operator("$push", &self.name, one::<L>(value))
    }

    /// Appends the values in their order: `$push` with `$each`.
    pub fn push_each<K>(&self, values: impl IntoIterator<Item = K>) -> Update<M>
    where
        L: List,
        V: Updatable,
        K: IntoKey<ElementKey<L>>,
    {
        Update::operator("$push", &self.name, each::<L, K>(values))
    }

    /// Appends the value unless an element is equal to it: `$addToSet`.
    pub fn add_to_set<K>(&self, value: K) -> Update<M>
    where
        L: List,
        V: Updatable,
        K: IntoKey<ElementKey<L>>,
    {
        Update::operator("$addToSet", &self.name, one::<L>(value))
    }

    /// Appends each of the values that no element is equal to: `$addToSet` with `$each`.
    pub fn add_to_set_each<K>(&self, values: impl IntoIterator<Item = K>) -> Update<M>
    where
        L: List,
        V: Updatable,
        K: IntoKey<ElementKey<L>>,
    {
        Update::operator("$addToSet", &self.name, each::<L, K>(values))
    }

    /// Removes every element that is equal to the value: `$pull`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String> }
    /// let update = Post::fields().tags().pull("draft");
    /// assert_eq!(update.to_string(), r#"{ "$pull": { "tags": "draft" } }"#);
    /// ```
    pub fn pull<K>(&self, value: K) -> Update<M>
    where
        L: List,
        V: Updatable,
        K: IntoKey<ElementKey<L>>,
    {
        let value = L::Element::encode(&value.into_key());
        Update::operator("$pull", &self.name, value.map(equal_to))
    }

    /// Removes every element that meets the condition: `$pull`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Comment { who: String, likes: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, comments: Vec<Comment> }
    /// let update = Post::fields().comments().pull_where(|c| c.who().eq("spam") & c.likes().lt(1));
    /// assert_eq!(
    ///     update.to_string(),
    ///     r#"{ "$pull": { "comments": { "who": "spam", "likes": { "$lt": 1 } } } }"#,
    /// );
    /// ```
    pub fn pull_where(
        &self,
        condition: impl FnOnce(ElementRoot<L>) -> Filter<L::Element>,
    ) -> Update<M>
    where
        L: List,
        V: Updatable,
    {
        let condition = element_filter::<L>(condition);
        Update::operator("$pull", &self.name, condition.map(Bson::Document))
    }

    /// Removes every element that is equal to one of the values: `$pullAll`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String> }
    /// let update = Post::fields().tags().pull_all(["draft", "todo"]);
    /// assert_eq!(update.to_string(), r#"{ "$pullAll": { "tags": ["draft", "todo"] } }"#);
    /// ```
    pub fn pull_all<K>(&self, values: impl IntoIterator<Item = K>) -> Update<M>
    where
        L: List,
        V: Updatable,
        K: IntoKey<ElementKey<L>>,
    {
        let values = encode_all::<L::Element, K>(values);
        Update::operator("$pullAll", &self.name, values.map(Bson::Array))
    }

    /// Removes the first element: `$pop` with -1.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Queue { #[serde(rename = "_id")] id: i32, jobs: Vec<String> }
    /// let update = Queue::fields().jobs().pop_first();
    /// assert_eq!(update.to_string(), r#"{ "$pop": { "jobs": -1 } }"#);
    /// ```
    pub fn pop_first(&self) -> Update<M>
    where
        L: List,
        V: Updatable,
    {
        Update::operator("$pop", &self.name, Ok((-1).into()))
    }

    /// Removes the last element: `$pop` with 1.
    pub fn pop_last(&self) -> Update<M>
    where
        L: List,
        V: Updatable,
    {
        Update::operator("$pop", &self.name, Ok(1.into()))
    }
}

/// One value to append. An embedded document goes in as `$each` of one, since its own fields could
/// be read as modifiers.
fn one<L: List>(value: impl IntoKey<ElementKey<L>>) -> Result<Bson> {
    Ok(match L::Element::encode(&value.into_key())? {
        value @ Bson::Document(_) => doc! { "$each": [value] }.into(),
        value => value,
    })
}

fn each<L: List, K: IntoKey<ElementKey<L>>>(values: impl IntoIterator<Item = K>) -> Result<Bson> {
    let values = encode_all::<L::Element, K>(values)?;
    Ok(doc! { "$each": values }.into())
}
