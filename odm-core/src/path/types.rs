//! The value types of Rust and BSON as types of fields.

use bson::Bson;

use super::{Coded, Coding, FieldType, Nest, Nullable, Path};
use crate::codec::RawValue;
use crate::codec::read::{self, by_serde};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Kind;

/// Implements [`FieldType`] for types that are their own key and have plain paths.
macro_rules! value_types {
    ($($type:ty => $kind:ident, $encode:expr, $read:expr;)+) => {$(
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

            fn read_raw(value: RawValue<'_>) -> Option<Self> {
                $read(value)
            }
        }
    )+};
}

value_types! {
    bool => Bool, |&v| Ok(Bson::Boolean(v)), read::boolean;
    i8 => Int, |&v| Ok(Bson::Int32(v.into())), read::integer;
    i16 => Int, |&v| Ok(Bson::Int32(v.into())), read::integer;
    i32 => Int, |&v| Ok(Bson::Int32(v)), read::integer;
    i64 => Long, |&v| Ok(Bson::Int64(v)), read::integer;
    u8 => Int, |&v| Ok(Bson::Int32(v.into())), read::integer;
    u16 => Int, |&v| Ok(Bson::Int32(v.into())), read::integer;
    u32 => Long, |&v| Ok(Bson::Int64(v.into())), read::integer;
    u64 => Long, |&v| encode_u64(v), read::integer;
    f32 => Double, |&v| Ok(Bson::Double(v.into())), read::float;
    f64 => Double, |&v| Ok(Bson::Double(v)), read::double;
    char => String, |&v| Ok(Bson::String(v.into())), read::character;
    String => String, |v| Ok(Bson::String(v.clone())), read::string;
    bson::oid::ObjectId => ObjectId, |&v| Ok(Bson::ObjectId(v)), read::object_id;
    bson::DateTime => Date, |&v| Ok(Bson::DateTime(v)), read::date;
    bson::Decimal128 => Decimal, |&v| Ok(Bson::Decimal128(v)), read::decimal;
    bson::Uuid => Binary, |&v| Ok(Bson::from(v)), read::uuid;
    bson::Binary => Binary, |v| Ok(Bson::Binary(v.clone())), read::binary;
    bson::Timestamp => Timestamp, |&v| Ok(Bson::Timestamp(v)), read::timestamp;
    bson::Regex => Regex, |v| Ok(Bson::RegularExpression(v.clone())), by_serde;
    bson::JavaScriptCodeWithScope => JavaScript, |v| Ok(Bson::JavaScriptCodeWithScope(v.clone())), by_serde;
    bson::Document => Document, |v| Ok(Bson::Document(v.clone())), read::document;
    Bson => Any, |v| Ok(v.clone()), read::any;
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
