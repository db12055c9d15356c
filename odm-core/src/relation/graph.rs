//! Graph lookups: a relation of a model to itself, followed again and again.
//!
//! The documents are fetched level by level, or come from one `$graphLookup`; each is kept as it is
//! stored. Then each place that refers to one gets a document of its own depth: documents that are
//! referred to from several places at the same depth are read once, and shared.

use std::collections::HashMap;
use std::sync::Arc;

use bson::Bson;

use super::found::{Gathered, Placement};
use super::node::{Local, Node};
use super::resolve::Wanted;
use super::{Key, Shared, fetch};
use crate::driver::Call;
use crate::error::{Error, Result};

/// One graph lookup, on the collection of its targets.
pub(super) struct Graph<'a> {
    pub(super) call: &'a Call,
    pub(super) node: &'a Node,
    pub(super) max_depth: u8,
    /// Whether `$graphLookup` has found all there is.
    pub(super) is_complete: bool,
}

impl Graph<'_> {
    /// Loads what has these keys, and what is in reach from there.
    pub(super) async fn load(
        &self,
        roots: HashMap<Key, Bson>,
        mut found: Gathered,
        write_back: bool,
    ) -> Result<Placement> {
        let mut keys = roots.clone();
        let mut asked: std::collections::HashSet<Key> = std::collections::HashSet::new();
        for _ in 0..=self.max_depth {
            keys.retain(|key, _| asked.insert(key.clone()));
            if keys.is_empty() {
                break;
            }
            let level: Vec<Key> = keys.keys().cloned().collect();
            if !self.is_complete {
                keys.retain(|key, _| !found.contains(key));
                fetch::fetch(self.call, self.node, keys, &mut found).await?;
            }
            keys = self.next_keys(&level, &mut found);
        }
        if write_back {
            self.call.send_write_backs(&mut found.upgraded).await;
        }
        let mut builder = Builder { graph: self, found: &found, built: HashMap::new() };
        let targets = roots
            .into_keys()
            .map(|key| {
                let documents = builder.documents_of(&key, self.max_depth);
                (key, documents)
            })
            .collect();
        Ok(Placement::of(targets))
    }

    /// The keys by which the documents of a level lead on.
    fn next_keys(&self, level: &[Key], found: &mut Gathered) -> HashMap<Key, Bson> {
        let (mut wanted, path) = (Wanted::default(), self.node.segments());
        let positions: Vec<usize> = level.iter().flat_map(|key| found.at(key).to_vec()).collect();
        for position in positions {
            let Some(target) = found.targets.get_mut(position) else { continue };
            if let Ok(value) = &mut target.value
                && let Some(value) = Arc::get_mut(value)
                && let Err(error) = wanted.add(self.node, &path, value)
            {
                target.value = Err(error);
            }
        }
        wanted.keys
    }
}

/// Makes the documents of each depth.
struct Builder<'a> {
    graph: &'a Graph<'a>,
    found: &'a Gathered,
    /// By position and by how far it goes on from there.
    built: HashMap<(usize, u8), Result<Shared>>,
}

impl Builder<'_> {
    /// The documents with a key, in their order.
    fn documents_of(&mut self, key: &Key, depth: u8) -> Vec<Result<Shared>> {
        let mut positions = self.found.at(key).to_vec();
        positions.sort_by(|&a, &b| self.order(a).cmp(self.order(b)));
        positions.into_iter().map(|position| self.document(position, depth)).collect()
    }

    fn order(&self, position: usize) -> &[super::stored::SortKey] {
        self.found.targets.get(position).map_or(&[], |target| &target.order)
    }

    fn document(&mut self, position: usize, depth: u8) -> Result<Shared> {
        if let Some(built) = self.built.get(&(position, depth)) {
            return built.clone();
        }
        let built = self.build(position, depth).map_err(|error| self.graph.call.context(error));
        self.built.insert((position, depth), built.clone());
        built
    }

    fn build(&mut self, position: usize, depth: u8) -> Result<Shared> {
        let Some(target) = self.found.targets.get(position) else {
            return Err(Error::invalid("a document of the graph is not there"));
        };
        if let Err(error) = &target.value {
            return Err(error.clone());
        }
        let node = self.graph.node;
        let Some(stored) = &target.stored else {
            return Err(Error::invalid("a document of the graph was not kept"));
        };
        let mut read = node.read(stored).value?;
        let (Some(depth), Some(value)) = (depth.checked_sub(1), Arc::get_mut(&mut read)) else {
            return Ok(read.share());
        };
        let path = node.segments();
        let mut keys = Vec::new();
        match node.local {
            Local::Parent(name) => keys.push(Key::of(&value.key_at(name)?)),
            Local::Slots => {
                let mut failed = Ok(());
                value.visit(&path, &mut |slot| match node.key_of(slot) {
                    Ok(key) => keys.extend(key),
                    Err(error) => failed = Err(error),
                });
                failed?;
            }
        }
        let targets = keys
            .into_iter()
            .map(|key| {
                let documents = self.documents_of(&key, depth);
                (key, documents)
            })
            .collect();
        Placement::of(targets).place(node, value)?;
        Ok(read.share())
    }
}
