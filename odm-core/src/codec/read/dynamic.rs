//! Values of any type: what `Bson` and `bson::Document` hold.

use bson::{Bson, Document};

use super::{RawValue, by_serde, kind, scalar};

pub(crate) fn any(value: RawValue<'_>) -> Option<Bson> {
    Some(match value.kind {
        kind::DOUBLE => Bson::Double(scalar::double(value)?),
        kind::STRING => Bson::String(scalar::text(value)?.to_owned()),
        kind::DOCUMENT => Bson::Document(document(value)?),
        kind::ARRAY => Bson::Array(array(value)?),
        kind::BINARY => Bson::Binary(scalar::binary(value)?),
        kind::OBJECT_ID => Bson::ObjectId(scalar::object_id(value)?),
        kind::BOOL => Bson::Boolean(scalar::boolean(value)?),
        kind::DATE => Bson::DateTime(scalar::date(value)?),
        kind::NULL => Bson::Null,
        kind::INT32 => Bson::Int32(scalar::integer(value)?),
        kind::TIMESTAMP => Bson::Timestamp(scalar::timestamp(value)?),
        kind::INT64 => Bson::Int64(scalar::integer(value)?),
        kind::DECIMAL => Bson::Decimal128(scalar::decimal(value)?),
        _ => by_serde(value)?,
    })
}

fn array(value: RawValue<'_>) -> Option<Vec<Bson>> {
    let mut items = value.items()?;
    let mut array = Vec::new();
    while let Some(item) = items.next_item() {
        array.push(any(item)?);
    }
    items.is_whole().then_some(array)
}

/// A document as serde reads it, which takes some names that begin with `$` for extended JSON:
/// those are left to it.
pub(crate) fn document(value: RawValue<'_>) -> Option<Document> {
    let mut fields = value.fields()?;
    let mut document = Document::new();
    while let Some((name, value)) = fields.next_field() {
        if name.starts_with('$') {
            return None;
        }
        document.insert(name, any(value)?);
    }
    fields.is_whole().then_some(document)
}
