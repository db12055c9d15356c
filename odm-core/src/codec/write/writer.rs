//! What the derive knows of how serde writes a type.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use bson::spec::ElementType;
use serde::Serialize;

use super::{RawBuffer, derived, values};
use crate::model::Shape;

/// What the derive knows of how serde writes a struct or an enum of unit variants.
#[derive(Debug)]
pub struct Writer {
    name: &'static str,
    /// Where the fields lie in the struct, in the order in which they are written.
    offsets: &'static [usize],
    derived: AtomicU8,
    /// The length of the document that was written last, for the capacity of the next.
    length: AtomicUsize,
}

/// The answers to whether a type is derived, once it has been asked.
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

impl Writer {
    /// The place of a field that a function writes, so that serde is shown another value.
    pub const ANYWHERE: usize = usize::MAX;

    /// The writer of a type with fields at these places.
    #[must_use]
    pub const fn new(name: &'static str, offsets: &'static [usize]) -> Self {
        let (derived, length) = (AtomicU8::new(UNKNOWN), AtomicUsize::new(0));
        Self { name, offsets, derived, length }
    }

    /// Begins the document of a struct. `None` if it is not written as its declaration says, but by
    /// hand.
    pub(crate) fn open<T: Serialize>(
        &self,
        value: &T,
        shape: &'static Shape,
        out: &mut RawBuffer,
    ) -> Option<usize> {
        if !self.is_derived(|name| derived::is_struct(value, name, self.offsets, shape)) {
            return None;
        }
        if out.bytes.is_empty() {
            out.bytes.reserve_exact(self.length.load(Ordering::Relaxed));
        }
        Some(out.open())
    }

    /// Ends the document, if all of it was written.
    #[must_use]
    pub fn close(&self, start: usize, is_whole: bool, out: &mut RawBuffer) -> Option<ElementType> {
        if !is_whole {
            return None;
        }
        out.close(start)?;
        if start == 0 {
            self.length.store(out.bytes.len(), Ordering::Relaxed);
        }
        Some(ElementType::EmbeddedDocument)
    }

    /// Whether the newtype is written as what it holds, and not by hand.
    #[must_use]
    pub fn is_newtype<T: Serialize>(&self, value: &T) -> bool {
        self.is_derived(|name| derived::is_newtype(value, name, self.offsets))
    }

    /// Writes the variant at this position. `None` if the enum is written by hand.
    #[must_use]
    pub fn variant<T: Serialize>(
        &self,
        variants: &[(T, &'static str)],
        position: usize,
        out: &mut RawBuffer,
    ) -> Option<ElementType> {
        // Each variant is asked at first.
        let is_derived = |name: Option<_>| name.is_none_or(|name| derived::is_enum(variants, name));
        if !self.is_derived(is_derived) {
            return None;
        }
        let (_, name) = variants.get(position)?;
        values::string(name, out)
    }

    /// Asks the value, and the first one by the name too, whether it is written as its declaration
    /// says.
    #[inline]
    fn is_derived(&self, ask: impl FnOnce(Option<&'static str>) -> bool) -> bool {
        match self.derived.load(Ordering::Relaxed) {
            YES => ask(None),
            NO => false,
            _ => {
                let derived = ask(Some(self.name));
                self.derived.store(if derived { YES } else { NO }, Ordering::Relaxed);
                derived
            }
        }
    }
}
