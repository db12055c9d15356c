//! Values of any type.

use bson::spec::ElementType;
use bson::{Bson, Document};

use super::{RawBuffer, boolean, by_serde, values};

/// Writes any value; the rare types by serde.
pub(crate) fn any(value: &Bson, out: &mut RawBuffer) -> Option<ElementType> {
    match value {
        Bson::Double(number) => values::double(number, out),
        Bson::String(text) => values::string(text, out),
        Bson::Array(items) => values::array(items, out, any),
        Bson::Document(fields) => document(fields, out),
        Bson::Boolean(value) => boolean(value, out),
        Bson::Null => Some(ElementType::Null),
        Bson::Int32(number) => values::int32(number, out),
        Bson::Int64(number) => values::int64(number, out),
        Bson::ObjectId(id) => values::object_id(id, out),
        Bson::DateTime(date) => values::date(date, out),
        Bson::Binary(binary) => values::binary(binary, out),
        Bson::Timestamp(timestamp) => values::timestamp(timestamp, out),
        rare => by_serde(rare, out),
    }
}

pub(crate) fn document(document: &Document, out: &mut RawBuffer) -> Option<ElementType> {
    values::fields(document, out, any)
}
