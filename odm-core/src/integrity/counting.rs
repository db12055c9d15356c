//! The ends of pipelines that count rows, and what the server answers.

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::values::VALUE;
use crate::driver::Call;
use crate::error::{Error, ErrorKind, Result};

/// The field of a row that has the documents that were joined.
pub(super) const JOINED: &str = "joined";

/// How many `_id`s of documents a report names.
pub(super) const EXAMPLES: usize = 5;

/// Joins the targets of the references.
pub(super) fn join(collection: &str, key: &str) -> Document {
    doc! { "$lookup": {
        "from": collection, "localField": VALUE, "foreignField": key, "as": JOINED,
    } }
}

/// Leaves the rows whose reference leads nowhere.
pub(super) fn dangling(collection: &str, key: &str) -> [Document; 2] {
    [join(collection, key), doc! { "$match": { JOINED: [] } }]
}

/// Counts the rows, and names the first documents that they are of.
pub(super) fn count() -> [Document; 2] {
    let limit = i64::try_from(EXAMPLES).unwrap_or(i64::MAX);
    [
        doc! { "$group": { "_id": "$_id", "n": { "$sum": 1 } } },
        doc! { "$facet": {
            "total": [{ "$group": { "_id": Bson::Null, "n": { "$sum": "$n" } } }],
            "examples": [{ "$sort": { "_id": 1 } }, { "$limit": limit }],
        } },
    ]
}

/// Each key once, with the number of rows and one document that has it.
pub(super) fn by_key() -> Document {
    doc! { "$group": {
        "_id": format!("${VALUE}"), "n": { "$sum": 1 }, "holder": { "$first": "$_id" },
    } }
}

/// The rows of a pipeline that ends with [`count`].
pub(super) async fn read_count(call: &Call, pipeline: Vec<Document>) -> Result<(u64, Vec<Bson>)> {
    let mut rows = call.aggregate(pipeline, None).await?;
    let row = rows.next(|raw| Ok(raw.to_owned())).await.transpose()?;
    let row = row.map(parsed).transpose()?.unwrap_or_default();
    let part = |name| row.get_array(name).ok().into_iter().flatten().filter_map(Bson::as_document);
    let count = part("total").find_map(number).unwrap_or(0);
    Ok((count, part("examples").filter_map(|row| row.get("_id").cloned()).collect()))
}

/// The number of a row.
pub(super) fn number(row: &Document) -> Option<u64> {
    match row.get("n")? {
        Bson::Int32(number) => u64::try_from(*number).ok(),
        Bson::Int64(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}

pub(super) fn parsed(raw: RawDocumentBuf) -> Result<Document> {
    Document::try_from(raw).map_err(|error| {
        Error::new(ErrorKind::Decode, "the server sent a malformed row").with_source(error)
    })
}
