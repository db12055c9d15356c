//! The one placement: finds the references at a path, gets their targets, puts them in.

use std::collections::HashMap;

use bson::{Bson, Document as BsonDocument, doc};
use futures::future::BoxFuture;

use super::erased::Erased;
use super::{Joined, Key, Node};
use crate::driver::{Call, FindOptions};
use crate::error::Result;
use crate::migrate::Collected;

/// The documents whose references are resolved.
pub(crate) type Parents<'a> = Vec<&'a mut (dyn Erased + 'static)>;

/// Where targets come from.
pub(crate) enum Targets<'a> {
    /// One find for each node, whose old targets may be written back.
    Batches { write_back: bool },
    /// What `$lookup` brought along.
    Joined(&'a mut Joined),
}

/// The targets of one node by their ids.
pub(super) type Found = HashMap<Key, Box<dyn Erased>>;

/// Loads the references of the documents at the nodes' paths.
///
/// Round trips by batches: one for each node, however many documents there are, unless their ids
/// exceed the size of a command.
pub(crate) fn resolve<'a>(
    call: &'a Call,
    nodes: &'a [Node],
    mut documents: Parents<'a>,
    mut targets: Targets<'a>,
) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        for node in nodes {
            let ids = ids(node, &mut documents)?;
            let mut found = match &mut targets {
                Targets::Batches { .. } => Found::new(),
                Targets::Joined(joined) => joined.take(node),
            };
            // `$lookup` knows nothing of what a document was upgraded to.
            let incomplete = match &targets {
                Targets::Batches { .. } => true,
                Targets::Joined(joined) => joined.has_upgraded(),
            };
            if incomplete {
                let wanted = ids.into_iter().filter(|(key, _)| !found.contains_key(key));
                let wanted = wanted.map(|(_, id)| id).collect();
                let write_back = matches!(&targets, Targets::Batches { write_back: true });
                fetch(call, node, wanted, &mut found, write_back).await?;
            }
            let inner = found.values_mut().map(|target| &mut **target).collect();
            let inner_targets = match &mut targets {
                Targets::Batches { write_back } => Targets::Batches { write_back: *write_back },
                Targets::Joined(joined) => Targets::Joined(joined),
            };
            if !node.children.is_empty() {
                resolve(call, &node.children, inner, inner_targets).await?;
            }
            place(node, &mut documents, found)?;
        }
        Ok(())
    })
}

/// The distinct ids at a node's path.
fn ids(node: &Node, documents: &mut Parents<'_>) -> Result<HashMap<Key, Bson>> {
    let (mut ids, mut failed) = (HashMap::new(), Ok(()));
    let path = node.segments();
    for document in documents {
        document.visit(&path, &mut |slot| match slot.id() {
            Ok(id) => drop(ids.insert(Key::of(&id), id)),
            Err(error) => failed = Err(error),
        });
    }
    failed.map(|()| ids)
}

/// Finds the targets with these ids, in as few commands as their size allows.
async fn fetch(
    call: &Call,
    node: &Node,
    ids: Vec<Bson>,
    found: &mut Found,
    write_back: bool,
) -> Result<()> {
    let call = call.on(node.target);
    let mut upgraded = Collected::default();
    for ids in chunks(ids) {
        let filter = doc! { "_id": { "$in": ids } };
        let mut batches = call.find(filter, FindOptions::default()).await?;
        while let Some(target) = batches.next(node.read).await {
            let target = target?;
            if write_back {
                upgraded.add(target.write_back);
            }
            found.insert(target.value.key()?, target.value);
        }
    }
    call.send_write_backs(&mut upgraded).await;
    Ok(())
}

/// Splits ids so that each list fits into a command.
fn chunks(ids: Vec<Bson>) -> Vec<Vec<Bson>> {
    const MOST_BYTES: usize = 8_000_000;
    let mut chunks = Vec::new();
    let (mut chunk, mut size) = (Vec::new(), 0);
    for id in ids {
        size += size_of(&id);
        if size > MOST_BYTES {
            chunks.push(std::mem::take(&mut chunk));
            size = size_of(&id);
        }
        chunk.push(id);
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

/// About how many bytes an id takes in an array.
fn size_of(id: &Bson) -> usize {
    const ELEMENT: usize = 10;
    ELEMENT
        + match id {
            Bson::String(text) => text.len() + 5,
            Bson::Binary(binary) => binary.bytes.len() + 5,
            Bson::Document(document) => document_size(document),
            _ => 16,
        }
}

fn document_size(document: &BsonDocument) -> usize {
    document.iter().map(|(name, value)| name.len() + size_of(value)).sum()
}

/// Puts the targets in. A reference whose target was not found is missing.
fn place(node: &Node, documents: &mut Parents<'_>, found: Found) -> Result<()> {
    let shared: HashMap<_, _> =
        found.into_iter().map(|(key, target)| (key, target.share())).collect();
    let mut failed = Ok(());
    let path = node.segments();
    for document in documents {
        document.visit(&path, &mut |slot| match slot.id() {
            Ok(id) => slot.fill(shared.get(&Key::of(&id))),
            Err(error) => failed = Err(error),
        });
    }
    failed
}
