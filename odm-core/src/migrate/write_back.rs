//! Write-backs: the change that brings a stored document up to what it was read as.
//!
//! The step from one struct to the next is Rust, so what it read is not known: the change is sent
//! under the condition that every field of the old struct is still as it was, in value and in
//! presence. A concurrent write makes the condition fail, and nothing is lost.

use std::sync::atomic::{AtomicU64, Ordering};

use bson::{Bson, Document as BsonDocument, RawBsonRef, RawDocument, RawDocumentBuf, doc};

use super::chain::Found;
use crate::codec;
use crate::model::{Document, Model, Shape, Version};

/// The change for one document.
#[derive(Debug, Clone)]
pub(crate) struct WriteBack {
    pub(crate) filter: BsonDocument,
    pub(crate) update: BsonDocument,
    size: usize,
}

impl WriteBack {
    /// The change from the stored document to the current value. `None` where no update can make
    /// it without losing something or leaving a document that cannot be read: it then stays as it
    /// is, and is upgraded by each read.
    pub(super) fn plan<T: Document>(raw: &RawDocument, value: &T, found: &Found) -> Option<Self> {
        let version = T::MODEL.version.as_ref()?;
        let current = value.encode().ok()?;
        let id = raw.get("_id").ok()??;
        if !same_bytes(id, current.get("_id").ok()??) {
            return None;
        }
        let old = found.encoded.as_deref()?;
        let change = Change::between(raw, old, &current, found.model.shape, version.field)?;
        if !change.is_readable(raw, T::MODEL.shape, version.field) {
            return None;
        }
        let filter = guard(raw, codec::shallow(id)?, found.model, version, &change.set)?;
        let update = change.into_update(version);
        let size = encoded_size(&filter)? + encoded_size(&update)? + STATEMENT;
        (size <= LARGEST).then_some(Self { filter, update, size })
    }

    /// Whether it changes this field.
    pub(crate) fn changes(&self, name: &str) -> bool {
        let changed = self.update.values().filter_map(Bson::as_document);
        changed.into_iter().any(|fields| fields.contains_key(name))
    }
}

/// A command takes 16 MB; one write-back must fit into it.
const LARGEST: usize = 15_000_000;

/// What a statement takes beside its filter and update.
const STATEMENT: usize = 100;

fn encoded_size(document: &BsonDocument) -> Option<usize> {
    RawDocumentBuf::try_from(document).ok().map(|raw| raw.as_bytes().len())
}

/// What a chain of steps changed in a document's fields.
struct Change {
    set: BsonDocument,
    unset: Vec<String>,
}

impl Change {
    /// What is different from how the old struct writes the document. `None` if a new field would
    /// overwrite a stored one that the old struct did not read, or has a name that no update takes.
    fn between(
        raw: &RawDocument,
        old: &RawDocument,
        current: &RawDocument,
        shape: &Shape,
        version_field: &str,
    ) -> Option<Self> {
        let (read, is_open) = (shape.read_names(), shape.is_open());
        let is_read = |name: &str| is_open || read.contains(&name);
        let mut change = Self { set: BsonDocument::new(), unset: Vec::new() };
        for element in current.iter() {
            let (name, value) = element.ok()?;
            let name = name.as_str();
            let untouched = old.get(name).ok()?.is_some_and(|old| same_bytes(old, value));
            let apart = name == "_id" || name == version_field;
            if apart || (untouched && raw.get(name).ok()?.is_some()) {
                continue;
            }
            if !is_read(name) && raw.get(name).ok()?.is_some() {
                return None;
            }
            change.set.insert(name, Bson::try_from(value).ok()?);
        }
        for element in raw.iter() {
            let (name, _) = element.ok()?;
            let name = name.as_str();
            // What the old struct read and leaves out itself (a null, an empty list) may stay.
            let was_written = is_open || old.get(name).ok()?.is_some() || !shape.has_name(name);
            let apart = name == "_id" || name == version_field;
            if !apart && is_read(name) && was_written && current.get(name).ok()?.is_none() {
                change.unset.push(name.to_owned());
            }
        }
        let plain = |name: &String| !name.contains('.') && !name.starts_with('$');
        let names = change.set.keys().chain(&change.unset);
        names.into_iter().all(plain).then_some(change)
    }

    /// Whether what is left can be read as the current struct: no field twice, by name and by
    /// alias, and none that it refuses.
    fn is_readable(&self, raw: &RawDocument, shape: &Shape, version_field: &str) -> bool {
        let stays = |name: &str| {
            let stored = raw.get(name).is_ok_and(|value| value.is_some());
            stored && !self.unset.iter().any(|unset| unset == name)
        };
        let twice = shape.all_fields().into_iter().any(|field| {
            let named = stays(field.name) || self.set.contains_key(field.name);
            named && field.aliases.iter().any(|alias| stays(alias))
        });
        let refused = shape.strict
            && raw.iter().flatten().any(|(name, _)| {
                let name = name.as_str();
                name != version_field && stays(name) && shape.field(name).is_none()
            });
        !twice && !refused
    }

    fn into_update(mut self, version: &Version) -> BsonDocument {
        self.set.insert(version.field, version.label.to_bson());
        let mut update = doc! { "$set": self.set };
        if !self.unset.is_empty() {
            let unset: BsonDocument =
                self.unset.into_iter().map(|name| (name, Bson::Boolean(true))).collect();
            update.insert("$unset", unset);
        }
        update
    }
}

/// Whether both are the same value in the same type.
fn same_bytes(a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> bool {
    codec::element_bytes(a) == codec::element_bytes(b)
}

/// The document still is as it was read: its version, every field that the old struct reads, and
/// every field that is set.
fn guard(
    raw: &RawDocument,
    id: Bson,
    found: &Model,
    version: &Version,
    set: &BsonDocument,
) -> Option<BsonDocument> {
    let mut filter = doc! { "_id": crate::filter::equal_to(id) };
    filter.insert(
        version.field,
        match raw.get(version.field).ok()? {
            Some(value) => doc! { "$eq": codec::shallow(value)? },
            None => doc! { "$exists": false },
        },
    );
    let mut conditions = Vec::new();
    if found.shape.is_open() {
        // Whatever field is there, a flattened map reads it.
        let whole = BsonDocument::try_from(raw).ok()?;
        conditions.push(doc! { "$eq": ["$$ROOT", { "$literal": whole }] });
    }
    let read = found.shape.read_names();
    let new = set.keys().map(String::as_str).filter(|name| !read.contains(name));
    for name in read.iter().copied().chain(new).filter(|&name| name != "_id") {
        unchanged(name, raw.get(name).ok()?, &mut conditions)?;
    }
    if !conditions.is_empty() {
        filter.insert("$expr", doc! { "$and": conditions });
    }
    Some(filter)
}

/// Conditions that a top-level field is as it was. `$eq` takes numbers of different types for
/// equal, so their types are compared as well.
fn unchanged(
    name: &str,
    value: Option<RawBsonRef<'_>>,
    conditions: &mut Vec<BsonDocument>,
) -> Option<()> {
    let field = match name.starts_with('$') || name.contains('.') {
        true => Bson::from(doc! { "$getField": { "$literal": name } }),
        false => Bson::from(format!("${name}")),
    };
    let mut is_type =
        |alias: &str| conditions.push(doc! { "$eq": [{ "$type": field.clone() }, alias] });
    let Some(value) = value else {
        is_type("missing");
        return Some(());
    };
    let value = Bson::try_from(value).ok()?;
    match &value {
        Bson::Int32(_) => is_type("int"),
        Bson::Int64(_) => is_type("long"),
        Bson::Double(_) => is_type("double"),
        Bson::Decimal128(decimal) => {
            is_type("decimal");
            // 1.50 and 1.5 are equal, and not the same.
            conditions.push(doc! { "$eq": [{ "$toString": field.clone() }, decimal.to_string()] });
        }
        _ => {}
    }
    conditions.push(doc! { "$eq": [field, { "$literal": value }] });
    Some(())
}

/// What became of the write-backs of a collection's reads; see
/// [`Collection::write_backs`](crate::Collection::write_backs).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteBacks {
    /// Documents that were brought up to the current version.
    pub written: u64,
    /// Documents that another write changed meanwhile; the next read upgrades them anew.
    pub lost_race: u64,
    /// Documents that the server refused to change, for a unique index or a validator.
    pub refused: u64,
    /// Documents whose write-back was not sent, or whose outcome is not known: the read was bounded,
    /// or the command failed.
    pub not_sent: u64,
}

/// The counts behind [`WriteBacks`].
#[derive(Debug, Default)]
pub(crate) struct Counters {
    written: AtomicU64,
    lost_race: AtomicU64,
    refused: AtomicU64,
    not_sent: AtomicU64,
}

impl Counters {
    pub(crate) fn add(&self, counts: WriteBacks) {
        self.written.fetch_add(counts.written, Ordering::Relaxed);
        self.lost_race.fetch_add(counts.lost_race, Ordering::Relaxed);
        self.refused.fetch_add(counts.refused, Ordering::Relaxed);
        self.not_sent.fetch_add(counts.not_sent, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> WriteBacks {
        WriteBacks {
            written: self.written.load(Ordering::Relaxed),
            lost_race: self.lost_race.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            not_sent: self.not_sent.load(Ordering::Relaxed),
        }
    }
}

/// The write-backs of one read, bounded so that they fit into one command.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    list: Vec<WriteBack>,
    size: usize,
    left_out: u64,
}

impl Collected {
    pub(crate) fn add(&mut self, write_back: Option<Box<WriteBack>>) {
        const MOST: usize = 10_000;
        let Some(write_back) = write_back else { return };
        if self.list.len() == MOST || self.size + write_back.size > LARGEST {
            self.left_out += 1;
            return;
        }
        self.size += write_back.size;
        self.list.push(*write_back);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.left_out == 0
    }

    /// The write-backs, at most one for each document, and how many were left out.
    pub(crate) fn take(&mut self) -> (Vec<WriteBack>, u64) {
        let mut list = std::mem::take(&mut self.list);
        let mut seen = std::collections::HashSet::new();
        list.retain(|write_back| {
            seen.insert(write_back.filter.get("_id").map(ToString::to_string))
        });
        self.size = 0;
        (list, std::mem::take(&mut self.left_out))
    }
}
