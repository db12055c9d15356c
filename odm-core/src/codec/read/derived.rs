//! Whether a type is read as serde's derive would read its declaration.
//!
//! The trait may as well be implemented by hand, to check a value or to take several forms of it.
//! The derive of a model cannot see that; but what serde's derive asks a deserializer for is known.

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

/// What serde's derive asks for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asked {
    Struct,
    Enum,
    Newtype,
}

/// Whether the type asks for just this: a type of this name, with at least these fields or variants, and
/// with none that are not among them or the aliases.
pub(super) fn is_derived<T: DeserializeOwned>(
    asked: Asked,
    name: &str,
    names: &[&str],
    aliases: &[(&str, usize)],
) -> bool {
    matches!(T::deserialize(Probe { asked, name, names, aliases }), Err(Answer(true)))
}

struct Probe<'a> {
    asked: Asked,
    name: &'a str,
    /// Each with the null byte that ends it.
    names: &'a [&'a str],
    aliases: &'a [(&'a str, usize)],
}

impl Probe<'_> {
    /// Not generic, so that it is compiled once and not for each model.
    fn answer(&self, name: &str, names: &[&str]) -> Answer {
        let bare = |name: &&str| name.trim_end_matches('\0').to_owned();
        let declared: Vec<_> = self.names.iter().map(bare).collect();
        let aliases: Vec<_> = self.aliases.iter().map(|(alias, _)| bare(alias)).collect();
        let is_known = |name: &&str| declared.iter().chain(&aliases).any(|known| known == name);
        let is_same = name == self.name
            && declared.iter().all(|declared| names.contains(&declared.as_str()))
            && names.iter().all(is_known);
        Answer(is_same)
    }
}

/// The answer, by way of an error: nothing is read.
#[derive(Debug)]
struct Answer(bool);

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing to read")
    }
}

impl std::error::Error for Answer {}

impl Error for Answer {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(false)
    }
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Answer;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Answer> {
        Err(Answer(false))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Answer> {
        match self.asked {
            Asked::Struct => Err(self.answer(name, fields)),
            Asked::Enum | Asked::Newtype => Err(Answer(false)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Answer> {
        match self.asked {
            Asked::Enum => Err(self.answer(name, variants)),
            Asked::Struct | Asked::Newtype => Err(Answer(false)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: V,
    ) -> Result<V::Value, Answer> {
        match self.asked {
            Asked::Newtype => Err(self.answer(name, &[])),
            Asked::Struct | Asked::Enum => Err(Answer(false)),
        }
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}
