//! `$lookup`: the stages, and taking the joined documents out of the rows.
//!
//! Only the plain form with a local and a foreign field is fast, so a stage has a pipeline only for
//! what needs one: a filter, a limit or a projection. The joined arrays come last, so that the
//! stored document is the beginning of the row.

use std::borrow::Cow;
use std::ops::Range;

use bson::{Bson, Document as BsonDocument, RawBsonRef, RawDocument, RawDocumentBuf, doc};

use super::Key;
use super::found::Gathered;
use super::node::{Local, Node, Wants};
use crate::error::{Error, ErrorKind, Result};

/// What the names of joined arrays begin with.
const PREFIX: &str = "__odm";

/// The stages that join every node, an inner one by the array of its outer one.
pub(crate) fn plan_joins<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> Vec<BsonDocument> {
    let mut stages = Vec::new();
    nodes.into_iter().for_each(|node| add_stages(node, "", &mut stages));
    stages
}

/// A stage that does nothing, beside those that join. A row above 16 MB is an error with it; without
/// it, some servers close the connection.
///
/// After the joins it leaves them to the engine that is fast for many rows; before them, it keeps
/// them from it, which is faster for one row.
pub(crate) fn guard_of_joins() -> BsonDocument {
    doc! { "$unset": PREFIX }
}

fn add_stages(node: &Node, outer: &str, stages: &mut Vec<BsonDocument>) {
    let name = node.joined_name();
    let (local, foreign) = match node.local {
        Local::Slots => (format!("{outer}{}", node.path), node.foreign.as_str()),
        Local::Parent(key) => (format!("{outer}{key}"), node.foreign.as_str()),
    };
    stages.push(node.stage(&local, foreign, &name));
    if node.is_db_ref {
        // DBRefs stand beside plain ids, so they are joined by themselves.
        let (local, foreign) = match node.local {
            Local::Slots => (format!("{local}.$id"), foreign.to_owned()),
            Local::Parent(_) => (local, format!("{foreign}.$id")),
        };
        let more = format!("{name}_more");
        stages.push(node.stage(&local, &foreign, &more));
        let all = doc! { "$concatArrays": [format!("${name}"), format!("${more}")] };
        stages.push(doc! { "$set": { &name: all } });
        stages.push(doc! { "$unset": more });
    }
    if node.wants == Wants::Count {
        stages.push(doc! { "$set": { &name: { "$size": format!("${name}") } } });
    }
    let outer = format!("{name}.");
    node.children.iter().for_each(|child| add_stages(child, &outer, stages));
}

impl Node {
    /// The name of what is joined, in the row.
    fn joined_name(&self) -> String {
        format!("{PREFIX}{}", self.number)
    }

    fn stage(&self, local: &str, foreign: &str, name: &str) -> BsonDocument {
        if let Wants::Graph { max_depth } = self.wants {
            let connect_from = match self.local {
                Local::Slots => self.path.as_str(),
                Local::Parent(key) => key,
            };
            let mut graph = doc! {
                "from": self.target.collection,
                "startWith": format!("${local}"),
                "connectFromField": connect_from,
                "connectToField": foreign,
                "as": name,
                "maxDepth": i32::from(max_depth),
            };
            if let Some(filter) = self.live_filter() {
                graph.insert("restrictSearchWithMatch", filter);
            }
            return doc! { "$graphLookup": graph };
        }
        let mut lookup = doc! {
            "from": self.target.collection,
            "localField": local,
            "foreignField": foreign,
            "as": name,
        };
        let pipeline = self.pipeline(foreign);
        if !pipeline.is_empty() {
            lookup.insert("pipeline", pipeline);
        }
        doc! { "$lookup": lookup }
    }

    /// The filter on the targets, without those that are deleted.
    fn live_filter(&self) -> Option<BsonDocument> {
        let live = self.target.stamps.soft_delete.filter(|_| !self.with_deleted);
        match (live.map(|field| doc! { field: bson::Bson::Null }), &self.filter) {
            (Some(live), Some(filter)) => Some(crate::filter::both(filter.clone(), live)),
            (live, filter) => live.or_else(|| filter.clone()),
        }
    }

    /// What is done with the documents that are joined to one parent.
    fn pipeline(&self, foreign: &str) -> Vec<BsonDocument> {
        let mut pipeline = Vec::new();
        pipeline.extend(self.live_filter().map(|filter| doc! { "$match": filter }));
        // References are cut where they are placed: under one path may be some to other models.
        if let (Some(limit), Local::Parent(_)) = (self.limit, self.local) {
            // A parent without a key is joined with documents without one.
            if foreign != "_id" {
                pipeline.push(doc! { "$match": { foreign: { "$ne": null } } });
            }
            pipeline.push(doc! { "$sort": self.server_sort() });
            pipeline.push(doc! { "$limit": i64::from(limit) });
        }
        pipeline.extend(self.projection.clone().map(|projection| doc! { "$project": projection }));
        pipeline
    }

    /// The stages that keep the parents that the node has found something for.
    pub(crate) fn required_stage(&self) -> Option<BsonDocument> {
        if !self.required {
            return None;
        }
        let found = match self.wants {
            Wants::Count => doc! { "$gt": 0 },
            _ => doc! { "$ne": [] },
        };
        let mut found = doc! { self.joined_name(): found };
        if let Local::Parent(key) = self.local
            && key != "_id"
        {
            // A parent without a key is joined with documents without one.
            found.insert(key, doc! { "$ne": null });
        }
        Some(doc! { "$match": found })
    }

    /// Keeps what the node has joined in a projection that comes after it.
    pub(crate) fn keep_joined(&self, projection: &mut BsonDocument) {
        projection.insert(self.joined_name(), 1);
    }

    /// The keys by which the node sorts the parents.
    pub(crate) fn parent_sort_keys(&self) -> impl Iterator<Item = (String, Bson)> {
        let sort = self.parent_sort.iter().flatten();
        sort.map(|(path, direction)| (format!("{PREFIX}{}.{path}", self.number), direction.clone()))
    }
}

/// The joined documents of the rows read so far, each once.
#[derive(Default)]
pub(crate) struct Joined {
    /// By the numbers of the nodes.
    nodes: Vec<Gathered>,
    has_upgraded: bool,
    write_back: bool,
}

impl Joined {
    pub(crate) fn new(write_back: bool) -> Self {
        Self { write_back, ..Self::default() }
    }

    /// Takes the joined documents out of a row, and returns the stored document.
    pub(crate) fn take_row<'a>(
        &mut self,
        nodes: &[Node],
        row: &'a RawDocument,
    ) -> Result<Cow<'a, RawDocument>> {
        let mut at = START;
        let (mut end, mut computed) = (None, Vec::new());
        for element in row.iter_elements() {
            let element = element.map_err(malformed)?;
            let name = element.key().as_str();
            if let Some(number) = number_of(name)
                && let Some(node) = numbered(nodes, number)
            {
                end.get_or_insert(at);
                self.take(node, row, element.value().map_err(malformed)?)?;
            } else if end.is_some() {
                // What a projection computes comes after what it keeps.
                computed.push(at..at + 2 + name.len() + element.size());
            }
            at += 2 + name.len() + element.size();
        }
        match end {
            Some(end) => without_joined(row, end, &computed).map(Cow::Owned),
            None => Ok(Cow::Borrowed(row)),
        }
    }

    fn take(&mut self, node: &Node, row: &RawDocument, joined: RawBsonRef<'_>) -> Result<()> {
        if self.nodes.len() <= node.number {
            self.nodes.resize_with(node.number + 1, Gathered::default);
        }
        let found = &mut self.nodes[node.number];
        if let (Wants::Count, Local::Parent(key)) = (node.wants, node.local) {
            let key = row.get(key).map_err(malformed)?.and_then(Key::of_raw);
            let key = key.filter(|key| *key != Key::of(&Bson::Null));
            let count = joined.as_i32().map(i64::from).or_else(|| joined.as_i64());
            if let (Some(key), Some(count)) = (key, count.and_then(|n| u64::try_from(n).ok())) {
                found.add_count(key, count);
            }
            return Ok(());
        }
        for target in joined.as_array().into_iter().flatten() {
            if let Some(target) = target.map_err(malformed)?.as_document() {
                self.has_upgraded |= found.add(node.read(target));
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

    pub(super) fn writes_back(&self) -> bool {
        self.write_back
    }

    /// The targets of a node.
    pub(super) fn take_node(&mut self, node: &Node) -> Gathered {
        self.nodes.get_mut(node.number).map(std::mem::take).unwrap_or_default()
    }
}

/// The elements of a document follow its length.
const START: usize = 4;

/// The number in `__odm3`.
fn number_of(name: &str) -> Option<usize> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

fn numbered(nodes: &[Node], number: usize) -> Option<&Node> {
    nodes.iter().find_map(|node| match node.number == number {
        true => Some(node),
        false => numbered(&node.children, number),
    })
}

/// The document that ends before this position, with the elements in these ranges.
fn without_joined(row: &RawDocument, end: usize, rest: &[Range<usize>]) -> Result<RawDocumentBuf> {
    let mut bytes = Vec::with_capacity(end + 1);
    bytes.extend_from_slice(&row.as_bytes()[..end]);
    rest.iter().for_each(|element| bytes.extend_from_slice(&row.as_bytes()[element.clone()]));
    bytes.push(0);
    // The length shrinks, so it still fits.
    let length = bytes.len() as i32;
    bytes[..START].copy_from_slice(&length.to_le_bytes());
    RawDocumentBuf::from_bytes(bytes).map_err(malformed)
}

fn malformed(error: bson::error::Error) -> Error {
    Error::new(ErrorKind::Decode, "the server sent a malformed row").with_source(error)
}
