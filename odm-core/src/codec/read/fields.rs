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
            is_version_passed: false,
            found: None,
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

/// The fields of a stored document that a struct declares, asked for in the order of the struct.
///
/// Fields mostly come in that order, so that each is the next element, and only its name is compared.
/// From the first one on that is not, all that follow are found by their names at once.
#[derive(Debug)]
pub struct Fields<'a> {
    elements: Elements<'a>,
    reader: &'static Reader,
    is_version_passed: bool,
    /// The fields from some position on, once they have been found.
    found: Option<Found<'a>>,
}

/// What the fields from `first` on hold, each at its position after it.
#[derive(Debug)]
struct Found<'a> {
    first: usize,
    values: Vec<Option<RawValue<'a>>>,
}

impl<'a> Fields<'a> {
    /// The value of the declared field, and then `None` if it is not stored. Each is asked for once,
    /// in the order of the positions. The first `None` says that only serde can tell.
    #[inline]
    pub fn field(&mut self, position: usize) -> Option<Option<RawValue<'a>>> {
        if self.found.is_none() {
            let Some(head) = self.elements.head() else { return Some(None) };
            if let Some(rest) = head.strip_name(self.reader.names.get(position)?) {
                return self.elements.value(head.kind(), rest).map(Some);
            }
        }
        self.unexpected(position)
    }

    /// The value of a field that is not the next element.
    #[inline(never)]
    fn unexpected(&mut self, position: usize) -> Option<Option<RawValue<'a>>> {
        if self.found.is_none() {
            let head = self.elements.head()?;
            if self.pass_version(&head)? {
                return self.field(position);
            }
            self.find(position)?;
        }
        let found = self.found.as_ref()?;
        Some(found.values.get(position - found.first).copied().flatten())
    }

    /// Whether the document ends here, but for what no field is asked for. After the last field.
    #[must_use]
    #[inline]
    pub fn end(mut self) -> bool {
        if self.elements.head().is_some() {
            let read = self.reader.names.len();
            return self.find(read).is_some();
        }
        self.elements.is_whole()
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

    /// Finds all fields that have not been read, which begin at this position. `None` where only
    /// serde can tell: a field occurs twice, or an element is refused or malformed.
    fn find(&mut self, first: usize) -> Option<()> {
        let mut values = vec![None; self.reader.names.len().checked_sub(first)?];
        let mut expected = first;
        while let Some((name, value)) = self.elements.next_field() {
            if let Some(position) = self.reader.position(name, expected) {
                let place = values.get_mut(position.checked_sub(first)?)?;
                if place.replace(value).is_some() {
                    return None;
                }
                expected = position + 1;
            } else if self.is_refused(name) || !can_skip(value) {
                return None;
            }
        }
        self.found = Some(Found { first, values });
        self.elements.is_whole().then_some(())
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
