//! The documents that a delete takes with it: those that match, those that refer to them under the
//! rule `cascade`, and so on.
//!
//! Only keys are read. Each document is taken once, so that documents which refer to each other in a
//! circle come to an end.

use std::collections::HashSet;
use std::ops::Range;

use bson::{Bson, Document as BsonDocument, RawDocument, doc};

use super::network::{About, Node};
use super::{Deletion, MOST_DB_REFS, MOST_KEYS, chunks};
use crate::codec;
use crate::driver::{Batches, Call, FindOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::migrate::{Guard, is_current};
use crate::model::Model;
use crate::relation::{Key, OnDelete, plan_find};

/// The documents of one model that are to be deleted, in the order in which they were found.
pub(super) struct Group {
    pub(super) model: &'static Model,
    pub(super) call: Call,
    pub(super) guard: Option<Guard>,
    pub(super) about: Vec<About>,
    /// The keys by which others refer to them; the `_id` is the first.
    names: Vec<&'static str>,
    /// The values of these keys.
    rows: Vec<Vec<Bson>>,
    seen: HashSet<Key>,
    /// Where each wave ends: the documents of one were found by those of the wave before.
    waves: Vec<usize>,
}

/// Finds what is to be deleted. The groups are in the order of the nodes, that of the action first;
/// there are none where nothing matches.
pub(super) async fn gather<R>(
    call: &Call,
    nodes: &[Node],
    deletion: &Deletion<'_, R>,
) -> Result<Vec<Group>> {
    let mut groups: Vec<_> = nodes.iter().map(|node| Group::new(call, node)).collect();
    let Some(first) = groups.first_mut() else { return Ok(groups) };
    first.read_matching(call, deletion).await?;
    if first.rows.is_empty() {
        return Ok(Vec::new());
    }
    for position in 0..groups.len() {
        let (before, rest) = groups.split_at_mut(position);
        let Some((group, after)) = rest.split_first_mut() else { continue };
        debug_assert!(before.iter().all(|other| !std::ptr::eq(other.model, group.model)));
        group.check_versions().await?;
        group.grow().await?;
        let cascades = group.about.iter().filter(|rule| rule.on_delete == OnDelete::Cascade);
        for rule in cascades {
            let same = |other: &&mut Group| std::ptr::eq(other.model, rule.referrer.model);
            if let Some(other) = after.iter_mut().find(same) {
                other.add_referrers(group, rule, 0..group.rows.len()).await?;
            }
        }
    }
    Ok(groups)
}

impl Group {
    fn new(call: &Call, node: &Node) -> Self {
        let mut names = vec!["_id"];
        for rule in &node.about {
            if !names.contains(&rule.held.reference.key) {
                names.push(rule.held.reference.key);
            }
        }
        Self {
            model: node.model,
            call: call.on(node.model),
            guard: node.guard,
            about: node.about.clone(),
            names,
            rows: Vec::new(),
            seen: HashSet::new(),
            waves: Vec::new(),
        }
    }

    /// The `_id`s of the documents that the action itself deletes.
    pub(super) fn matched(&self) -> Vec<Bson> {
        self.keys("_id", 0..self.waves.first().copied().unwrap_or_default())
    }

    /// The `_id`s of each wave, the first left out where `first` is not set.
    pub(super) fn waves(&self, first: bool) -> impl DoubleEndedIterator<Item = Vec<Bson>> {
        let starts = [0].into_iter().chain(self.waves.iter().copied());
        let ranges: Vec<_> = starts.zip(self.waves.iter().copied()).collect();
        let skip = usize::from(!first);
        ranges.into_iter().skip(skip).map(|(start, end)| self.keys("_id", start..end))
    }

    pub(super) fn all(&self) -> Range<usize> {
        0..self.rows.len()
    }

    pub(super) fn is_doomed(&self, id: &Key) -> bool {
        self.seen.contains(id)
    }

    /// The chunks of the keys by which the references of a rule lead to these documents.
    pub(super) fn chunks(&self, rule: &About, range: Range<usize>) -> Vec<Vec<Bson>> {
        let most = if rule.held.reference.is_db_ref { MOST_DB_REFS } else { MOST_KEYS };
        chunks(self.keys(rule.held.reference.key, range), most)
    }

    fn keys(&self, name: &str, range: Range<usize>) -> Vec<Bson> {
        let Some(position) = self.names.iter().position(|known| *known == name) else {
            return Vec::new();
        };
        let rows = self.rows.get(range).unwrap_or_default();
        let values = rows.iter().filter_map(|row| row.get(position));
        values.filter(|value| **value != Bson::Null).cloned().collect()
    }

    fn projection(&self) -> BsonDocument {
        let version = self.model.version.iter().map(|version| version.field);
        // An `_id` is the same in each version.
        let version = version.filter(|_| self.names.len() > 1);
        let names = self.names.iter().copied().chain(version);
        names.map(|name| (name.to_owned(), Bson::Int32(1))).collect()
    }

    async fn read_matching<R>(&mut self, call: &Call, deletion: &Deletion<'_, R>) -> Result<()> {
        let options = FindOptions {
            sort: deletion.sort.cloned(),
            limit: deletion.one.then_some(1),
            projection: Some(self.projection()),
            for_write: true,
            ..FindOptions::default()
        };
        self.add_all(call.find(deletion.filter.clone(), options).await?).await?;
        self.end_wave();
        Ok(())
    }

    /// Adds the documents of the model itself that refer to these, wave after wave.
    async fn grow(&mut self) -> Result<()> {
        if self.waves.is_empty() {
            self.end_wave();
        }
        let own: Vec<_> = self
            .about
            .iter()
            .filter(|rule| rule.on_delete == OnDelete::Cascade)
            .filter(|rule| std::ptr::eq(rule.referrer.model, self.model))
            .cloned()
            .collect();
        let mut start = 0;
        while start < self.rows.len() {
            let wave = start..self.rows.len();
            start = wave.end;
            for rule in &own {
                for keys in self.chunks(rule, wave.clone()) {
                    let found = find_referrers(self, rule, &keys, self.projection()).await?;
                    self.add_all(found).await?;
                }
            }
            if start < self.rows.len() {
                self.end_wave();
            }
        }
        Ok(())
    }

    /// Adds the documents that refer to those of a group.
    async fn add_referrers(&mut self, to: &Self, rule: &About, range: Range<usize>) -> Result<()> {
        for keys in to.chunks(rule, range) {
            let found = find_referrers(to, rule, &keys, self.projection()).await?;
            self.add_all(found).await?;
        }
        Ok(())
    }

    async fn add_all(&mut self, mut found: Batches) -> Result<()> {
        while let Some(row) = found.next(|raw| self.row(raw)).await {
            let row = row?;
            if row.first().is_some_and(|id| self.seen.insert(Key::of(id))) {
                self.rows.push(row);
            }
        }
        Ok(())
    }

    fn row(&self, raw: &RawDocument) -> Result<Vec<Bson>> {
        if self.names.len() > 1 && !is_current(raw, self.model) {
            let message = "the document is of another schema version, and others refer to it by a \
                           key that may be elsewhere in it: read it as the model, which migrates \
                           it, and delete it then";
            let error = Error::new(ErrorKind::OlderVersion, message);
            return Err(codec::of_document(error, raw, self.model));
        }
        let value = |name: &&str| {
            let stored = raw.get(*name).ok().flatten();
            stored.and_then(codec::shallow).unwrap_or(Bson::Null)
        };
        Ok(self.names.iter().map(value).collect())
    }

    fn end_wave(&mut self) {
        self.waves.push(self.rows.len());
    }

    /// Documents of an older schema version may refer by another path, by which no rule finds them.
    async fn check_versions(&self) -> Result<()> {
        for rule in self.about.iter().filter(|_| !self.rows.is_empty()) {
            let (model, path) = (rule.referrer.model, rule.held.path());
            let Some(version) = &model.version else { continue };
            let mut elsewhere = Vec::new();
            let mut older = (model.previous)();
            while let Some(at) = older {
                if !at.shape.has_path(&path) {
                    let label = at.version.as_ref().map(|version| version.label.to_bson());
                    elsewhere.push(label.unwrap_or(Bson::Null));
                }
                older = (at.previous)();
            }
            if elsewhere.is_empty() {
                continue;
            }
            let call = self.call.on(model);
            let filter = doc! { version.field: { "$in": elsewhere } };
            let projection = Some(doc! { "_id": 1 });
            let limit = Some(1);
            let options =
                FindOptions { limit, projection, for_write: true, ..FindOptions::default() };
            let mut found = call.find(filter, options).await?;
            let old = found.next(|raw| {
                let message = format!(
                    "the document is of an older schema version, which has no `{path}`: whether it \
                     refers to what would be deleted is not known before it is migrated"
                );
                let error = Error::new(ErrorKind::OlderVersion, message);
                Ok(codec::of_document(error, raw, model))
            });
            if let Some(error) = old.await {
                return Err(call.context(error?));
            }
        }
        Ok(())
    }
}

/// The documents that refer to some of a group by these keys, under a rule.
pub(super) async fn find_referrers(
    to: &Group,
    rule: &About,
    keys: &[Bson],
    projection: BsonDocument,
) -> Result<Batches> {
    let filters = plan_find(&rule.held, keys, &to.call.target().namespace().db);
    let filters: Vec<_> = filters.into_iter().map(Bson::from).collect();
    let filter = match <[Bson; 1]>::try_from(filters) {
        Ok([Bson::Document(only)]) => only,
        Ok([other]) => doc! { "$or": [other] },
        Err(several) => doc! { "$or": several },
    };
    let options =
        FindOptions { projection: Some(projection), for_write: true, ..FindOptions::default() };
    to.call.on(rule.referrer.model).exactly().find(filter, options).await
}
