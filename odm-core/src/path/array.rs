//! Rust's arrays as types of fields: stored as arrays that always have the same length.

use bson::Bson;
use serde::Serialize;

use super::{FieldType, InArray, IntoKey, Nest};
use crate::codec::encode_value;
use crate::error::Result;
use crate::model::{Kind, Shape};

impl<T: Nest, const N: usize> Nest for [T; N] {
    type Via<V: 'static> = InArray;
}

/// Not a list: nothing can be pushed to it or pulled from it.
#[diagnostic::do_not_recommend]
impl<T: FieldType, const N: usize> FieldType for [T; N]
where
    Self: Serialize,
{
    type Path<M: 'static, C: 'static, V: 'static> = T::Path<M, C, V>;
    type Key = Self;
    const KIND: Kind = Kind::Array;
    const INDEXED: Kind = T::INDEXED;

    fn encode(key: &Self) -> Result<Bson> {
        encode_value(key)
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }
}

#[diagnostic::do_not_recommend]
impl<K, const N: usize> IntoKey<Option<[K; N]>> for [K; N] {
    fn into_key(self) -> Option<[K; N]> {
        Some(self)
    }
}
