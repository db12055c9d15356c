//! Projections: reading a part of a model's fields into a smaller type.

use bson::{Bson, Document, RawDocument, doc};

use crate::codec;
use crate::error::{Error, Result};
use crate::migrate::Read;
use crate::model::{Embedded, Model, Shape};

/// The projection that includes just the fields of `view`, each of which the model must have.
pub(crate) fn plan_projection(view: &Shape, model: &Model) -> Result<Document> {
    let mut projection = Document::new();
    for name in view.names() {
        let field = model.shape.field(name).filter(|field| field.name == name);
        if field.is_none() && !model.shape.is_open() {
            let message = format!("`{}` asks for a field that the model lacks", view.name);
            return Err(Error::invalid(message).with_path(name));
        }
        projection.insert(name, 1);
    }
    if !projection.contains_key("_id") {
        projection.insert("_id", 0);
    }
    // Without a field to include, the server would send every field but `_id`.
    match projection.values().any(|included| *included == Bson::Int32(1)) {
        true => Ok(projection),
        false => Ok(doc! { "_id": 1 }),
    }
}

/// Reads a projected document.
pub(crate) fn read<V: Embedded>(raw: &RawDocument) -> Result<Read<V>> {
    codec::decode_shape(raw, V::SHAPE).map(|value| Read { value, write_back: None })
}
