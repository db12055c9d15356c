//! Write-backs: the change that brings a stored document up to what it was read as.
//!
//! The step from one struct to the next is Rust, so what it read is not known: the change is sent
//! under the condition that every field of the old struct is still as it was, in value and in
//! presence. A concurrent write makes the condition fail, and nothing is lost.

use std::sync::atomic::{AtomicU64, Ordering};

use bson::{Bson, Document as BsonDocument, RawBsonRef, RawDocument, doc};

use crate::codec;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, Model, Version};

/// The change for one document.
#[derive(Debug, Clone)]
pub(crate) struct WriteBack {
    pub(crate) filter: BsonDocument,
    pub(crate) update: BsonDocument,
    size: usize,
}

impl WriteBack {
    /// The change from the stored document, read as `found`, to the current value. `None` where
    /// the change cannot be put into an update: the document then stays as it is.
    pub(super) fn plan<T: Document>(
        raw: &RawDocument,
        value: &T,
        found: &'static Model,
    ) -> Result<Option<Self>> {
        let Some(version) = &T::MODEL.version else { return Ok(None) };
        let current = value.encode()?;
        let old_names = old_names(T::MODEL, found);
        let (Some(id), Some(update)) =
            (raw.get("_id").ok().flatten(), change(raw, &current, &old_names))
        else {
            return Ok(None);
        };
        let id = Bson::try_from(id).map_err(malformed)?;
        let filter = guard(raw, id, found, version)?;
        // Both hold the values that they write or compare, and little else.
        let size = 2 * raw.as_bytes().len() + current.as_bytes().len();
        Ok((size <= LARGEST).then_some(Self { filter, update, size }))
    }
}

/// A command takes 16 MB; one write-back must fit into it.
const LARGEST: usize = 15_000_000;

/// The names that the old structs gave to fields, from the one that was found to the one before
/// the current.
fn old_names(current: &'static Model, found: &'static Model) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut model = Some(current);
    while let Some(newer) = model {
        model = (newer.previous)();
        if let Some(old) = model {
            names.extend(old.shape.read_names());
        }
        if model.is_none_or(|old| std::ptr::eq(old, found)) {
            break;
        }
    }
    names
}

/// `$set` of what is new or different, `$unset` of what the old structs had and the new has not.
/// Fields that no struct knows stay.
fn change(raw: &RawDocument, current: &RawDocument, old_names: &[&str]) -> Option<BsonDocument> {
    let (mut set, mut unset) = (BsonDocument::new(), BsonDocument::new());
    for element in current.iter() {
        let (name, value) = element.ok()?;
        let name = name.as_str();
        let same = raw.get(name).ok().flatten().is_some_and(|old| same_bytes(old, value));
        if name != "_id" && !same {
            set.insert(name, Bson::try_from(value).ok()?);
        }
    }
    for &name in old_names {
        let has = |document: &RawDocument| document.get(name).is_ok_and(|value| value.is_some());
        if name != "_id" && has(raw) && !has(current) {
            unset.insert(name, true);
        }
    }
    let plain = |name: &String| !name.contains('.') && !name.starts_with('$');
    if !set.keys().chain(unset.keys()).all(plain) {
        return None;
    }
    let mut update = BsonDocument::new();
    for (operator, fields) in [("$set", set), ("$unset", unset)] {
        if !fields.is_empty() {
            update.insert(operator, fields);
        }
    }
    Some(update)
}

/// Whether both are the same value in the same type.
fn same_bytes(a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> bool {
    codec::element_bytes(a) == codec::element_bytes(b)
}

/// The document still is as it was read: its version, and every field that the old struct reads.
fn guard(raw: &RawDocument, id: Bson, found: &Model, version: &Version) -> Result<BsonDocument> {
    let mut filter = doc! { "_id": crate::filter::equal_to(id) };
    let stored_version = raw.get(version.field).map_err(malformed)?;
    filter.insert(
        version.field,
        match stored_version {
            Some(value) => doc! { "$eq": Bson::try_from(value).map_err(malformed)? },
            None => doc! { "$exists": false },
        },
    );
    let mut conditions = Vec::new();
    if found.shape.is_open() {
        // Whatever field is there, a flattened map reads it.
        let whole = BsonDocument::try_from(raw).map_err(malformed)?;
        conditions.push(doc! { "$eq": ["$$ROOT", { "$literal": whole }] });
    }
    for name in found.shape.read_names().into_iter().filter(|&name| name != "_id") {
        let value = raw.get(name).map_err(malformed)?;
        unchanged(name, value, &mut conditions)?;
    }
    if !conditions.is_empty() {
        filter.insert("$expr", doc! { "$and": conditions });
    }
    Ok(filter)
}

/// Conditions that a top-level field is as it was. `$eq` takes numbers of different types for
/// equal, so their types are compared as well.
fn unchanged(
    name: &str,
    value: Option<RawBsonRef<'_>>,
    conditions: &mut Vec<BsonDocument>,
) -> Result<()> {
    let field = match name.starts_with('$') || name.contains('.') {
        true => Bson::from(doc! { "$getField": { "$literal": name } }),
        false => Bson::from(format!("${name}")),
    };
    let mut is_type =
        |alias: &str| conditions.push(doc! { "$eq": [{ "$type": field.clone() }, alias] });
    let Some(value) = value else {
        is_type("missing");
        return Ok(());
    };
    let value = Bson::try_from(value).map_err(malformed)?;
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
    Ok(())
}

fn malformed(error: bson::error::Error) -> Error {
    Error::new(ErrorKind::Decode, "malformed document").with_source(error)
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
    pub(crate) fn add(&mut self, write_back: Option<WriteBack>) {
        const MOST: usize = 10_000;
        let Some(write_back) = write_back else { return };
        if self.list.len() == MOST || self.size + write_back.size > LARGEST {
            self.left_out += 1;
            return;
        }
        self.size += write_back.size;
        self.list.push(write_back);
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
