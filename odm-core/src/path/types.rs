//! The value types of Rust and BSON as types of fields.

use bson::Bson;
use bson::spec::ElementType;

use super::{Coded, Coding, FieldType, Nest, Nullable, Path};
use crate::codec::{RawBuffer, RawValue, read, write};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Kind;

/// Implements [`FieldType`] for types that are their own key and have plain paths.
macro_rules! value_types {
    ($($type:ty => $kind:ident, $encode:expr, $read:expr, $write:expr;)+) => {$(
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

            fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
                let write: fn(&$type, &mut RawBuffer) -> Option<ElementType> = $write;
                write(self, out)
            }
        }
    )+};
}

value_types! {
    bool => Bool, |&v| Ok(Bson::Boolean(v)), read::boolean, write::boolean;
    i8 => Int, |&v| Ok(Bson::Int32(v.into())), read::integer, |&v, out| write::int32(&v.into(), out);
    i16 => Int, |&v| Ok(Bson::Int32(v.into())), read::integer, |&v, out| write::int32(&v.into(), out);
    i32 => Int, |&v| Ok(Bson::Int32(v)), read::integer, write::int32;
    i64 => Long, |&v| Ok(Bson::Int64(v)), read::integer, write::int64;
    u8 => Int, |&v| Ok(Bson::Int32(v.into())), read::integer, |&v, out| write::int32(&v.into(), out);
    u16 => Int, |&v| Ok(Bson::Int32(v.into())), read::integer, |&v, out| write::int32(&v.into(), out);
    u32 => Long, |&v| Ok(Bson::Int64(v.into())), read::integer, |&v, out| write::int64(&v.into(), out);
    u64 => Long, |&v| encode_u64(v), read::integer, write::unsigned;
    f32 => Double, |&v| Ok(Bson::Double(v.into())), read::float, |&v, out| write::double(&v.into(), out);
    f64 => Double, |&v| Ok(Bson::Double(v)), read::double, write::double;
    char => String, |&v| Ok(Bson::String(v.into())), read::character, write::character;
    String => String, |v| Ok(Bson::String(v.clone())), read::string, |v, out| write::string(v, out);
    bson::oid::ObjectId => ObjectId, |&v| Ok(Bson::ObjectId(v)), read::object_id, write::object_id;
    bson::DateTime => Date, |&v| Ok(Bson::DateTime(v)), read::date, write::date;
    bson::Decimal128 => Decimal, |&v| Ok(Bson::Decimal128(v)), read::decimal, write::decimal;
    bson::Uuid => Binary, |&v| Ok(Bson::from(v)), read::uuid, write::uuid;
    bson::Binary => Binary, |v| Ok(Bson::Binary(v.clone())), read::binary, write::binary;
    bson::Timestamp => Timestamp, |&v| Ok(Bson::Timestamp(v)), read::timestamp, write::timestamp;
    bson::Regex => Regex, |v| Ok(Bson::RegularExpression(v.clone())), read::by_serde, write::by_serde;
    bson::JavaScriptCodeWithScope => JavaScript, |v| Ok(Bson::JavaScriptCodeWithScope(v.clone())), read::by_serde, write::by_serde;
    bson::Document => Document, |v| Ok(Bson::Document(v.clone())), read::document, write::document;
    Bson => Any, |v| Ok(v.clone()), read::any, write::any;
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
