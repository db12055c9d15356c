//! The walk over the elements of a document or array.

use super::{MAX_DEPTH, RawValue, kind};

/// What is left of the elements of a document or array.
///
/// The walk ends at the last element, or where the bytes are malformed: ask
/// [`is_whole`](Elements::is_whole) after it.
#[derive(Debug)]
pub(crate) struct Elements<'a> {
    rest: &'a [u8],
    /// The depth of the values.
    depth: u8,
    is_whole: bool,
}

/// One element of a document, before its value has been split off.
pub(super) struct Head<'a> {
    kind: u8,
    /// What follows the type: name, value and the elements after.
    rest: &'a [u8],
}

impl<'a> Elements<'a> {
    /// The elements of a value that is a document or array.
    pub(super) fn of(value: RawValue<'a>) -> Option<Self> {
        let depth = value.depth + 1;
        let (length, rest) = value.bytes.split_first_chunk()?;
        let (end, rest) = rest.split_last()?;
        let is_whole = length_of(*length)? == value.bytes.len() && *end == 0;
        (is_whole && depth <= MAX_DEPTH).then_some(Self { rest, depth, is_whole })
    }

    /// Where the elements that were read end in the document.
    pub(super) fn end_of_read(&self, document: RawValue<'_>) -> usize {
        const END: usize = 1;
        document.bytes.len() - END - self.rest.len()
    }

    /// Whether all elements were read, and none was malformed.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The next value, whatever its name: of an array, where names are positions.
    #[inline]
    pub(crate) fn next_item(&mut self) -> Option<RawValue<'a>> {
        let head = self.head()?;
        match head.skip_name() {
            Some(rest) => self.value(head.kind, rest),
            None => self.fail(),
        }
    }

    /// How many well-formed elements are left.
    #[inline(never)]
    pub(crate) fn count_left(&self) -> usize {
        let mut left = Self { rest: self.rest, depth: self.depth, is_whole: true };
        std::iter::from_fn(|| left.next_item()).count()
    }

    /// The next name and value.
    #[inline]
    pub(crate) fn next_field(&mut self) -> Option<(&'a str, RawValue<'a>)> {
        let head = self.head()?;
        match head.name() {
            Some((name, rest)) => Some((name, self.value(head.kind, rest)?)),
            None => self.fail(),
        }
    }

    #[inline]
    pub(super) fn head(&self) -> Option<Head<'a>> {
        let (&kind, rest) = self.rest.split_first()?;
        Some(Head { kind, rest })
    }

    /// The value of an element, given what follows its name.
    #[inline]
    pub(super) fn value(&mut self, kind: u8, bytes: &'a [u8]) -> Option<RawValue<'a>> {
        let Some((bytes, rest)) = size(kind, bytes).and_then(|size| bytes.split_at_checked(size))
        else {
            return self.fail();
        };
        self.rest = rest;
        Some(RawValue { kind, depth: self.depth, bytes })
    }

    /// Ends the walk: nothing more can be said of the document.
    #[cold]
    pub(super) fn fail<T>(&mut self) -> Option<T> {
        self.rest = &[];
        self.is_whole = false;
        None
    }
}

impl<'a> Head<'a> {
    pub(super) fn kind(&self) -> u8 {
        self.kind
    }

    /// What follows the name, if it is this one, which ends with a null byte.
    #[inline]
    pub(super) fn strip_name(&self, name: &str) -> Option<&'a [u8]> {
        let (start, rest) = self.rest.split_at_checked(name.len())?;
        is_same(start, name.as_bytes()).then_some(rest)
    }

    /// The name, and what follows it.
    #[inline]
    pub(super) fn name(&self) -> Option<(&'a str, &'a [u8])> {
        let end = self.rest.iter().position(|&byte| byte == 0)?;
        let (name, rest) = self.rest.split_at_checked(end)?;
        Some((std::str::from_utf8(name).ok()?, rest.get(1..)?))
    }

    #[inline]
    fn skip_name(&self) -> Option<&'a [u8]> {
        match self.rest {
            // The first ten elements of an array.
            [1..=0x7F, 0, rest @ ..] => Some(rest),
            _ => self.name().map(|(_, rest)| rest),
        }
    }
}

/// Whether two texts of one length are equal: names are short, and not worth a call.
#[inline]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    fn ends<const SIZE: usize>(a: &[u8], b: &[u8]) -> bool {
        a.first_chunk::<SIZE>() == b.first_chunk() && a.last_chunk::<SIZE>() == b.last_chunk()
    }
    match a.len() {
        4..=8 => ends::<4>(a, b),
        9..=16 => ends::<8>(a, b),
        _ => a == b,
    }
}

/// How many bytes a value takes, if it is of a known type.
#[inline]
fn size(kind: u8, bytes: &[u8]) -> Option<usize> {
    match SIZES[usize::from(kind)] {
        Size::Fixed(size) => Some(size.into()),
        Size::Prefixed(more) => Some(length_of(*bytes.first_chunk()?)? + usize::from(more)),
        Size::Regex => {
            let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == 0);
            Some(ends.nth(1)?.0 + 1)
        }
        Size::Unknown => None,
    }
}

/// What the size of a value depends on.
#[derive(Clone, Copy)]
enum Size {
    Fixed(u8),
    /// On the length that it begins with, and this.
    Prefixed(u8),
    /// On where its two texts end.
    Regex,
    Unknown,
}

/// The sizes of all types: a table has no jump that is guessed wrongly where types change.
static SIZES: [Size; 256] = {
    let mut sizes = [Size::Unknown; 256];
    let mut kind = 0;
    while kind < sizes.len() {
        sizes[kind] = match kind as u8 {
            kind::STRING | kind::CODE | kind::SYMBOL => Size::Prefixed(4),
            kind::DOCUMENT | kind::ARRAY | kind::CODE_WITH_SCOPE => Size::Prefixed(0),
            kind::BINARY => Size::Prefixed(5),
            kind::DB_POINTER => Size::Prefixed(16),
            kind::OBJECT_ID => Size::Fixed(12),
            kind::INT32 => Size::Fixed(4),
            kind::DOUBLE | kind::DATE | kind::INT64 | kind::TIMESTAMP => Size::Fixed(8),
            kind::BOOL => Size::Fixed(1),
            kind::NULL | kind::UNDEFINED | kind::MIN_KEY | kind::MAX_KEY => Size::Fixed(0),
            kind::DECIMAL => Size::Fixed(16),
            kind::REGEX => Size::Regex,
            _ => Size::Unknown,
        };
        kind += 1;
    }
    sizes
};

#[inline]
fn length_of(bytes: [u8; 4]) -> Option<usize> {
    usize::try_from(i32::from_le_bytes(bytes)).ok()
}
