//! Values without parts, and lists and maps of what has a form in BSON.

use bson::oid::ObjectId;
use bson::spec::{BinarySubtype, ElementType};
use bson::{Binary, DateTime, Decimal128, Timestamp, Uuid};

use super::RawBuffer;
use crate::path::FieldType;

pub(crate) fn boolean(value: &bool, out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.push((*value).into());
    Some(ElementType::Boolean)
}

pub(crate) fn int32(number: &i32, out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.extend_from_slice(&number.to_le_bytes());
    Some(ElementType::Int32)
}

pub(crate) fn int64(number: &i64, out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.extend_from_slice(&number.to_le_bytes());
    Some(ElementType::Int64)
}

/// BSON holds no integers above `i64::MAX`.
pub(crate) fn unsigned(number: &u64, out: &mut RawBuffer) -> Option<ElementType> {
    int64(&i64::try_from(*number).ok()?, out)
}

pub(crate) fn double(number: &f64, out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.extend_from_slice(&number.to_le_bytes());
    Some(ElementType::Double)
}

/// A text of 2 GiB makes its document too long, which is seen there.
#[inline]
pub(crate) fn string(text: &str, out: &mut RawBuffer) -> Option<ElementType> {
    let length = (text.len() as u32).wrapping_add(1);
    out.bytes.reserve(text.len() + 5);
    out.bytes.extend_from_slice(&length.to_le_bytes());
    out.bytes.extend_from_slice(text.as_bytes());
    out.bytes.push(0);
    Some(ElementType::String)
}

pub(crate) fn character(character: &char, out: &mut RawBuffer) -> Option<ElementType> {
    string(character.encode_utf8(&mut [0; 4]), out)
}

pub(crate) fn object_id(id: &ObjectId, out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.extend_from_slice(&id.bytes());
    Some(ElementType::ObjectId)
}

pub(crate) fn date(date: &DateTime, out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.extend_from_slice(&date.timestamp_millis().to_le_bytes());
    Some(ElementType::DateTime)
}

pub(crate) fn decimal(number: &Decimal128, out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.extend_from_slice(&number.bytes());
    Some(ElementType::Decimal128)
}

pub(crate) fn timestamp(timestamp: &Timestamp, out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.extend_from_slice(&timestamp.increment.to_le_bytes());
    out.bytes.extend_from_slice(&timestamp.time.to_le_bytes());
    Some(ElementType::Timestamp)
}

pub(crate) fn uuid(uuid: &Uuid, out: &mut RawBuffer) -> Option<ElementType> {
    bytes(BinarySubtype::Uuid, &uuid.bytes(), out)
}

/// The old generic subtype has a second length, and is left to serde.
pub(crate) fn binary(binary: &Binary, out: &mut RawBuffer) -> Option<ElementType> {
    match binary.subtype {
        BinarySubtype::BinaryOld => None,
        subtype => bytes(subtype, &binary.bytes, out),
    }
}

fn bytes(subtype: BinarySubtype, bytes: &[u8], out: &mut RawBuffer) -> Option<ElementType> {
    out.bytes.extend_from_slice(&i32::try_from(bytes.len()).ok()?.to_le_bytes());
    out.bytes.push(subtype.into());
    out.bytes.extend_from_slice(bytes);
    Some(ElementType::Binary)
}

/// Writes an array.
pub(crate) fn list<'a, T: FieldType + 'a>(
    items: impl IntoIterator<Item = &'a T>,
    out: &mut RawBuffer,
) -> Option<ElementType> {
    array(items, out, T::write_raw)
}

/// Writes an array, each element by the function.
pub(super) fn array<'a, T: 'a>(
    items: impl IntoIterator<Item = &'a T>,
    out: &mut RawBuffer,
    write: impl Fn(&'a T, &mut RawBuffer) -> Option<ElementType>,
) -> Option<ElementType> {
    let start = out.open();
    for (position, item) in items.into_iter().enumerate() {
        let at = out.position(position);
        let written = write(item, out);
        if !out.typed(at, written) {
            return None;
        }
    }
    out.close(start)?;
    Some(ElementType::Array)
}

/// Writes a map as a document.
pub(crate) fn map<'a, T: FieldType + 'a>(
    entries: impl IntoIterator<Item = (&'a String, &'a T)>,
    out: &mut RawBuffer,
) -> Option<ElementType> {
    fields(entries, out, T::write_raw)
}

/// Writes a document, each value by the function.
pub(super) fn fields<'a, T: 'a>(
    entries: impl IntoIterator<Item = (&'a String, &'a T)>,
    out: &mut RawBuffer,
    write: impl Fn(&'a T, &mut RawBuffer) -> Option<ElementType>,
) -> Option<ElementType> {
    let start = out.open();
    for (key, value) in entries {
        let at = out.key(key)?;
        let written = write(value, out);
        if !out.typed(at, written) {
            return None;
        }
    }
    out.close(start)?;
    Some(ElementType::EmbeddedDocument)
}
