//! Field types whose stored form is given by serde functions, not by the type.

use std::fmt;
use std::marker::PhantomData;

use bson::Bson;
use serde::{Serialize, Serializer};

use super::{FieldType, Nest, Path};
use crate::codec::{RawBuffer, encode_value, write};
use crate::error::Result;
use crate::model::Kind;

/// How one field is written: the function that `#[serde(with = "…")]` or
/// `#[serde(serialize_with = "…")]` names. The derive implements it.
pub trait Coding: 'static {
    /// The type of the field.
    type Value: 'static;

    /// Writes the value as the field is stored.
    ///
    /// # Errors
    /// What the serializer or the named function returns.
    fn serialize<S: Serializer>(value: &Self::Value, serializer: S) -> Result<S::Ok, S::Error>;
}

/// The type of a field with `#[serde(with = "…")]`: filters and updates take the field's own type
/// and write it as the field is stored.
pub struct Coded<F>(PhantomData<fn() -> F>);

impl<F> fmt::Debug for Coded<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Coded")
    }
}

impl<F: 'static> Nest for Coded<F> {
    type Via<V: 'static> = V;
}

#[diagnostic::do_not_recommend]
impl<F: Coding> FieldType for Coded<F> {
    type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
    type Key = F::Value;
    const KIND: Kind = Kind::Any;
    const IS_CODED: bool = true;

    fn encode(key: &F::Value) -> Result<Bson> {
        encode_value(&AsStored::<F>(key))
    }

    fn write_key(key: &F::Value, name: &str, out: &mut RawBuffer) -> bool {
        write::field_by_serde(&AsStored::<F>(key), name, out)
    }
}

/// A value that is written by the function.
struct AsStored<'a, F: Coding>(&'a F::Value);

impl<F: Coding> Serialize for AsStored<'_, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        F::serialize(self.0, serializer)
    }
}

/// The type of a field with `#[odm(opaque)]`: any serde type, stored as serde makes it.
pub struct Opaque<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for Opaque<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opaque")
    }
}

impl<T: 'static> Nest for Opaque<T> {
    type Via<V: 'static> = V;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + 'static> FieldType for Opaque<T> {
    type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
    type Key = T;
    const KIND: Kind = Kind::Any;

    fn encode(key: &T) -> Result<Bson> {
        encode_value(key)
    }

    fn write_key(key: &T, name: &str, out: &mut RawBuffer) -> bool {
        write::field_by_serde(key, name, out)
    }
}
