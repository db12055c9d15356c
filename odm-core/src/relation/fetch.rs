//! Batches: the targets of many parents by their keys, in as few commands as their size allows.

use std::collections::HashMap;

use bson::{Bson, Document as BsonDocument, RawBsonRef, RawDocument, doc};
use futures::{StreamExt, TryStreamExt};

use super::Key;
use super::found::Gathered;
use super::node::{Found, Local, Node, Wants};
use crate::driver::{Batches, Call, FindOptions, WHOLE};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{both, equal_to};

/// How many commands are under way at once, where the keys need several.
const AT_ONCE: usize = 2;

/// What one command found.
enum Part {
    Targets(Vec<Found>),
    Counts(Vec<(Key, u64)>),
}

/// Adds what has these keys. `call` is on the collection of the targets.
pub(super) async fn fetch(
    call: &Call,
    node: &Node,
    keys: HashMap<Key, Bson>,
    found: &mut Gathered,
) -> Result<()> {
    let parts = chunks(keys.into_values()).into_iter().map(|keys| read(call, node, keys));
    let mut parts = futures::stream::iter(parts).buffered(AT_ONCE);
    while let Some(part) = parts.try_next().await? {
        match part {
            Part::Targets(targets) => targets.into_iter().for_each(|target| {
                found.add(target);
            }),
            Part::Counts(counts) => {
                counts.into_iter().for_each(|(key, count)| found.add_count(key, count));
            }
        }
    }
    Ok(())
}

async fn read(call: &Call, node: &Node, keys: Vec<Bson>) -> Result<Part> {
    // What the server can take apart by key: plain values, in one array at most.
    let is_plain = !node.is_db_ref && node.target.shape.array_levels(&node.foreign) <= 1;
    match (node.wants, node.local, node.limit) {
        (Wants::Count, ..) if is_plain => {
            let batches = call.aggregate(count_pipeline(node, keys), Some(WHOLE)).await?;
            read_counts(batches).await.map(Part::Counts)
        }
        (Wants::Count, ..) => count_keys(call, node, keys).await.map(Part::Counts),
        (_, Local::Parent(_), Some(limit)) if is_plain => {
            let pipeline = limited_pipeline(node, keys, limit);
            let batches = call.aggregate(pipeline, Some(WHOLE)).await?;
            read_targets(batches, node).await.map(Part::Targets)
        }
        _ => {
            let options =
                FindOptions { projection: node.projection.clone(), ..FindOptions::default() };
            let batches = call.find(matching(node, keys), options.whole()).await?;
            read_targets(batches, node).await.map(Part::Targets)
        }
    }
}

async fn read_targets(mut batches: Batches, node: &Node) -> Result<Vec<Found>> {
    let mut targets = Vec::new();
    while let Some(target) = batches.next(|raw| Ok(node.read(raw))).await {
        targets.push(target?);
    }
    Ok(targets)
}

async fn read_counts(mut batches: Batches) -> Result<Vec<(Key, u64)>> {
    let mut counts = Vec::new();
    while let Some(count) = batches.next(count_of).await {
        counts.push(count?);
    }
    Ok(counts)
}

/// The key of a group, and how many it has.
fn count_of(group: &RawDocument) -> Result<(Key, u64)> {
    let key = group.get("_id").ok().flatten().and_then(Key::of_raw);
    let count = match group.get("n") {
        Ok(Some(RawBsonRef::Int32(count))) => u64::try_from(count).ok(),
        Ok(Some(RawBsonRef::Int64(count))) => u64::try_from(count).ok(),
        _ => None,
    };
    key.zip(count).ok_or_else(|| Error::new(ErrorKind::Decode, "the server sent a malformed count"))
}

/// Counts by reading the keys of what matches.
async fn count_keys(call: &Call, node: &Node, keys: Vec<Bson>) -> Result<Vec<(Key, u64)>> {
    let projection = Some(doc! { "_id": 1, node.foreign.as_str(): 1 });
    let options = FindOptions { projection, ..FindOptions::default() };
    let mut batches = call.find(matching(node, keys), options.whole()).await?;
    let mut counts = HashMap::new();
    while let Some(keys) = batches.next(|raw| Ok(node.keys_at(raw, &node.foreign))).await {
        for key in keys? {
            *counts.entry(key).or_insert(0) += 1;
        }
    }
    Ok(counts.into_iter().collect())
}

/// The filter on the targets.
fn matching(node: &Node, keys: Vec<Bson>) -> BsonDocument {
    let by_key = match (node.local, node.is_db_ref) {
        (Local::Parent(_), true) => {
            let in_dbref = format!("{}.$id", node.foreign);
            doc! { "$or": [one_of(&in_dbref, keys.clone()), one_of(&node.foreign, keys)] }
        }
        _ => one_of(&node.foreign, keys),
    };
    match &node.filter {
        Some(filter) => both(by_key, filter.clone()),
        None => by_key,
    }
}

/// A value at the path is one of the keys. In an `$in`, the server reads a regular expression as a
/// pattern.
pub(crate) fn one_of(path: &str, mut keys: Vec<Bson>) -> BsonDocument {
    // By equality, the server finds one `_id` without planning.
    if keys.len() == 1
        && let Some(key) = keys.pop()
    {
        return doc! { path: equal_to(key) };
    }
    let is_pattern = |key: &Bson| matches!(key, Bson::RegularExpression(_));
    if !keys.iter().any(is_pattern) {
        return doc! { path: { "$in": keys } };
    }
    let equal: Vec<_> = keys.into_iter().map(|key| doc! { path: { "$eq": key } }).collect();
    doc! { "$or": equal }
}

/// The stages after which each row has one key of its document in [`KEY`]: each once.
fn by_key(node: &Node, keys: Vec<Bson>) -> [BsonDocument; 4] {
    let value = format!("${}", node.foreign);
    let distinct = doc! { "$cond": [
        { "$isArray": &value }, { "$setUnion": [&value, []] }, &value,
    ] };
    let of_these = one_of(KEY, keys.clone());
    [
        doc! { "$match": matching(node, keys) },
        doc! { "$set": { KEY: distinct } },
        doc! { "$unwind": format!("${KEY}") },
        doc! { "$match": of_these },
    ]
}

const KEY: &str = "__odm_key";
const PLACE: &str = "__odm_place";

fn count_pipeline(node: &Node, keys: Vec<Bson>) -> Vec<BsonDocument> {
    let mut pipeline = Vec::from(by_key(node, keys));
    pipeline.push(doc! { "$group": { "_id": format!("${KEY}"), "n": { "$sum": 1 } } });
    pipeline
}

/// The first documents of each key.
fn limited_pipeline(node: &Node, keys: Vec<Bson>, limit: u32) -> Vec<BsonDocument> {
    let mut pipeline = Vec::from(by_key(node, keys));
    pipeline.extend([
        doc! { "$setWindowFields": {
            "partitionBy": format!("${KEY}"),
            "sortBy": node.server_sort(),
            // `$documentNumber` takes one sort key alone.
            "output": { PLACE: {
                "$sum": 1, "window": { "documents": ["unbounded", "current"] },
            } },
        } },
        doc! { "$match": { PLACE: { "$lte": i64::from(limit) } } },
        doc! { "$unset": [KEY, PLACE] },
    ]);
    pipeline.extend(node.projection.clone().map(|projection| doc! { "$project": projection }));
    pipeline
}

/// Splits keys so that each list fits into a command.
fn chunks(keys: impl Iterator<Item = Bson>) -> Vec<Vec<Bson>> {
    const MOST_BYTES: usize = 8_000_000;
    let mut chunks = Vec::new();
    let (mut chunk, mut size) = (Vec::new(), 0);
    for key in keys {
        let of_key = size_of(&key);
        if size + of_key > MOST_BYTES && !chunk.is_empty() {
            chunks.push(std::mem::take(&mut chunk));
            size = 0;
        }
        size += of_key;
        chunk.push(key);
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

/// About how many bytes a key takes in an array.
pub(crate) fn size_of(key: &Bson) -> usize {
    const ELEMENT: usize = 10;
    ELEMENT
        + match key {
            Bson::String(text) => text.len() + 5,
            Bson::Binary(binary) => binary.bytes.len() + 5,
            Bson::Document(document) => {
                document.iter().map(|(name, value)| name.len() + size_of(value)).sum()
            }
            _ => 16,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_split_by_their_size() {
        let long = "x".repeat(3_000_000);
        let sizes = |keys: Vec<Bson>| -> Vec<usize> {
            chunks(keys.into_iter()).iter().map(Vec::len).collect()
        };
        assert_eq!(sizes(vec![]), [0_usize; 0]);
        assert_eq!(sizes((0..10_000).map(Bson::Int32).collect()), [10_000]);
        assert_eq!(sizes(vec![Bson::from(long.as_str()); 5]), [2, 2, 1]);
    }
}
