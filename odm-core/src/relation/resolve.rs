//! The one placement: finds the slots at a path, gets their targets, puts them in.

use std::collections::HashMap;
use std::sync::Arc;

use bson::Bson;
use futures::future::{BoxFuture, try_join_all};

use super::erased::Visited;
use super::found::{Gathered, Placement};
use super::node::{Local, Node, Wants};
use super::{Joined, Key, Namespace, Slot, fetch, graph};
use crate::driver::Call;
use crate::error::{Error, Result};

/// A document whose relations are resolved, and why one of them could not be.
pub(crate) struct Parent<'a> {
    document: &'a mut (dyn Visited + 'a),
    pub(crate) error: Option<Error>,
}

impl<'a> Parent<'a> {
    pub(crate) fn new(document: &'a mut (dyn Visited + 'a)) -> Self {
        Self { document, error: None }
    }
}

/// Where targets come from.
pub(crate) enum Targets<'a> {
    /// One find for each node, whose old targets may be written back.
    Batches { write_back: bool },
    /// What `$lookup` brought along.
    Joined(&'a mut Joined),
}

/// The keys that are looked for.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) keys: HashMap<Key, Bson>,
    /// Of references that name a collection themselves.
    elsewhere: Vec<(Namespace, HashMap<Key, Bson>)>,
}

/// What was found for one node.
struct Resolved {
    placement: Placement,
    elsewhere: Vec<(Namespace, Placement)>,
}

/// Loads the relations of the parents at the nodes' paths. What went wrong with one parent alone is
/// its own error.
///
/// Round trips by batches: one for each node, however many parents there are, unless their keys
/// exceed the size of a command. Those of one level are sent together; on a session, in turn.
pub(crate) fn resolve<'a>(
    call: &'a Call,
    nodes: &'a [Node],
    parents: &'a mut [Parent<'_>],
    targets: Targets<'a>,
) -> BoxFuture<'a, Result<()>> {
    let wanted: Vec<_> = nodes.iter().map(|node| Wanted::of(node, parents)).collect();
    Box::pin(async move {
        let resolved = match targets {
            Targets::Batches { write_back } => {
                let loads = nodes.iter().zip(wanted).map(|(node, wanted)| {
                    let found = Gathered::default();
                    load(call, node, wanted, found, Targets::Batches { write_back })
                });
                try_join_all(loads).await?
            }
            Targets::Joined(joined) => {
                let mut resolved = Vec::with_capacity(nodes.len());
                for (node, wanted) in nodes.iter().zip(wanted) {
                    let found = joined.take_node(node);
                    let targets = Targets::Joined(joined);
                    resolved.push(load(call, node, wanted, found, targets).await?);
                }
                resolved
            }
        };
        for (node, resolved) in nodes.iter().zip(&resolved) {
            for parent in parents.iter_mut().filter(|parent| parent.error.is_none()) {
                parent.error = resolved.place(node, parent.document).err();
            }
        }
        Ok(())
    })
}

impl Wanted {
    /// The keys of the parents at a node's path. A key that has no BSON form is the parent's error.
    fn of(node: &Node, parents: &mut [Parent<'_>]) -> Self {
        let (mut wanted, path) = (Self::default(), node.segments());
        for parent in parents.iter_mut().filter(|parent| parent.error.is_none()) {
            parent.error = wanted.add(node, &path, parent.document).err();
        }
        wanted
    }

    pub(super) fn add(
        &mut self,
        node: &Node,
        path: &[&str],
        parent: &mut dyn Visited,
    ) -> Result<()> {
        if let Local::Parent(name) = node.local {
            let key = parent.key_at(name)?;
            if key != Bson::Null {
                self.keys.insert(Key::of(&key), key);
            }
            return Ok(());
        }
        let mut failed = Ok(());
        parent.visit(path, &mut |slot| {
            if !node.is_for(slot) {
                return;
            }
            match slot.key() {
                Ok(None | Some(Bson::Null)) => {}
                Ok(Some(key)) => drop(self.keys_in(slot).insert(Key::of(&key), key)),
                Err(error) => failed = Err(error),
            }
        });
        failed
    }

    fn keys_in(&mut self, slot: &dyn Slot) -> &mut HashMap<Key, Bson> {
        let Some(namespace) = slot.namespace() else { return &mut self.keys };
        let known = self.elsewhere.iter().position(|(other, _)| *other == namespace);
        let position = known.unwrap_or_else(|| {
            self.elsewhere.push((namespace, HashMap::new()));
            self.elsewhere.len() - 1
        });
        &mut self.elsewhere[position].1
    }
}

/// Finds the targets of one node that are not there yet, resolves what is inside of them, and
/// shares them.
async fn load(
    call: &Call,
    node: &Node,
    mut wanted: Wanted,
    mut found: Gathered,
    targets: Targets<'_>,
) -> Result<Resolved> {
    let (is_complete, write_back) = match &targets {
        Targets::Batches { write_back } => (false, *write_back),
        // `$lookup` knows nothing of what a document was upgraded to.
        Targets::Joined(joined) => (!joined.has_upgraded(), joined.writes_back()),
    };
    let mut beside = Vec::new();
    for (namespace, keys) in std::mem::take(&mut wanted.elsewhere) {
        let elsewhere = node.seen_by(call.on_namespace(node.target, &namespace));
        let targets = Targets::Batches { write_back };
        let wanted = Wanted { keys, elsewhere: Vec::new() };
        let load = load_beside(&elsewhere, node, wanted, targets).await?;
        beside.push((namespace, load));
    }
    let target = node.seen_by(call.on(node.target));
    if let Wants::Graph { max_depth } = node.wants {
        let graph = graph::Graph { call: &target, node, max_depth, is_complete };
        let placement = graph.load(wanted.keys, found, write_back).await?;
        return Ok(Resolved { placement, elsewhere: beside });
    }
    if !is_complete {
        wanted.keys.retain(|key, _| !found.contains(key));
        fetch::fetch(&target, node, wanted.keys, &mut found).await?;
    }
    let placement = finish(call, &target, node, found, targets, write_back).await?;
    Ok(Resolved { placement, elsewhere: beside })
}

/// Finds the targets in a collection that references name themselves.
fn load_beside<'a>(
    call: &'a Call,
    node: &'a Node,
    wanted: Wanted,
    targets: Targets<'a>,
) -> BoxFuture<'a, Result<Placement>> {
    Box::pin(async move {
        let mut found = Gathered::default();
        fetch::fetch(call, node, wanted.keys, &mut found).await?;
        let write_back = matches!(targets, Targets::Batches { write_back: true });
        finish(call, call, node, found, targets, write_back).await
    })
}

/// Resolves what is inside of the targets, and shares them.
async fn finish(
    call: &Call,
    target: &Call,
    node: &Node,
    mut found: Gathered,
    targets: Targets<'_>,
    write_back: bool,
) -> Result<Placement> {
    if write_back {
        target.send_write_backs(&mut found.upgraded).await;
    }
    for found in &mut found.targets {
        if let Err(error) = &mut found.value {
            *error = target.context(error.clone());
        }
    }
    if !node.children.is_empty() {
        let mut positions = Vec::new();
        let mut parents = Vec::new();
        for (position, found) in found.targets.iter_mut().enumerate() {
            if let Ok(value) = &mut found.value
                && let Some(value) = Arc::get_mut(value)
            {
                positions.push(position);
                parents.push(Parent::new(value));
            }
        }
        resolve(call, &node.children, &mut parents, targets).await?;
        let errors: Vec<_> = parents.into_iter().map(|parent| parent.error).collect();
        for (position, error) in positions.into_iter().zip(errors) {
            if let Some(error) = error {
                found.targets[position].value = Err(error);
            }
        }
    }
    Ok(found.share())
}

impl Resolved {
    fn place(&self, node: &Node, parent: &mut dyn Visited) -> Result<()> {
        self.placement.place(node, parent)?;
        match self.elsewhere.is_empty() {
            true => Ok(()),
            false => self.place_elsewhere(node, parent),
        }
    }

    /// Fills the slots that name a collection themselves.
    fn place_elsewhere(&self, node: &Node, parent: &mut dyn Visited) -> Result<()> {
        let mut failed = Ok(());
        parent.visit(&node.segments(), &mut |slot| {
            let Some(namespace) = slot.namespace().filter(|_| node.is_for(slot)) else { return };
            let at = self.elsewhere.iter().find(|(other, _)| *other == namespace);
            if let (Some((_, placement)), Ok(())) = (at, &failed) {
                failed = placement.fill_one(node, slot, None);
            }
        });
        failed
    }
}
