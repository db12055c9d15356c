//! Inner joins by batches: which parents have something related, as a filter on the parents.

use std::collections::HashSet;

use bson::{Bson, Document as BsonDocument, RawBsonRef, doc};

use super::Key;
use super::fetch::size_of;
use super::node::{Local, Node};
use super::stored::visit_values;
use crate::driver::{Call, FindOptions};
use crate::error::{Error, Result};
use crate::filter::both;

/// How large the keys may be together, so that the filter fits into a command.
const MOST_BYTES: usize = 8_000_000;

/// The filter on the parents, with what each required node asks for. One round trip for each.
pub(crate) async fn require(
    call: &Call,
    nodes: &[Node],
    mut filter: BsonDocument,
) -> Result<BsonDocument> {
    for node in nodes.iter().filter(|node| node.required) {
        filter = both(filter, related(call, node).await?);
    }
    Ok(filter)
}

/// The parents that the node leads anywhere from.
async fn related(call: &Call, node: &Node) -> Result<BsonDocument> {
    let call = node.seen_by(call.on(node.target));
    let projection = Some(doc! { "_id": 1, node.foreign.as_str(): 1 });
    let options = FindOptions { projection, ..FindOptions::default() };
    let filter = node.filter.clone().unwrap_or_default();
    let mut batches = call.find(filter, options).await?;
    let (mut seen, mut keys, mut size) = (HashSet::new(), Vec::new(), 0);
    while let Some(found) = batches
        .next(|raw| {
            let mut values = Vec::new();
            visit_values(raw, &node.foreign, &mut |value| {
                values.extend(node.parent_key(value).map(|key| (Key::of_raw(key), key.try_into())));
            });
            Ok(values)
        })
        .await
    {
        for (key, value) in found? {
            let (Some(key), Ok(value)) = (key, value) else { continue };
            let value: Bson = value;
            if value != Bson::Null && seen.insert(key) {
                size += size_of(&value);
                keys.push(value);
            }
        }
        if size > MOST_BYTES {
            let message = "too many documents are related for batches to find their parents: let \
                           `$lookup` do it, or say by a filter which of them count";
            return Err(call.context(Error::invalid(message).with_path(&node.path)));
        }
    }
    Ok(match node.local {
        Local::Parent(key) => doc! { key: { "$in": keys } },
        Local::Slots if node.is_db_ref => {
            let in_dbref = format!("{}.$id", node.path);
            let collection = format!("{}.$ref", node.path);
            let in_dbref = doc! {
                in_dbref: { "$in": keys.clone() }, collection: node.target.collection,
            };
            doc! { "$or": [in_dbref, { &node.path: { "$in": keys } }] }
        }
        Local::Slots => doc! { &node.path: { "$in": keys } },
    })
}

impl Node {
    /// The key of a parent in a value of the target.
    fn parent_key<'a>(&self, value: RawBsonRef<'a>) -> Option<RawBsonRef<'a>> {
        match (self.is_db_ref && matches!(self.local, Local::Parent(_)), value) {
            (true, RawBsonRef::Document(document)) => self.id_of(document),
            (_, value) => Some(value),
        }
    }
}
