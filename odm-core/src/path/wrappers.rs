//! `Option` and `Box`: types that are stored as what they hold.

use bson::Bson;
use bson::spec::ElementType;

use super::{FieldType, List, Map, Nest};
use crate::codec::{RawBuffer, RawValue};
use crate::error::Result;
use crate::model::{Kind, Names, Shape};
use crate::relation::{Reference, Visit};

impl<T: Nest> Nest for Option<T> {
    type Via<V: 'static> = T::Via<V>;
    const NULLABLE: bool = true;
}

impl<T: FieldType> FieldType for Option<T> {
    type Path<M: 'static, C: 'static, V: 'static> = T::Path<M, C, V>;
    type Key = Option<T::Key>;
    const KIND: Kind = T::KIND;
    const INDEXED: Kind = T::INDEXED;
    const OPTIONAL: bool = true;
    const REFERENCE: Option<Reference> = Reference::optional(T::REFERENCE);
    const NAMES: &'static Names = T::NAMES;

    fn encode(key: &Self::Key) -> Result<Bson> {
        key.as_ref().map_or(Ok(Bson::Null), T::encode)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::read_raw(value).map(Some) }
    }

    fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
        match self {
            Some(value) => value.write_raw(out),
            None => Some(ElementType::Null),
        }
    }

    fn read_missing() -> Option<Self> {
        Some(None)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        self.iter_mut().for_each(|value| value.visit_refs(path, visit));
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }

    fn values() -> Option<&'static Shape> {
        T::values()
    }
}

impl<L: List> List for Option<L> {
    type Element = L::Element;
}

#[diagnostic::do_not_recommend]
impl<C: Map> Map for Option<C> {
    type Value = C::Value;
}

impl<T: Nest> Nest for Box<T> {
    type Via<V: 'static> = T::Via<V>;
    const NULLABLE: bool = T::NULLABLE;
}

impl<T: FieldType> FieldType for Box<T> {
    type Path<M: 'static, C: 'static, V: 'static> = T::Path<M, C, V>;
    type Key = T::Key;
    const KIND: Kind = T::KIND;
    const INDEXED: Kind = T::INDEXED;
    const OPTIONAL: bool = T::OPTIONAL;
    const REFERENCE: Option<Reference> = T::REFERENCE;
    const NAMES: &'static Names = T::NAMES;

    fn encode(key: &Self::Key) -> Result<Bson> {
        T::encode(key)
    }

    fn read_raw(value: RawValue<'_>) -> Option<Self> {
        T::read_raw(value).map(Self::new)
    }

    fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
        T::write_raw(self, out)
    }

    fn read_missing() -> Option<Self> {
        T::read_missing().map(Self::new)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        T::visit_refs(self, path, visit);
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }

    fn values() -> Option<&'static Shape> {
        T::values()
    }
}

impl<L: List> List for Box<L> {
    type Element = L::Element;
}

#[diagnostic::do_not_recommend]
impl<C: Map> Map for Box<C> {
    type Value = C::Value;
}
