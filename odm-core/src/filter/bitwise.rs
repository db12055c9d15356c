//! Bitwise operators.
//!
//! Source: [bitwise query operators](https://www.mongodb.com/docs/manual/reference/operator/query-bitwise/).

use bson::{Bson, doc};

use super::Filter;
use super::array::within;
use crate::error::{Error, Result};
use crate::path::{Bits, Path, Queryable};

/// Bits to be tested: a mask, or their positions.
///
/// A mask is an integer that is not negative, or a `bson::Binary`. Positions are counted from the
/// least significant bit, which is 0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no bits",
    label = "expected a mask or positions",
    note = "a mask is an `i32`, `u32`, `i64` or `bson::Binary`; positions are an array, `Vec` or slice of `u32`"
)]
pub trait IntoBits {
    /// The bits as the server takes them.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a negative mask, or a
    /// position above `i32::MAX`.
    fn into_bits(self) -> Result<Bson>;
}

impl IntoBits for i64 {
    fn into_bits(self) -> Result<Bson> {
        match self < 0 {
            true => Err(Error::invalid(format!("a mask cannot be negative, as {self} is"))),
            false => Ok(self.into()),
        }
    }
}

impl IntoBits for i32 {
    fn into_bits(self) -> Result<Bson> {
        i64::from(self).into_bits()
    }
}

impl IntoBits for u32 {
    fn into_bits(self) -> Result<Bson> {
        i64::from(self).into_bits()
    }
}

impl IntoBits for bson::Binary {
    fn into_bits(self) -> Result<Bson> {
        Ok(self.into())
    }
}

impl IntoBits for &[u32] {
    fn into_bits(self) -> Result<Bson> {
        let position = |&position: &u32| match i32::try_from(position) {
            Ok(position) => Ok(Bson::Int32(position)),
            Err(_) => Err(Error::invalid(format!("{position} is too large for a bit's position"))),
        };
        self.iter().map(position).collect::<Result<_>>().map(Bson::Array)
    }
}

impl IntoBits for Vec<u32> {
    fn into_bits(self) -> Result<Bson> {
        self.as_slice().into_bits()
    }
}

impl<const N: usize> IntoBits for [u32; N] {
    fn into_bits(self) -> Result<Bson> {
        self.as_slice().into_bits()
    }
}

impl<M, C, V> Path<M, C, V> {
    /// All of the bits are 1: `$bitsAllSet`. Of a list, those of an element.
    ///
    /// Source: [`$bitsAllSet`](https://www.mongodb.com/docs/manual/reference/operator/query/bitsAllSet/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct File { #[serde(rename = "_id")] id: i32, mode: i32 }
    /// let mode = File::fields().mode();
    /// assert_eq!(mode.bits_all_set(0b101).to_string(), r#"{ "mode": { "$bitsAllSet": 5 } }"#);
    /// assert_eq!(mode.bits_all_set([0, 2]).to_string(), r#"{ "mode": { "$bitsAllSet": [0, 2] } }"#);
    /// ```
    pub fn bits_all_set(&self, bits: impl IntoBits) -> Filter<M>
    where
        C: Bits,
        V: Queryable,
    {
        self.bits("$bitsAllSet", bits)
    }

    /// At least one of the bits is 1: `$bitsAnySet`. Of a list, one of an element's.
    ///
    /// Source: [`$bitsAnySet`](https://www.mongodb.com/docs/manual/reference/operator/query/bitsAnySet/).
    pub fn bits_any_set(&self, bits: impl IntoBits) -> Filter<M>
    where
        C: Bits,
        V: Queryable,
    {
        self.bits("$bitsAnySet", bits)
    }

    /// All of the bits are 0: `$bitsAllClear`. Of a list, those of an element.
    ///
    /// Source: [`$bitsAllClear`](https://www.mongodb.com/docs/manual/reference/operator/query/bitsAllClear/).
    pub fn bits_all_clear(&self, bits: impl IntoBits) -> Filter<M>
    where
        C: Bits,
        V: Queryable,
    {
        self.bits("$bitsAllClear", bits)
    }

    /// At least one of the bits is 0: `$bitsAnyClear`. Of a list, one of an element's.
    ///
    /// Source: [`$bitsAnyClear`](https://www.mongodb.com/docs/manual/reference/operator/query/bitsAnyClear/).
    pub fn bits_any_clear(&self, bits: impl IntoBits) -> Filter<M>
    where
        C: Bits,
        V: Queryable,
    {
        self.bits("$bitsAnyClear", bits)
    }

    fn bits(&self, operator: &str, bits: impl IntoBits) -> Filter<M>
    where
        C: Bits,
    {
        let condition = bits.into_bits().map(|bits| doc! { operator: bits });
        Filter::condition(&self.name, within::<C>(&self.name, condition))
    }
}
