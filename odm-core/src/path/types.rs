//! The value types of Rust and BSON as types of fields.

use bson::Bson;

use super::{Coded, Coding, FieldType, Nest, Nullable, Path};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Kind;

/// Implements [`FieldType`] for types that are their own key and have plain paths.
macro_rules! value_types {
    ($($type:ty => $kind:ident, $encode:expr;)+) => {$(
        impl Nest for $type {
            type Via<V: 'static> = V;
        }

        #[diagnostic::do_not_recommend]
        impl FieldType for $type {
            type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
            type Key = Self;
            const KIND: Kind = Kind::$kind;

            fn encode(key: &Self) -> Result<Bson> {
                let encode: fn(&$type) -> Result<Bson> = $encode;
                encode(key)
            }
        }
    )+};
}

value_types! {
    bool => Bool, |&v| Ok(Bson::Boolean(v));
    i8 => Int, |&v| Ok(Bson::Int32(v.into()));
    i16 => Int, |&v| Ok(Bson::Int32(v.into()));
    i32 => Int, |&v| Ok(Bson::Int32(v));
    i64 => Long, |&v| Ok(Bson::Int64(v));
    u8 => Int, |&v| Ok(Bson::Int32(v.into()));
    u16 => Int, |&v| Ok(Bson::Int32(v.into()));
    u32 => Long, |&v| Ok(Bson::Int64(v.into()));
    u64 => Long, |&v| encode_u64(v);
    f32 => Double, |&v| Ok(Bson::Double(v.into()));
    f64 => Double, |&v| Ok(Bson::Double(v));
    char => String, |&v| Ok(Bson::String(v.into()));
    String => String, |v| Ok(Bson::String(v.clone()));
    bson::oid::ObjectId => ObjectId, |&v| Ok(Bson::ObjectId(v));
    bson::DateTime => Date, |&v| Ok(Bson::DateTime(v));
    bson::Decimal128 => Decimal, |&v| Ok(Bson::Decimal128(v));
    bson::Uuid => Binary, |&v| Ok(Bson::from(v));
    bson::Binary => Binary, |v| Ok(Bson::Binary(v.clone()));
    bson::Timestamp => Timestamp, |&v| Ok(Bson::Timestamp(v));
    bson::Regex => Regex, |v| Ok(Bson::RegularExpression(v.clone()));
    bson::JavaScriptCodeWithScope => JavaScript, |v| Ok(Bson::JavaScriptCodeWithScope(v.clone()));
    bson::Document => Document, |v| Ok(Bson::Document(v.clone()));
    Bson => Any, |v| Ok(v.clone());
}

/// Encodes a `u64`, which BSON holds only up to `i64::MAX`.
pub(super) fn encode_u64(value: u64) -> Result<Bson> {
    i64::try_from(value).map(Bson::Int64).map_err(|_| {
        let message = format!("{value} is above {}, the largest 64-bit integer of BSON", i64::MAX);
        Error::new(ErrorKind::Encode, message)
    })
}

/// Fields that hold dates: what a TTL index needs.
#[diagnostic::on_unimplemented(
    message = "a TTL index needs a date, and `{Self}` is not one",
    label = "not a date",
    note = "declare the field as `bson::DateTime`: documents expire by the date they hold"
)]
pub trait Dated: FieldType {}
#[diagnostic::do_not_recommend]
impl Dated for bson::DateTime {}
#[diagnostic::do_not_recommend]
impl<T: Dated> Dated for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: Dated> Dated for Nullable<T> {}
#[diagnostic::do_not_recommend]
impl<T: Dated> Dated for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<F: Coding> Dated for Coded<F> {}
