//! Writing values without serde: a fast path that gives up.
//!
//! What is written is, byte for byte, what bson's serde writes for the same value, or nothing; and
//! then serde writes the whole document, or says what is wrong with it.
//!
//! [`RawBuffer`] holds the bytes of a document in the making, [`Writer`] what the derive knows of a
//! type, `values` and `dynamic` write values, `by_serde` hands a single value to serde, `derived`
//! asks whether a type is written as its declaration says.

mod by_serde;
mod derived;
mod dynamic;
mod values;
mod writer;

use bson::RawDocumentBuf;
use bson::spec::ElementType;

pub use by_serde::by_serde;
pub(crate) use by_serde::field_by_serde;
pub(crate) use dynamic::{any, document};
pub(crate) use values::{
    binary, boolean, character, date, decimal, double, int32, int64, list, map, object_id, string,
    timestamp, unsigned, uuid,
};
pub use writer::Writer;

use crate::model::{Label, Version};

/// The bytes of a document in the making.
///
/// The type of an element stands before its name, and is known once the value is written: its place
/// is kept, as is that of a document's length.
#[derive(Debug, Default)]
pub struct RawBuffer {
    bytes: Vec<u8>,
}

impl RawBuffer {
    /// The document that `write` makes, if it makes one.
    pub(crate) fn document(
        write: impl FnOnce(&mut Self) -> Option<ElementType>,
    ) -> Option<RawDocumentBuf> {
        let mut buffer = Self::default();
        match write(&mut buffer)? {
            ElementType::EmbeddedDocument => RawDocumentBuf::from_bytes(buffer.bytes).ok(),
            _ => None,
        }
    }

    /// Begins a document or an array, whose length is not known yet.
    pub(super) fn open(&mut self) -> usize {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        start
    }

    /// Ends what began there. `None` if it is too long for BSON.
    pub(super) fn close(&mut self, start: usize) -> Option<()> {
        self.bytes.push(0);
        let length = i32::try_from(self.bytes.len() - start).ok()?;
        let place = self.bytes.get_mut(start..start + 4)?;
        place.copy_from_slice(&length.to_le_bytes());
        Some(())
    }

    /// Begins an element by its name, which has a null byte before it, for the type, and one after
    /// it.
    #[inline]
    pub(crate) fn name(&mut self, name: &str) -> usize {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(name.as_bytes());
        at
    }

    /// Begins an element of a map. `None` if BSON has no such name.
    fn key(&mut self, key: &str) -> Option<usize> {
        if key.as_bytes().contains(&0) {
            return None;
        }
        let at = self.bytes.len();
        self.bytes.push(0);
        self.bytes.extend_from_slice(key.as_bytes());
        self.bytes.push(0);
        Some(at)
    }

    /// Begins an element of an array: its name is its position.
    fn position(&mut self, position: usize) -> usize {
        let at = self.bytes.len();
        match u8::try_from(position) {
            Ok(digit @ 0..10) => self.bytes.extend_from_slice(&[0, b'0' + digit, 0]),
            _ => self.long_position(position),
        }
        at
    }

    fn long_position(&mut self, position: usize) {
        let mut digits = [0; 20];
        let (mut first, mut rest) = (digits.len(), position);
        while rest > 0 && first > 0 {
            first -= 1;
            if let Some(digit) = digits.get_mut(first) {
                *digit = b'0' + (rest % 10) as u8;
            }
            rest /= 10;
        }
        self.bytes.push(0);
        self.bytes.extend_from_slice(digits.get(first..).unwrap_or_default());
        self.bytes.push(0);
    }

    /// Ends the element that began there, by its type. Whether there is one.
    #[inline]
    pub(crate) fn typed(&mut self, at: usize, written: Option<ElementType>) -> bool {
        match (written, self.bytes.get_mut(at)) {
            (Some(written), Some(place)) => {
                *place = written as u8;
                true
            }
            _ => false,
        }
    }

    /// Writes the element that holds the schema version.
    pub(crate) fn version(&mut self, version: &Version) -> bool {
        let Some(at) = self.key(version.field) else { return false };
        let written = match version.label {
            Label::Number(number) => int32(&number, self),
            Label::Text(text) => string(text, self),
        };
        self.typed(at, written)
    }
}
