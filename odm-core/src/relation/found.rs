//! The targets of one node: collected as they are found, then placed into the parents.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::erased::Visited;
use super::node::{Found, Local, Node, Wants};
use super::{Key, Shared, Slot};
use crate::error::{Error, Result};
use crate::migrate::Collected;

/// What was found so far, each document once.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) targets: Vec<Found>,
    by_key: HashMap<Key, Positions>,
    /// The `_id`s, where other keys than these are joined by.
    seen: HashSet<Key>,
    counts: HashMap<Key, u64>,
    pub(super) upgraded: Collected,
}

/// Where the targets with one key are.
#[derive(Clone)]
enum Positions {
    One(usize),
    Many(Vec<usize>),
}

impl Positions {
    fn as_slice(&self) -> &[usize] {
        match self {
            Self::One(position) => std::slice::from_ref(position),
            Self::Many(positions) => positions,
        }
    }

    fn push(&mut self, position: usize) {
        match self {
            Self::One(first) => *self = Self::Many(vec![*first, position]),
            Self::Many(positions) => positions.push(position),
        }
    }
}

impl Gathered {
    /// Adds a target, unless it is there already. Whether it is an old document that was upgraded.
    pub(super) fn add(&mut self, mut found: Found) -> bool {
        let write_back = found.write_back.take();
        let is_upgraded = write_back.is_some();
        let position = self.targets.len();
        match found.keys.take() {
            None => match self.by_key.entry(found.id.clone()) {
                Entry::Occupied(_) => return is_upgraded,
                Entry::Vacant(place) => drop(place.insert(Positions::One(position))),
            },
            Some(_) if !self.seen.insert(found.id.clone()) => return is_upgraded,
            Some(keys) => keys.into_iter().for_each(|key| match self.by_key.entry(key) {
                Entry::Occupied(mut at) => at.get_mut().push(position),
                Entry::Vacant(place) => drop(place.insert(Positions::One(position))),
            }),
        }
        self.upgraded.add(write_back);
        self.targets.push(found);
        is_upgraded
    }

    pub(super) fn add_count(&mut self, key: Key, count: u64) {
        *self.counts.entry(key).or_default() += count;
    }

    pub(super) fn contains(&self, key: &Key) -> bool {
        self.by_key.contains_key(key) || self.counts.contains_key(key)
    }

    /// Where the targets with this key are, in no order.
    pub(super) fn at(&self, key: &Key) -> &[usize] {
        self.by_key.get(key).map_or(&[], Positions::as_slice)
    }

    /// Shares the targets, so that they can be placed.
    pub(super) fn share(self) -> Placement {
        let Self { targets, mut by_key, counts, .. } = self;
        let mut ranks = Vec::new();
        if targets.iter().any(|target| !target.order.is_empty()) {
            ranks = rank(targets.iter().map(|target| &target.order));
            for positions in by_key.values_mut() {
                if let Positions::Many(positions) = positions {
                    positions.sort_by_key(|&position| ranks[position]);
                }
            }
        }
        let share = |target: Found| target.value.map(|value| value.share());
        let targets = targets.into_iter().map(share).collect();
        Placement { targets, by_key, ranks, counts }
    }
}

/// The place of each in the order of all.
fn rank<O: Ord>(orders: impl Iterator<Item = O>) -> Vec<usize> {
    let mut sorted: Vec<(usize, O)> = orders.enumerate().collect();
    sorted.sort_by(|(_, a), (_, b)| a.cmp(b));
    let mut ranks = vec![0; sorted.len()];
    for (rank, (position, _)) in sorted.into_iter().enumerate() {
        ranks[position] = rank;
    }
    ranks
}

/// Targets that can be placed, in as many parents as refer to them.
#[derive(Default)]
pub(super) struct Placement {
    targets: Vec<Result<Shared>>,
    by_key: HashMap<Key, Positions>,
    /// Empty where the targets have no order.
    ranks: Vec<usize>,
    counts: HashMap<Key, u64>,
}

impl Placement {
    /// Targets that were shared one by one.
    pub(super) fn of(targets: Vec<(Key, Vec<Result<Shared>>)>) -> Self {
        let mut placement = Self::default();
        for (key, of_key) in targets {
            let first = placement.targets.len();
            let positions = (first..first + of_key.len()).collect();
            placement.targets.extend(of_key);
            placement.by_key.insert(key, Positions::Many(positions));
        }
        placement
    }

    pub(super) fn at(&self, key: &Key) -> &[usize] {
        self.by_key.get(key).map_or(&[], Positions::as_slice)
    }

    pub(super) fn count(&self, key: &Key) -> u64 {
        self.counts.get(key).copied().unwrap_or(0)
    }

    fn rank(&self, position: usize) -> usize {
        self.ranks.get(position).copied().unwrap_or(position)
    }

    /// The targets at these positions, and the errors among them.
    fn split(&self, positions: &[usize]) -> (Vec<Shared>, Vec<Error>) {
        let (mut found, mut failed) = (Vec::with_capacity(positions.len()), Vec::new());
        for target in positions.iter().filter_map(|&position| self.targets.get(position)) {
            match target {
                Ok(target) => found.push(target.clone()),
                Err(error) => failed.push(error.clone()),
            }
        }
        (found, failed)
    }

    /// Fills the slots of a parent at the node's path.
    pub(super) fn place(&self, node: &Node, parent: &mut dyn Visited) -> Result<()> {
        match node.local {
            Local::Slots => self.place_in_slots(node, parent),
            Local::Parent(key) => {
                let key = Key::of(&parent.key_at(key)?);
                self.place_around(node, &key, parent)
            }
        }
    }

    /// Fills the slot for what refers back to a parent by this key.
    fn place_around(&self, node: &Node, key: &Key, parent: &mut dyn Visited) -> Result<()> {
        let path = node.segments();
        if node.wants == Wants::Count {
            let count = self.count(key);
            parent.visit(&path, &mut |slot| slot.fill_count(count));
            return Ok(());
        }
        let positions = cut(self.at(key), node.limit);
        let (found, failed) = self.split(positions);
        if let (Some(error), false) = (failed.first(), node.skip_errors) {
            return Err(error.clone());
        }
        parent.visit(&path, &mut |slot| slot.fill(&found, &failed));
        Ok(())
    }

    fn place_in_slots(&self, node: &Node, parent: &mut dyn Visited) -> Result<()> {
        let path = node.segments();
        let allowed = match node.limit {
            Some(limit) => Some(self.first_of(node, parent, &path, limit)?),
            None => None,
        };
        let mut failed = Ok(());
        parent.visit(&path, &mut |slot| {
            if failed.is_ok() && node.is_for(slot) && slot.namespace().is_none() {
                failed = self.fill_one(node, slot, allowed.as_ref());
            }
        });
        failed
    }

    /// Fills the slot of one reference.
    pub(super) fn fill_one(
        &self,
        node: &Node,
        slot: &mut dyn Slot,
        allowed: Option<&HashSet<usize>>,
    ) -> Result<()> {
        let Some(key) = node.key_of(slot)? else { return Ok(()) };
        let position = self.at(&key).first().copied();
        let position = position.filter(|at| allowed.is_none_or(|all| all.contains(at)));
        match position.and_then(|position| self.targets.get(position)) {
            Some(Ok(target)) => slot.fill(std::slice::from_ref(target), &[]),
            Some(Err(error)) if node.skip_errors => slot.fill(&[], std::slice::from_ref(error)),
            Some(Err(error)) => return Err(error.clone()),
            // With a filter or a limit, what was not found may be there.
            None if node.filter.is_some() || node.limit.is_some() => {}
            None => slot.fill(&[], &[]),
        }
        Ok(())
    }

    /// The first targets, by their order, of all to which a parent refers.
    fn first_of(
        &self,
        node: &Node,
        parent: &mut dyn Visited,
        path: &[&str],
        limit: u32,
    ) -> Result<HashSet<usize>> {
        let (mut positions, mut failed) = (HashSet::new(), Ok(()));
        parent.visit(path, &mut |slot| match node.key_of(slot) {
            Ok(Some(key)) if node.is_for(slot) && slot.namespace().is_none() => {
                positions.extend(self.at(&key).first());
            }
            Ok(_) => {}
            Err(error) => failed = Err(error),
        });
        failed?;
        let mut sorted: Vec<_> = positions.into_iter().collect();
        sorted.sort_by_key(|&position| self.rank(position));
        Ok(cut(&sorted, Some(limit)).iter().copied().collect())
    }
}

fn cut(positions: &[usize], limit: Option<u32>) -> &[usize] {
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    &positions[..positions.len().min(limit)]
}
