//! One field of references, and which of them lead nowhere.

use std::collections::HashSet;

use bson::{Bson, Document, doc};
use mongodb::options::ReadPreference;

use super::counting::{EXAMPLES, by_key, count, dangling, number, parsed, read_count};
use super::values::values;
use super::{Check, Drift, Unchecked};
use crate::driver::{Batches, Call, FindOptions, Target, Visible};
use crate::error::Result;
use crate::filter::both;
use crate::migrate::of_current_version;
use crate::model::Model;
use crate::relation::{Held, Key, References, one_of, size_of};

/// A field that holds references, with the collections of both sides.
pub(super) struct Field {
    pub(super) holder: Call,
    pub(super) held: Held,
    target: Call,
}

/// A key that is referred to and was not found.
pub(super) struct Dangling {
    pub(super) key: Bson,
    /// How many references have it.
    pub(super) references: u64,
    /// One document that holds such a reference.
    pub(super) holder: Bson,
}

/// The call of a read or write of one model, on the primary.
pub(super) fn call(target: &Target, operation: &'static str) -> Call {
    let mut call = Call::new(target, operation).seeing(Visible::All);
    let options = call.options();
    options.selection_criteria = Some(ReadPreference::Primary.into());
    options.allow_disk_use = Some(true);
    call
}

/// The fields of a model that hold references, and what of the model cannot be looked at.
pub(super) async fn fields(holder: &Call) -> Result<(Vec<Field>, Vec<Unchecked>)> {
    let model = holder.target().model;
    let References { held, unreachable } = References::of(model);
    let no_path = "no path leads to the references in it";
    let mut unchecked: Vec<_> = unreachable
        .into_iter()
        .map(|path| Unchecked {
            model: model.name,
            path: Some(path),
            documents: 0,
            reason: no_path,
        })
        .collect();
    if let Some(documents) = of_other_versions(holder, None).await?.filter(|count| *count > 0) {
        let reason = "they are of another schema version";
        unchecked.push(Unchecked { model: model.name, path: None, documents, reason });
    }
    let mut fields = Vec::new();
    for held in held {
        let target = holder.on((held.reference.target)()).seeing(Visible::All);
        // A document of another version may have its key elsewhere.
        let has_others = match held.reference.key {
            "_id" => false,
            _ => of_other_versions(&target, Some(1)).await?.is_some_and(|count| count > 0),
        };
        match has_others {
            false => fields.push(Field { holder: holder.clone(), held, target }),
            true => unchecked.push(Unchecked {
                model: model.name,
                path: Some(held.path()),
                documents: 0,
                reason: "it refers by a key that targets of another schema version may have \
                         elsewhere",
            }),
        }
    }
    Ok((fields, unchecked))
}

/// How many documents have another version than the current one; none without versions.
async fn of_other_versions(call: &Call, limit: Option<u64>) -> Result<Option<u64>> {
    let Some(current) = of_current_version(call.target().model) else { return Ok(None) };
    let others = doc! { "$nor": [current] };
    call.count_documents(others, limit, None).await.map(Some)
}

impl Field {
    fn target_model(&self) -> &'static Model {
        (self.held.reference.target)()
    }

    /// The database of the targets.
    pub(super) fn database(&self) -> String {
        self.target.target().namespace().db
    }

    /// The filter on documents whose fields are those of the model, and on more.
    pub(super) fn current_and(&self, filter: Document) -> Document {
        match of_current_version(self.holder.target().model) {
            Some(current) => both(filter, current),
            None => filter,
        }
    }

    /// Counts the references that lead nowhere, and names documents that hold them.
    pub(super) async fn count(&self) -> Result<Check> {
        let (count, examples) = match self.is_joined() {
            true => {
                let mut pipeline = self.dangling();
                pipeline.extend(count());
                read_count(&self.holder, pipeline).await?
            }
            false => {
                let (mut count, mut examples) = (0, Vec::new());
                let mut keys = self.keys().await?;
                while let Some(chunk) = keys.next_chunk().await? {
                    for dangling in chunk {
                        count += dangling.references;
                        if examples.len() < EXAMPLES && !examples.contains(&dangling.holder) {
                            examples.push(dangling.holder);
                        }
                    }
                }
                (count, examples)
            }
        };
        Ok(self.check(count, examples))
    }

    pub(super) fn check(&self, count: u64, examples: Vec<Bson>) -> Check {
        Check {
            model: self.holder.target().model.name,
            path: self.held.path(),
            target: self.target_model().name,
            drift: Drift::Dangling,
            count,
            examples,
        }
    }

    /// Whether the server can join the targets: it does not look into another database.
    fn is_joined(&self) -> bool {
        self.holder.target().is_beside(self.target_model())
    }

    fn values(&self) -> Vec<Document> {
        let current = of_current_version(self.holder.target().model);
        values(&self.held, &self.database(), current, None)
    }

    fn dangling(&self) -> Vec<Document> {
        let mut pipeline = self.values();
        pipeline.extend(dangling(self.target_model().collection, self.held.reference.key));
        pipeline
    }

    /// The keys that lead nowhere, each once.
    pub(super) async fn keys(&self) -> Result<Keys<'_>> {
        let mut pipeline = match self.is_joined() {
            true => self.dangling(),
            false => self.values(),
        };
        pipeline.push(by_key());
        let rows = self.holder.aggregate(pipeline, None).await?;
        Ok(Keys { field: self, rows, ahead: None })
    }

    /// Of these keys, those that still have no document.
    async fn still_missing(&self, keys: Vec<Dangling>) -> Result<Vec<Dangling>> {
        let name = self.held.reference.key;
        let filter = one_of(name, keys.iter().map(|dangling| dangling.key.clone()).collect());
        let projection = Some(doc! { "_id": 1, name: 1 });
        let options = FindOptions { projection, for_write: true, ..FindOptions::default() };
        let mut found = self.target.find(filter, options).await?;
        let mut there = HashSet::new();
        while let Some(key) =
            found.next(|raw| Ok(raw.get(name).ok().flatten().and_then(Key::of_raw))).await
        {
            there.extend(key?);
        }
        Ok(keys.into_iter().filter(|dangling| !there.contains(&Key::of(&dangling.key))).collect())
    }
}

/// Keys without a document, in chunks of bounded size.
pub(super) struct Keys<'a> {
    field: &'a Field,
    rows: Batches,
    ahead: Option<Dangling>,
}

impl Keys<'_> {
    /// The next keys that have no document at this moment; `None` at the end.
    pub(super) async fn next_chunk(&mut self) -> Result<Option<Vec<Dangling>>> {
        const MOST: usize = 1_000;
        const MOST_BYTES: usize = 1_000_000;
        let (mut chunk, mut size) = (Vec::new(), 0);
        while chunk.len() < MOST {
            let Some(next) = self.next().await? else { break };
            let of_key = size_of(&next.key);
            if size + of_key > MOST_BYTES && !chunk.is_empty() {
                self.ahead = Some(next);
                break;
            }
            size += of_key;
            chunk.push(next);
        }
        match chunk.is_empty() {
            true => Ok(None),
            false => self.field.still_missing(chunk).await.map(Some),
        }
    }

    async fn next(&mut self) -> Result<Option<Dangling>> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        let Some(row) = self.rows.next(|raw| Ok(raw.to_owned())).await else { return Ok(None) };
        let mut row = parsed(row?)?;
        let references = number(&row).unwrap_or(0);
        let mut take = |name| row.remove(name).unwrap_or(Bson::Null);
        Ok(Some(Dangling { key: take("_id"), references, holder: take("holder") }))
    }
}
