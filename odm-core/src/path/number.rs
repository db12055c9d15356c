//! Numeric fields, and the amounts that may be added to them.

use bson::{Bson, Decimal128};

use super::types::encode_u64;
use super::{FieldType, Nullable};
use crate::error::Result;

/// A field type that holds a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "arithmetic is for numbers only",
    note = "the field's type must be an integer, `f32`, `f64`, `Decimal128`, or an `Option` of one"
)]
pub trait Number: FieldType {
    /// The type in which amounts are added, of the width that the field is stored in.
    type Amount;
}

/// A field type that holds an integer: what bitwise operators need.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer",
    label = "bitwise operators are for integers only",
    note = "the field's type must be one of `i8` to `i64` and `u8` to `u64`, or an `Option` of one"
)]
pub trait Integer: Number {}

/// An amount that can be combined with a field of amounts `A` without a change of its width.
#[diagnostic::on_unimplemented(
    message = "expected an amount that fits `{A}`, as which the field is stored, found `{Self}`",
    label = "cannot be added to an `{A}`",
    note = "the server would widen the field to the type of the amount: convert the amount, by `as` or `try_into()`, or declare the field wider"
)]
pub trait Delta<A> {
    /// The amount as BSON.
    ///
    /// # Errors
    /// [`ErrorKind::Encode`](crate::ErrorKind::Encode) for a `u64` above `i64::MAX`.
    fn encode(self) -> Result<Bson>;
}

macro_rules! numbers {
    ($($amount:ty: $($field:ty)+;)+) => {$($(
        #[diagnostic::do_not_recommend]
        impl Number for $field {
            type Amount = $amount;
        }
    )+)+};
}

numbers! {
    i32: i8 i16 i32 u8 u16;
    i64: u32 i64 u64;
    f64: f32 f64;
    Decimal128: Decimal128;
}

macro_rules! integers {
    ($($field:ty)+) => {$(
        #[diagnostic::do_not_recommend]
        impl Integer for $field {}
    )+};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

#[diagnostic::do_not_recommend]
impl<T: Integer> Integer for Option<T> {}

#[diagnostic::do_not_recommend]
impl<T: Integer> Integer for Nullable<T> {}

#[diagnostic::do_not_recommend]
impl<T: Number> Number for Option<T> {
    type Amount = T::Amount;
}

#[diagnostic::do_not_recommend]
impl<T: Number> Number for Nullable<T> {
    type Amount = T::Amount;
}

macro_rules! deltas {
    ($($amount:ty => $bson:ident: $($from:ty)+;)+) => {$($(
        #[diagnostic::do_not_recommend]
        impl Delta<$amount> for $from {
            fn encode(self) -> Result<Bson> {
                Ok(Bson::$bson(self.into()))
            }
        }
    )+)+};
}

deltas! {
    i32 => Int32: i8 i16 i32 u8 u16;
    i64 => Int64: i8 i16 i32 i64 u8 u16 u32;
    f64 => Double: i8 i16 i32 u8 u16 u32 f32 f64;
    Decimal128 => Decimal128: Decimal128;
}

#[diagnostic::do_not_recommend]
impl Delta<i64> for u64 {
    fn encode(self) -> Result<Bson> {
        encode_u64(self)
    }
}
