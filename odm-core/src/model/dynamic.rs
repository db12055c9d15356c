//! `bson::Document` as a model without declared fields.

use bson::{Bson, RawDocument, RawDocumentBuf};

use super::{Document, Field, Model, Shape};
use crate::codec;
use crate::error::Result;
use crate::migrate::First;

/// One flattened field of unknown names: any field may be there.
const FIELDS: &[Field] = &[Field::of::<bson::Document>().flatten()];

static SHAPE: Shape = Shape::new("Document", "", FIELDS);
static MODEL: Model = Model::new("Document", "", &SHAPE);

/// Documents of any form, read and written exactly as they are: names, order and types. They
/// declare no collection, so [`collection_named`](crate::Database::collection_named) gives theirs;
/// [`dynamic`](crate::path::dynamic) gives the paths.
impl Document for bson::Document {
    type Id = Bson;
    type Previous = First;
    const MODEL: &'static Model = &MODEL;
    const IS_DYNAMIC: bool = true;

    fn id(&self) -> Option<&Bson> {
        self.get("_id")
    }

    /// Not by serde, to which some documents stand for values of other types.
    fn encode(&self) -> Result<RawDocumentBuf> {
        RawDocumentBuf::try_from(self).map_err(codec::encode_error)
    }

    fn decode_current(raw: &RawDocument) -> Result<Self> {
        codec::decode_document(raw)
    }

    fn upgrade(previous: First) -> Result<Self> {
        match previous {}
    }
}
