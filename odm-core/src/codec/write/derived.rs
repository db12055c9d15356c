//! Whether a type is written as serde's derive would write its declaration.
//!
//! The trait may as well be implemented by hand, to hide a value or to store another form of it. The
//! derive of a model cannot see that; but what serde's derive hands to a serializer is known: the
//! fields under their names, in their order, each at its own place in memory.
//!
//! What is written by hand may depend on the value. So each value is asked where its fields lie, which
//! takes a comparison for each, and the names are compared with the first value alone.

use serde::de::value::Error as Unlike;
use serde::ser::{Error, Impossible, SerializeStruct};
use serde::{Serialize, Serializer};

use super::Writer;
use crate::model::{Field, Shape};

/// Whether the struct is written by its declared fields, which lie at these places.
#[inline]
pub(super) fn is_struct<T: Serialize>(
    value: &T,
    name: Option<&'static str>,
    offsets: &'static [usize],
    shape: &'static Shape,
) -> bool {
    let expected = Expected::Struct(offsets, shape.fields);
    value.serialize(Probe { name, base: address(value), expected }).is_ok()
}

/// Whether the newtype is written as its only field.
#[inline]
pub(super) fn is_newtype<T: Serialize>(
    value: &T,
    name: Option<&'static str>,
    offsets: &'static [usize],
) -> bool {
    let expected = Expected::Newtype(offsets);
    value.serialize(Probe { name, base: address(value), expected }).is_ok()
}

/// Whether each of the variants is written by its name.
#[cold]
pub(super) fn is_enum<T: Serialize>(variants: &[(T, &'static str)], name: &'static str) -> bool {
    variants.iter().all(|(value, variant)| {
        let expected = Expected::Variant(variant);
        value.serialize(Probe { name: Some(name), base: address(value), expected }).is_ok()
    })
}

fn address<T: ?Sized>(value: &T) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Notes what it is handed, and writes nothing. Its error says that it is not what was expected.
struct Probe {
    /// The name of the type, if names are compared.
    name: Option<&'static str>,
    /// Where the value lies.
    base: usize,
    expected: Expected,
}

impl Probe {
    #[inline]
    fn is_named(&self, name: &str) -> bool {
        self.name.is_none_or(|expected| expected == name)
    }
}

enum Expected {
    Struct(&'static [usize], &'static [Field]),
    Newtype(&'static [usize]),
    Variant(&'static str),
}

#[cold]
fn unlike<T>() -> Result<T, Unlike> {
    Err(Unlike::custom("not as serde's derive writes the declaration"))
}

#[inline]
fn like(is_like: bool) -> Result<(), Unlike> {
    if is_like { Ok(()) } else { unlike() }
}

/// Refuses what no derive hands over for a struct, a newtype or a unit variant.
macro_rules! refuse {
    ($($method:ident($type:ty))+) => {$(
        fn $method(self, _: $type) -> Result<(), Unlike> {
            unlike()
        }
    )+};
}

impl Serializer for Probe {
    type Ok = ();
    type Error = Unlike;
    type SerializeSeq = Impossible<(), Unlike>;
    type SerializeTuple = Impossible<(), Unlike>;
    type SerializeTupleStruct = Impossible<(), Unlike>;
    type SerializeTupleVariant = Impossible<(), Unlike>;
    type SerializeMap = Impossible<(), Unlike>;
    type SerializeStruct = FieldsSeen;
    type SerializeStructVariant = Impossible<(), Unlike>;

    refuse! {
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32)
        serialize_i64(i64) serialize_u8(u8) serialize_u16(u16) serialize_u32(u32)
        serialize_u64(u64) serialize_f32(f32) serialize_f64(f64) serialize_char(char)
        serialize_str(&str) serialize_bytes(&[u8]) serialize_unit_struct(&'static str)
    }

    fn serialize_none(self) -> Result<(), Unlike> {
        unlike()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), Unlike> {
        unlike()
    }

    fn serialize_unit(self) -> Result<(), Unlike> {
        unlike()
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Unlike> {
        match self.expected {
            Expected::Variant(expected) => like(self.is_named(name) && variant == expected),
            Expected::Struct(..) | Expected::Newtype(_) => unlike(),
        }
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Unlike> {
        match self.expected {
            Expected::Newtype([offset]) => {
                like(self.is_named(name) && address(value) == self.base + offset)
            }
            _ => unlike(),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Unlike> {
        unlike()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Unlike> {
        unlike()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Unlike> {
        unlike()
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Unlike> {
        unlike()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Unlike> {
        unlike()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Unlike> {
        unlike()
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<FieldsSeen, Unlike> {
        match self.expected {
            Expected::Struct(offsets, fields) if self.is_named(name) => {
                let is_named = self.name.is_none();
                Ok(FieldsSeen { base: self.base, offsets, fields, is_named, seen: 0 })
            }
            _ => unlike(),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Unlike> {
        unlike()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The fields of a struct, of which some have been seen.
struct FieldsSeen {
    base: usize,
    offsets: &'static [usize],
    fields: &'static [Field],
    /// Whether the names were compared before.
    is_named: bool,
    seen: usize,
}

impl FieldsSeen {
    /// The next field, which lies there.
    #[inline]
    fn field(&mut self, name: &str, address: usize) -> Result<(), Unlike> {
        let offset = self.offsets.get(self.seen);
        let is_there = offset
            .is_some_and(|&offset| offset == Writer::ANYWHERE || address == self.base + offset);
        like(is_there && (self.is_named || self.is_declared(name)))?;
        self.seen += 1;
        Ok(())
    }

    /// Whether the next field has this name.
    #[cold]
    fn is_declared(&self, name: &str) -> bool {
        self.fields.get(self.seen).is_some_and(|declared| declared.name == name)
    }

    /// The next field, which is left out this time, as the declaration allows.
    fn skipped(&mut self, name: &str) -> Result<(), Unlike> {
        let declared = self.fields.get(self.seen);
        self.seen += 1;
        like(declared.is_some_and(|declared| declared.skippable && declared.name == name))
    }
}

impl SerializeStruct for FieldsSeen {
    type Ok = ();
    type Error = Unlike;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Unlike> {
        self.field(name, address(value))
    }

    fn skip_field(&mut self, name: &'static str) -> Result<(), Unlike> {
        self.skipped(name)
    }

    #[inline]
    fn end(self) -> Result<(), Unlike> {
        like(self.seen == self.fields.len() && self.seen == self.offsets.len())
    }
}
