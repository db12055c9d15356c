//! Lists: fields stored as arrays, and the paths to their elements.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use bson::Bson;
use serde::Serialize;

use super::{FieldType, InArray, Nest, Path, Positional, Updatable};
use crate::codec::encode_value;
use crate::error::Result;
use crate::model::{Kind, Shape};

/// A field type that is stored as an array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list",
    label = "array operators need a `Vec` or another list",
    note = "`contains`, `all`, `size`, `elem_match`, `push`, `pull`, `add_to_set` and positions are for fields stored as arrays"
)]
pub trait List: FieldType {
    /// The type of the elements.
    type Element: FieldType;
}

impl<T: Nest> Nest for Vec<T> {
    type Via<V: 'static> = InArray;
}

impl<T: FieldType> FieldType for Vec<T> {
    type Path<M: 'static, C: 'static, V: 'static> = T::Path<M, C, V>;
    type Key = Vec<T::Key>;
    const KIND: Kind = Kind::Array;

    fn encode(key: &Self::Key) -> Result<Bson> {
        key.iter().map(T::encode).collect::<Result<_>>().map(Bson::Array)
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }
}

impl<T: FieldType> List for Vec<T> {
    type Element = T;
}

/// Implements the traits of lists for a collection that is encoded by serde.
macro_rules! list_type {
    ($list:ty, <$element:ident: $($bound:path),* $(; $other:ident: $($other_bound:path),+)?>) => {
        impl<$element: Nest $(, $other: 'static)?> Nest for $list {
            type Via<V: 'static> = InArray;
        }

        impl<$element $(, $other)?> FieldType for $list
        where
            $element: FieldType + Serialize $(+ $bound)*,
            $($other: 'static $(+ $other_bound)+)?
        {
            type Path<M: 'static, C: 'static, V: 'static> = $element::Path<M, C, V>;
            type Key = Self;
            const KIND: Kind = Kind::Array;

            fn encode(key: &Self) -> Result<Bson> {
                encode_value(key)
            }

            fn shape() -> Option<&'static Shape> {
                $element::shape()
            }
        }

        impl<$element $(, $other)?> List for $list
        where
            $element: FieldType + Serialize $(+ $bound)*,
            $($other: 'static $(+ $other_bound)+)?
        {
            type Element = $element;
        }
    };
}

list_type!(VecDeque<T>, <T: >);
list_type!(BTreeSet<T>, <T: Ord>);
list_type!(HashSet<T, S>, <T: Eq, Hash; S: BuildHasher>);

/// The path to an element of a list `L` of model `M`, by `V`.
type ElementPath<M, L, V> = <<L as List>::Element as FieldType>::Path<M, <L as List>::Element, V>;

impl<M: 'static, L: List, V: 'static> Path<M, L, V> {
    /// Any element of the array: a filter on it matches where at least one element does.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, scores: Vec<i32> }
    /// let filter = Student::fields().scores().any().gt(90);
    /// assert_eq!(filter.to_string(), r#"{ "scores": { "$gt": 90 } }"#);
    /// ```
    #[must_use]
    pub fn any(&self) -> ElementPath<M, L, InArray> {
        Path::new(self.name.clone()).into()
    }

    /// The element at one position, from 0. Filters and updates may use it.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, scores: Vec<i32> }
    /// let update = Student::fields().scores().at(0).set(95);
    /// assert_eq!(update.to_string(), r#"{ "$set": { "scores.0": 95 } }"#);
    /// ```
    #[must_use]
    pub fn at(&self, position: usize) -> ElementPath<M, L, V> {
        Path::new(self.name.segment(position)).into()
    }
}

impl<M: 'static, L: List, V: 'static> Path<M, L, V> {
    /// The first element that the update's filter matched: the positional operator `$`.
    ///
    /// The filter must contain a condition on the array.
    ///
    /// Source: [`$` (update)](https://www.mongodb.com/docs/manual/reference/operator/update/positional/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, scores: Vec<i32> }
    /// let update = Student::fields().scores().matched().set(95);
    /// assert_eq!(update.to_string(), r#"{ "$set": { "scores.$": 95 } }"#);
    /// ```
    #[must_use]
    pub fn matched(&self) -> ElementPath<M, L, Positional>
    where
        V: Updatable,
    {
        Path::new(self.name.segment("$")).into()
    }

    /// Every element of the array: the all positional operator `$[]`.
    ///
    /// Source: [`$[]`](https://www.mongodb.com/docs/manual/reference/operator/update/positional-all/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, scores: Vec<i32> }
    /// let update = Student::fields().scores().all_elements().inc(5);
    /// assert_eq!(update.to_string(), r#"{ "$inc": { "scores.$[]": 5 } }"#);
    /// ```
    #[must_use]
    pub fn all_elements(&self) -> ElementPath<M, L, Positional>
    where
        V: Updatable,
    {
        Path::new(self.name.segment("$[]")).into()
    }
}
