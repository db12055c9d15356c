//! Rust's arrays as types of fields: stored as arrays that always have the same length.

use bson::Bson;
use bson::spec::ElementType;

use super::list::visit_elements;
use super::{FieldType, InArray, IntoKey, Nest};
use crate::codec::{RawBuffer, RawValue, write};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Kind, Shape};
use crate::relation::{Reference, Visit};

impl<T: Nest, const N: usize> Nest for [T; N] {
    type Via<V: 'static> = InArray;
}

/// Not a list: nothing can be pushed to it or pulled from it.
#[diagnostic::do_not_recommend]
impl<T: FieldType, const N: usize> FieldType for [T; N] {
    type Path<M: 'static, C: 'static, V: 'static> = T::Path<M, C, V>;
    type Key = Vec<T::Key>;
    const KIND: Kind = Kind::Array;
    const INDEXED: Kind = T::INDEXED;
    const REFERENCE: Option<Reference> = Reference::fixed(T::REFERENCE);

    fn encode(key: &Self::Key) -> Result<Bson> {
        if key.len() != N {
            let message = format!("the field holds {N} values, and there are {}", key.len());
            return Err(Error::new(ErrorKind::Encode, message));
        }
        Vec::<T>::encode(key)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        Vec::<T>::read_raw(value)?.try_into().ok()
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

#[diagnostic::do_not_recommend]
impl<K, const N: usize> IntoKey<Option<Vec<K>>> for [K; N] {
    fn into_key(self) -> Option<Vec<K>> {
        Some(self.into())
    }
}
