//! `$lookup`: the stages, and taking the joined documents out of the rows.
//!
//! Only the plain form with a local and a foreign field is fast, so every stage has it. The joined
//! arrays come last, so that the stored document is the beginning of the row.

use std::borrow::Cow;

use bson::{Document as BsonDocument, RawBsonRef, RawDocument, RawDocumentBuf, doc};

use super::resolve::Found;
use super::{Key, Node};
use crate::driver::Call;
use crate::error::{Error, ErrorKind, Result};
use crate::migrate::Collected;

/// What the names of joined arrays begin with.
const PREFIX: &str = "__odm";

/// The stages that join every node, an inner one by the array of its outer one.
pub(crate) fn plan_joins(nodes: &[Node]) -> Vec<BsonDocument> {
    let mut stages = Vec::new();
    add_stages(nodes, None, &mut stages);
    // A row above 16 MB is an error with this stage; without it, some servers close the connection.
    stages.push(doc! { "$unset": PREFIX });
    stages
}

fn add_stages(nodes: &[Node], outer: Option<usize>, stages: &mut Vec<BsonDocument>) {
    for node in nodes {
        let local = match outer {
            Some(outer) => format!("{PREFIX}{outer}.{}", node.path),
            None => node.path.clone(),
        };
        stages.push(doc! { "$lookup": {
            "from": node.target.collection, "localField": local, "foreignField": "_id",
            "as": format!("{PREFIX}{}", node.number),
        } });
        add_stages(&node.children, Some(node.number), stages);
    }
}

/// The joined documents of the rows read so far, each once.
#[derive(Default)]
pub(crate) struct Joined {
    /// By the numbers of the nodes.
    nodes: Vec<JoinedNode>,
    has_upgraded: bool,
}

#[derive(Default)]
struct JoinedNode {
    found: Found,
    upgraded: Collected,
}

impl Joined {
    /// Takes the joined documents out of a row, and returns the stored document.
    pub(crate) fn take_row<'a>(
        &mut self,
        nodes: &[Node],
        row: &'a RawDocument,
    ) -> Result<Cow<'a, RawDocument>> {
        let mut at = START;
        let mut end = None;
        for element in row.iter_elements() {
            let element = element.map_err(malformed)?;
            let name = element.key().as_str();
            if let Some(number) = name.strip_prefix(PREFIX).and_then(|number| number.parse().ok())
                && let Some(node) = numbered(nodes, number)
            {
                end.get_or_insert(at);
                self.take_array(node, element.value().map_err(malformed)?)?;
            }
            at += 2 + name.len() + element.size();
        }
        match end {
            Some(end) => prefix(row, end).map(Cow::Owned),
            None => Ok(Cow::Borrowed(row)),
        }
    }

    fn take_array(&mut self, node: &Node, array: RawBsonRef<'_>) -> Result<()> {
        if self.nodes.len() <= node.number {
            self.nodes.resize_with(node.number + 1, JoinedNode::default);
        }
        let joined = &mut self.nodes[node.number];
        for target in array.as_array().into_iter().flatten() {
            let target = target.map_err(malformed)?;
            let Some(target) = target.as_document() else { continue };
            let id = target.get("_id").map_err(malformed)?;
            // The server joins null, missing and empty fields with it; no reference has that id.
            let id = id.filter(|id| !matches!(id, RawBsonRef::Null));
            let Some(key) = id.and_then(Key::of_raw) else { continue };
            if let std::collections::hash_map::Entry::Vacant(place) = joined.found.entry(key) {
                let read = (node.read)(target)?;
                self.has_upgraded |= read.write_back.is_some();
                joined.upgraded.add(read.write_back);
                place.insert(read.value);
            }
        }
        Ok(())
    }

    /// Tells that a parent was upgraded: what it refers to now may not be what was joined.
    pub(crate) fn parent_upgraded(&mut self) {
        self.has_upgraded = true;
    }

    pub(super) fn has_upgraded(&self) -> bool {
        self.has_upgraded
    }

    /// The targets of a node.
    pub(super) fn take(&mut self, node: &Node) -> Found {
        self.nodes
            .get_mut(node.number)
            .map(|joined| std::mem::take(&mut joined.found))
            .unwrap_or_default()
    }

    /// Sends the write-backs of the joined documents.
    pub(crate) async fn send_write_backs(&mut self, call: &Call, nodes: &[Node]) {
        for (number, joined) in self.nodes.iter_mut().enumerate() {
            if let Some(node) = numbered(nodes, number) {
                call.on(node.target).send_write_backs(&mut joined.upgraded).await;
            }
        }
    }
}

/// The elements of a document follow its length.
const START: usize = 4;

fn numbered(nodes: &[Node], number: usize) -> Option<&Node> {
    nodes.iter().find_map(|node| match node.number == number {
        true => Some(node),
        false => numbered(&node.children, number),
    })
}

/// The document that ends before this position.
fn prefix(row: &RawDocument, end: usize) -> Result<RawDocumentBuf> {
    let mut bytes = Vec::with_capacity(end + 1);
    bytes.extend_from_slice(&row.as_bytes()[..end]);
    bytes.push(0);
    // The length shrinks, so it still fits.
    let length = bytes.len() as i32;
    bytes[..START].copy_from_slice(&length.to_le_bytes());
    RawDocumentBuf::from_bytes(bytes).map_err(malformed)
}

fn malformed(error: bson::error::Error) -> Error {
    Error::new(ErrorKind::Decode, "the server sent a malformed row").with_source(error)
}
