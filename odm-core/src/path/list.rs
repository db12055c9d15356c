//! Lists: fields stored as arrays, and the paths to their elements.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use bson::Bson;
use bson::spec::ElementType;
use serde::Serialize;

use super::{FieldType, InArray, Nest, Path, Positional, Updatable};
use crate::codec::{RawBuffer, RawValue, encode_value, write};
use crate::error::Result;
use crate::model::{Kind, Shape};
use crate::relation::{Reference, Visit};

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
    const NULLABLE: bool = true;
}

impl<T: FieldType> FieldType for Vec<T> {
    type Path<M: 'static, C: 'static, V: 'static> = T::Path<M, C, V>;
    type Key = Vec<T::Key>;
    const KIND: Kind = Kind::Array;
    const INDEXED: Kind = T::INDEXED;
    const REFERENCE: Option<Reference> = Reference::list(T::REFERENCE);

    fn encode(key: &Self::Key) -> Result<Bson> {
        key.iter().map(T::encode).collect::<Result<_>>().map(Bson::Array)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        let mut items = value.items()?;
        let mut list = Self::new();
        while let Some(item) = items.next_item() {
            // Four fit in the first allocation; from there on, counting is cheaper than growing.
            if !list.is_empty() && list.len() == list.capacity() {
                list.reserve_exact(1 + items.count_left());
            }
            list.push(T::read_raw(item)?);
        }
        items.is_whole().then_some(list)
    }

    fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
        write::list(self, out)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        visit_elements(self, path, visit);
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }
}

/// Visits the references in one element, where the path begins with its position, else in all.
pub(super) fn visit_elements<T: FieldType>(elements: &mut [T], path: &[&str], visit: Visit<'_>) {
    let position = path.split_first().and_then(|(first, rest)| Some((first.parse().ok()?, rest)));
    match position {
        Some((position, rest)) => {
            let element: Option<&mut T> = elements.get_mut::<usize>(position);
            element.into_iter().for_each(|element| element.visit_refs(rest, visit));
        }
        None => elements.iter_mut().for_each(|element| element.visit_refs(path, visit)),
    }
}

impl<T: FieldType> List for Vec<T> {
    type Element = T;
}

/// Implements the traits of lists for a collection that is encoded by serde.
macro_rules! list_type {
    (
        $list:ty, $insert:ident, <$element:ident: $($bound:path),*
        $(; $other:ident: $($other_bound:path),+)?>
    ) => {
        impl<$element: Nest $(, $other: 'static)?> Nest for $list {
            type Via<V: 'static> = InArray;
            const NULLABLE: bool = true;
        }

        impl<$element $(, $other)?> FieldType for $list
        where
            $element: FieldType + Serialize $(+ $bound)*,
            $($other: 'static $(+ $other_bound)+)?
        {
            type Path<M: 'static, C: 'static, V: 'static> = $element::Path<M, C, V>;
            type Key = Self;
            const KIND: Kind = Kind::Array;
            const INDEXED: Kind = $element::INDEXED;
            const REFERENCE: Option<Reference> = Reference::list($element::REFERENCE);

            fn encode(key: &Self) -> Result<Bson> {
                encode_value(key)
            }

            // One by one, as serde does: of equal elements a set keeps the first.
            fn read_raw(value: RawValue<'_>) -> Option<Self> {
                let mut items = value.items()?;
                let mut list = Self::default();
                while let Some(item) = items.next_item() {
                    list.$insert($element::read_raw(item)?);
                }
                items.is_whole().then_some(list)
            }

            fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
                write::list(self, out)
            }

            // An element of a set cannot be changed in place. What is loaded is no part of its
            // order or hash.
            fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
                if $element::REFERENCE.is_none() && $element::shape().is_none() {
                    return;
                }
                let mut elements: Vec<$element> = std::mem::take(self).into_iter().collect();
                visit_elements(&mut elements, path, visit);
                elements.into_iter().for_each(|element| {
                    self.$insert(element);
                });
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

list_type!(VecDeque<T>, push_back, <T: >);
list_type!(BTreeSet<T>, insert, <T: Ord>);
list_type!(HashSet<T, S>, insert, <T: Eq, Hash; S: BuildHasher, Default>);

// The element's type is a parameter, and not `L::Element`: else a path to no list would have no such
// method, and the compiler could not say why.
impl<M: 'static, L: 'static, V: 'static> Path<M, L, V> {
    /// The elements of the array, for conditions that at least one of them must meet. A negation
    /// (`ne`, `nin`) excludes the documents where one does not: no element may be equal.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, scores: Vec<i32> }
    /// let filter = Student::fields().scores().any().gt(90);
    /// assert_eq!(filter.to_string(), r#"{ "scores": { "$gt": 90 } }"#);
    /// ```
    #[must_use]
    pub fn any<T>(&self) -> T::Path<M, T, InArray>
    where
        T: FieldType,
        L: List<Element = T>,
    {
        Path::new(self.name.elements()).into()
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
    pub fn at<T>(&self, position: usize) -> T::Path<M, T, V>
    where
        T: FieldType,
        L: List<Element = T>,
    {
        Path::new(self.name.segment(position)).into()
    }

    /// The first element that the update's filter matched: the positional operator `$`.
    ///
    /// The filter must have one condition on elements, and that on this array: several that one
    /// element is to meet are joined by [`elem_match`](Path::elem_match). Any other filter is
    /// refused by the action before anything is sent, since the server takes the position that the
    /// last condition on any array has found. [`filtered`](Path::filtered) needs no filter.
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
    pub fn matched<T>(&self) -> T::Path<M, T, Positional>
    where
        T: FieldType,
        L: List<Element = T>,
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
    pub fn all_elements<T>(&self) -> T::Path<M, T, Positional>
    where
        T: FieldType,
        L: List<Element = T>,
        V: Updatable,
    {
        Path::new(self.name.segment("$[]")).into()
    }
}
