//! Array operators.
//!
//! Source: [array query operators](https://www.mongodb.com/docs/manual/reference/operator/query-array/).

use bson::doc;

use super::comparison::encode_all;
use super::{Filter, is_condition, on_element};
use crate::path::{Direct, FieldType, IntoKey, List, Name, Path, Queryable};

/// The path that a condition on the elements of a list `L` starts from.
pub(crate) type ElementRoot<L> =
    <<L as List>::Element as FieldType>::Path<<L as List>::Element, <L as List>::Element, Direct>;

/// Builds a condition on the elements of a list.
pub(crate) fn element_filter<L: List>(
    condition: impl FnOnce(ElementRoot<L>) -> Filter<L::Element>,
) -> crate::Result<bson::Document> {
    let root = Path::new(Name::from(std::borrow::Cow::Borrowed("")));
    condition(root.into()).into_document().and_then(on_element)
}

impl<M: 'static, L, V> Path<M, L, V> {
    /// An element is equal to the value.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String> }
    /// let filter = Post::fields().tags().contains("business");
    /// assert_eq!(filter.to_string(), r#"{ "tags": "business" }"#);
    /// ```
    pub fn contains<K>(&self, value: K) -> Filter<M>
    where
        L: List,
        V: Queryable,
        K: IntoKey<<L::Element as FieldType>::Key>,
    {
        Path::<M, L::Element, V>::new(self.name.clone()).eq(value)
    }

    /// Each of the values is equal to an element: `$all`. Without values nothing matches.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String> }
    /// let filter = Post::fields().tags().all(["business", "ramblings"]);
    /// assert_eq!(filter.to_string(), r#"{ "tags": { "$all": ["business", "ramblings"] } }"#);
    /// ```
    pub fn all<K>(&self, values: impl IntoIterator<Item = K>) -> Filter<M>
    where
        L: List,
        V: Queryable,
        K: IntoKey<<L::Element as FieldType>::Key>,
    {
        Filter::build(&self.name, encode_all::<L::Element, K>(values), |path, values| {
            if !values.iter().any(is_condition) {
                return doc! { path: { "$all": values } };
            }
            let each: Vec<_> = values.into_iter().map(|v| doc! { path: { "$eq": v } }).collect();
            doc! { "$and": each }
        })
    }

    /// The array has exactly this many elements: `$size`.
    pub fn size(&self, size: u32) -> Filter<M>
    where
        L: List,
        V: Queryable,
    {
        Filter::condition(&self.name, Ok(doc! { "$size": i64::from(size) }.into()))
    }

    /// One element alone meets the whole condition: `$elemMatch`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Comment { who: String, likes: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, comments: Vec<Comment>, scores: Vec<i32> }
    /// let p = Post::fields();
    /// let filter = p.comments().elem_match(|c| c.who().eq("jane") & c.likes().gt(2));
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "comments": { "$elemMatch": { "who": "jane", "likes": { "$gt": 2 } } } }"#,
    /// );
    /// let filter = p.scores().elem_match(|score| score.gte(80) & score.lt(85));
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "scores": { "$elemMatch": { "$gte": 80, "$lt": 85 } } }"#,
    /// );
    /// ```
    pub fn elem_match(
        &self,
        condition: impl FnOnce(ElementRoot<L>) -> Filter<L::Element>,
    ) -> Filter<M>
    where
        L: List,
        V: Queryable,
    {
        let condition = element_filter::<L>(condition);
        Filter::build(&self.name, condition, |path, condition| {
            doc! { path: { "$elemMatch": condition } }
        })
    }
}
