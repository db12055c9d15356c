//! The fields of a struct, found by their names.

use std::sync::atomic::{AtomicU8, Ordering};

use serde::de::DeserializeOwned;

use super::derived::{self, Asked};
use super::elements::{Elements, Head};
use super::skip::can_skip;
use super::{RawValue, scalar};

/// What the derive knows of how serde reads a struct or an enum of unit variants.
#[derive(Debug)]
pub struct Reader {
    name: &'static str,
    /// The names of fields or variants, in their order. Each ends with a null byte, as in BSON.
    names: &'static [&'static str],
    /// Other names, with the position of the field.
    aliases: &'static [(&'static str, usize)],
    /// Whether a field that is not declared is an error.
    strict: bool,
    /// The name of the element that holds the schema version: it is no field of the struct, and
    /// never an error.
    version: Option<&'static str>,
    derived: AtomicU8,
}

/// The answers to whether a type is derived, once it has been asked.
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

impl Reader {
    /// The reader of a type with these names.
    #[must_use]
    pub const fn new(name: &'static str, names: &'static [&'static str]) -> Self {
        let derived = AtomicU8::new(UNKNOWN);
        Self { name, names, aliases: &[], strict: false, version: None, derived }
    }

    /// Other names of fields, each with its position.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [(&'static str, usize)]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Fields that are not declared are an error, but for the one that holds the version.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Documents have the schema version in an element of this name, which ends with a null byte.
    #[must_use]
    pub const fn version(mut self, version: &'static str) -> Self {
        self.version = Some(version);
        self
    }

    /// Whether the struct is read as its declaration says, and not by hand.
    #[inline]
    pub fn is_struct<T: DeserializeOwned>(&self) -> bool {
        self.is_derived::<T>(Asked::Struct)
    }

    /// Whether the newtype is read as what it holds, and not by hand.
    #[inline]
    pub fn is_newtype<T: DeserializeOwned>(&self) -> bool {
        self.is_derived::<T>(Asked::Newtype)
    }

    #[inline]
    fn is_derived<T: DeserializeOwned>(&self, asked: Asked) -> bool {
        match self.derived.load(Ordering::Relaxed) {
            UNKNOWN => self.ask::<T>(asked),
            answer => answer == YES,
        }
    }

    #[cold]
    fn ask<T: DeserializeOwned>(&self, asked: Asked) -> bool {
        let derived = derived::is_derived::<T>(asked, self.name, self.names, self.aliases);
        self.derived.store(if derived { YES } else { NO }, Ordering::Relaxed);
        derived
    }

    /// The fields of a document.
    #[must_use]
    pub fn fields<'a>(&'static self, value: RawValue<'a>) -> Option<Fields<'a>> {
        value.fields().map(|elements| Fields {
            elements,
            reader: self,
            expected: 0,
            is_version_passed: false,
        })
    }

    /// The position of the variant that is stored; `None` where only serde can say.
    #[must_use]
    pub fn variant<T: DeserializeOwned>(&self, value: RawValue<'_>) -> Option<usize> {
        let text = scalar::text(value)?;
        if self.is_derived::<T>(Asked::Enum) { self.position(text, 0) } else { None }
    }

    /// The position of the field of this name.
    fn position(&self, name: &str, expected: usize) -> Option<usize> {
        let is_name = |known: &str| known.strip_suffix('\0') == Some(name);
        let after = self.names.iter().skip(expected).position(|known| is_name(known));
        let found = after.map(|after| expected + after);
        let found = found.or_else(|| self.names.iter().position(|known| is_name(known)));
        found.or_else(|| {
            self.aliases.iter().find(|(alias, _)| is_name(alias)).map(|&(_, position)| position)
        })
    }
}

/// The fields of a stored document that a struct declares, each with its position in the struct.
///
/// Fields mostly come in their order, so the next one is expected and its name compared first.
#[derive(Debug)]
pub struct Fields<'a> {
    elements: Elements<'a>,
    reader: &'static Reader,
    expected: usize,
    is_version_passed: bool,
}

impl<'a> Fields<'a> {
    /// The next declared field. After the last one, ask [`is_whole`](Fields::is_whole).
    #[inline]
    pub fn next_field(&mut self) -> Option<(usize, RawValue<'a>)> {
        let head = self.elements.head()?;
        let expected = self.reader.names.get(self.expected);
        match expected.and_then(|name| head.strip_name(name)) {
            Some(rest) => {
                let position = self.expected;
                self.expected += 1;
                Some((position, self.elements.value(head.kind(), rest)?))
            }
            None if self.pass_version(&head)? => self.next_field(),
            None => self.search(),
        }
    }

    /// Passes over the element if it is the version, once. `None` if it is malformed.
    fn pass_version(&mut self, head: &Head<'a>) -> Option<bool> {
        let version = self.reader.version.filter(|_| !self.is_version_passed);
        let Some(rest) = version.and_then(|version| head.strip_name(version)) else {
            return Some(false);
        };
        self.is_version_passed = true;
        match self.elements.value(head.kind(), rest) {
            Some(value) if can_skip(value) => Some(true),
            _ => self.elements.fail(),
        }
    }

    /// Whether the document was read to its end.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.elements.is_whole()
    }

    /// The next declared field, which is not the expected one.
    fn search(&mut self) -> Option<(usize, RawValue<'a>)> {
        while let Some((name, value)) = self.elements.next_field() {
            if let Some(position) = self.reader.position(name, self.expected) {
                self.expected = position + 1;
                return Some((position, value));
            }
            if self.is_refused(name) || !can_skip(value) {
                return self.elements.fail();
            }
        }
        None
    }

    /// Whether serde would refuse the field, which is not declared. It never sees the version, but a
    /// second one it does.
    fn is_refused(&mut self, name: &str) -> bool {
        if !self.reader.strict {
            return false;
        }
        let version = self.reader.version.and_then(|version| version.strip_suffix('\0'));
        let is_version = version == Some(name) && !self.is_version_passed;
        self.is_version_passed |= is_version;
        !is_version
    }
}
