//! Values without parts.

use ascii::AsAsciiStr;
use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, DateTime, Decimal128, Timestamp, Uuid};

use super::{RawValue, kind};

impl<'a> RawValue<'a> {
    /// The bytes of a value of this type and size.
    #[inline]
    fn fixed<const SIZE: usize>(self, kind: u8) -> Option<[u8; SIZE]> {
        if self.kind == kind { self.bytes.try_into().ok() } else { None }
    }
}

pub(crate) fn boolean(value: RawValue<'_>) -> Option<bool> {
    match value.fixed(kind::BOOL)? {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}

/// An integer of either width, if it fits.
#[inline]
pub(crate) fn integer<T: TryFrom<i64>>(value: RawValue<'_>) -> Option<T> {
    let number = match value.kind {
        kind::INT32 => i32::from_le_bytes(value.fixed(kind::INT32)?).into(),
        _ => i64::from_le_bytes(value.fixed(kind::INT64)?),
    };
    T::try_from(number).ok()
}

pub(crate) fn double(value: RawValue<'_>) -> Option<f64> {
    match value.kind {
        kind::DOUBLE => value.fixed(kind::DOUBLE).map(f64::from_le_bytes),
        _ => integer::<i64>(value).map(|number| number as f64),
    }
}

pub(crate) fn float(value: RawValue<'_>) -> Option<f32> {
    if value.kind != kind::DOUBLE {
        return integer::<i64>(value).map(|number| number as f32);
    }
    let number = double(value)?;
    // As serde does: `as` alone may give a NaN another sign.
    Some((number as f32).copysign(if number.is_sign_positive() { 1.0 } else { -1.0 }))
}

#[inline]
pub(crate) fn text(value: RawValue<'_>) -> Option<&str> {
    utf8(text_bytes(value)?)
}

/// The bytes as text. Short text is mostly ASCII, which takes a few instructions to see; from some
/// length on, SIMD pays.
#[inline]
fn utf8(bytes: &[u8]) -> Option<&str> {
    const LONG: usize = 64;
    if bytes.len() < LONG
        && let Ok(ascii) = bytes.as_ascii_str()
    {
        return Some(ascii.as_str());
    }
    simdutf8::basic::from_utf8(bytes).ok()
}

#[inline]
fn text_bytes(value: RawValue<'_>) -> Option<&[u8]> {
    match value.bytes {
        [_, _, _, _, text @ .., 0] if value.kind == kind::STRING => Some(text),
        _ => None,
    }
}

#[inline]
pub(crate) fn string(value: RawValue<'_>) -> Option<String> {
    text(value).map(str::to_owned)
}

pub(crate) fn character(value: RawValue<'_>) -> Option<char> {
    let mut characters = text(value)?.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

pub(crate) fn object_id(value: RawValue<'_>) -> Option<ObjectId> {
    value.fixed(kind::OBJECT_ID).map(ObjectId::from_bytes)
}

pub(crate) fn date(value: RawValue<'_>) -> Option<DateTime> {
    value.fixed(kind::DATE).map(|bytes| DateTime::from_millis(i64::from_le_bytes(bytes)))
}

pub(crate) fn decimal(value: RawValue<'_>) -> Option<Decimal128> {
    value.fixed(kind::DECIMAL).map(Decimal128::from_bytes)
}

pub(crate) fn timestamp(value: RawValue<'_>) -> Option<Timestamp> {
    let bits = u64::from_le_bytes(value.fixed(kind::TIMESTAMP)?);
    Some(Timestamp { time: (bits >> 32) as u32, increment: bits as u32 })
}

pub(crate) fn uuid(value: RawValue<'_>) -> Option<Uuid> {
    let (subtype, bytes) = parts(value)?;
    if subtype == BinarySubtype::Uuid { bytes.try_into().ok().map(Uuid::from_bytes) } else { None }
}

pub(crate) fn binary(value: RawValue<'_>) -> Option<Binary> {
    let (subtype, bytes) = parts(value)?;
    Some(Binary { subtype, bytes: bytes.to_vec() })
}

/// Subtype and bytes. The old generic subtype has a second length, and is left to serde.
pub(super) fn parts(value: RawValue<'_>) -> Option<(BinarySubtype, &[u8])> {
    match value.bytes {
        [_, _, _, _, subtype, bytes @ ..] if value.kind == kind::BINARY => {
            let subtype = BinarySubtype::from(*subtype);
            (subtype != BinarySubtype::BinaryOld).then_some((subtype, bytes))
        }
        _ => None,
    }
}
