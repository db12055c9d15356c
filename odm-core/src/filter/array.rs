//! Array operators.
//!
//! Source: [array query operators](https://www.mongodb.com/docs/manual/reference/operator/query-array/).

use bson::{Bson, Document, doc};

use super::comparison::{encode, encode_all};
use super::{Filter, equal_to, is_condition, on_element};
use crate::model::Kind;
use crate::path::{Direct, FieldType, IntoKey, List, Name, Path, Queryable};

/// The path that a condition on the elements of a list `L` starts from.
pub(crate) type ElementRoot<L> =
    <<L as List>::Element as FieldType>::Path<<L as List>::Element, <L as List>::Element, Direct>;

/// Builds a condition on the elements of a list.
pub(crate) fn element_filter<L: List>(
    condition: impl FnOnce(ElementRoot<L>) -> Filter<L::Element>,
) -> crate::Result<bson::Document> {
    condition(element_root::<L>()).into_parts().and_then(on_element)
}

fn element_root<L: List>() -> ElementRoot<L> {
    Path::new(Name::from(std::borrow::Cow::Borrowed(""))).into()
}

/// The condition that an element is equal to the value. A plain null would match a missing field,
/// and a plain value in an element that is itself an array would not be looked for in it.
fn contained(value: Bson, is_element: bool) -> Bson {
    match value {
        value if is_element || value == Bson::Null => {
            doc! { "$elemMatch": { "$eq": value } }.into()
        }
        value => equal_to(value),
    }
}

/// A condition on a value, or on one in a list. The server does not look into an array that is an
/// element: there it is told to.
pub(super) fn within<C: FieldType>(
    name: &Name,
    condition: crate::Result<Document>,
) -> crate::Result<Bson> {
    let is_nested = C::KIND == Kind::Array && name.is_element();
    condition.map(|condition| match is_nested {
        true => doc! { "$elemMatch": condition }.into(),
        false => condition.into(),
    })
}

impl<M: 'static, L, V> Path<M, L, V> {
    /// An element is equal to the value: with `None`, an element is null.
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
        let is_element = self.name.is_element();
        let condition = encode::<L::Element>(value).map(|value| contained(value, is_element));
        Filter::condition(&self.name, condition)
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
            let is_special = |value: &Bson| is_condition(value) || *value == Bson::Null;
            if path.is_empty() || values.iter().any(is_special) {
                let each: Vec<_> = values.into_iter().map(|v| contained(v, true)).collect();
                return doc! { path: { "$all": each } };
            }
            doc! { path: { "$all": values } }
        })
    }

    /// Each of the conditions is met by an element, whichever: `$all` with `$elemMatch`. Without
    /// conditions nothing matches.
    ///
    /// Source: [`$all`](https://www.mongodb.com/docs/manual/reference/operator/query/all/#use--all-with--elemmatch).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Item { size: String, num: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Product { #[serde(rename = "_id")] id: i32, qty: Vec<Item> }
    /// let filter = Product::fields().qty().all_elem_match(|item| {
    ///     [item.size().eq("M") & item.num().gt(50), item.num().eq(100)]
    /// });
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "qty": { "$all": [{ "$elemMatch": { "size": "M", "num": { "$gt": 50 } } }, { "$elemMatch": { "num": 100 } }] } }"#,
    /// );
    /// ```
    pub fn all_elem_match<I>(&self, conditions: impl FnOnce(ElementRoot<L>) -> I) -> Filter<M>
    where
        L: List,
        V: Queryable,
        I: IntoIterator<Item = Filter<L::Element>>,
    {
        let each = |condition: Filter<L::Element>| {
            Ok(doc! { "$elemMatch": condition.into_parts().and_then(on_element)? })
        };
        let conditions: crate::Result<Vec<_>> =
            conditions(element_root::<L>()).into_iter().map(each).collect();
        Filter::build(&self.name, conditions, |path, conditions| {
            doc! { path: { "$all": conditions } }
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
