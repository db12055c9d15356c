//! A single value written by serde: for types that have no writer of their own.

use bson::spec::ElementType;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::RawBuffer;

/// Writes a value by serde; `None` where it fails.
#[must_use]
pub fn by_serde<T: Serialize + ?Sized>(value: &T, out: &mut RawBuffer) -> Option<ElementType> {
    let start = out.bytes.len();
    bson::serialize_to_buffer(&Alone(value), &mut out.bytes).ok()?;
    out.keep_value(start)
}

/// Writes a field by serde, whose name has a null byte before and after it. Whether it was written.
pub(crate) fn field_by_serde<T: Serialize>(value: &T, name: &str, out: &mut RawBuffer) -> bool {
    let at = out.name(name);
    let written = by_serde(value, out);
    out.typed(at, written)
}

impl RawBuffer {
    /// Of a document with one value, without a name, leaves the value.
    fn keep_value(&mut self, start: usize) -> Option<ElementType> {
        const LENGTH: usize = 4;
        const BEFORE: usize = LENGTH + 2;
        const AROUND: usize = BEFORE + 1;
        let written = ElementType::from(*self.bytes.get(start + LENGTH)?)?;
        let end = self.bytes.len().checked_sub(1)?;
        self.bytes.copy_within(start + BEFORE..end, start);
        self.bytes.truncate(end + 1 - AROUND);
        Some(written)
    }
}

/// A document with this value alone, without a name.
struct Alone<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Serialize for Alone<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("Alone", 1)?;
        document.serialize_field("", self.0)?;
        document.end()
    }
}
