//! The total order of a find: its sort, and `_id` where that leaves documents equal.

use bson::{Bson, Document, doc};

use super::condition::{self, Position};
use super::token::PageToken;
use crate::error::{Error, Result};
use crate::model::{Field, Kind, Model, Shape};

/// The keys by which pages are sorted; the last one is `_id`.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(super) keys: Vec<Key>,
    /// Tells tokens of other orders apart.
    mark: u64,
}

/// A sort key.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) path: String,
    pub(super) descending: bool,
}

impl Order {
    /// Adds `_id` to a sort, in the direction of its last key, so that one index has them all; what
    /// follows an `_id` never decides and is left out.
    pub(crate) fn plan(sort: Option<&Document>, model: &Model, collection: &str) -> Result<Self> {
        let mut keys = Vec::new();
        for (path, direction) in sort.into_iter().flatten() {
            let descending = match direction {
                Bson::Int32(1) => false,
                Bson::Int32(-1) => true,
                _ => {
                    let message = "pages are sorted by stored values, and this key is computed";
                    return Err(Error::invalid(message).with_path(path));
                }
            };
            refuse_arrays(model.shape, path)?;
            keys.push(Key { path: path.clone(), descending });
            if path == "_id" {
                break;
            }
        }
        if keys.last().is_none_or(|last| last.path != "_id") {
            let descending = keys.last().is_some_and(|last| last.descending);
            keys.push(Key { path: "_id".to_owned(), descending });
        }
        let mark = mark(collection, &keys);
        Ok(Self { keys, mark })
    }

    /// The sort as it is sent, from the end if `backward`.
    pub(crate) fn sort(&self, backward: bool) -> Document {
        let direction = |key: &Key| if key.descending == backward { 1 } else { -1 };
        self.keys.iter().map(|key| (key.path.clone(), direction(key).into())).collect()
    }

    /// The filter of the documents after a token's place, or before it if `backward`.
    pub(crate) fn beyond(&self, token: &PageToken, backward: bool) -> Result<Document> {
        if token.mark != self.mark || token.values.len() != self.keys.len() {
            return Err(Error::invalid("the page token is of another collection or sort"));
        }
        let positions = self.keys.iter().zip(&token.values).map(|(key, value)| Position {
            path: &key.path,
            value,
            descending: key.descending != backward,
        });
        Ok(condition::beyond(&positions.collect::<Vec<_>>(), token.inclusive))
    }

    /// The token of a place.
    pub(crate) fn token(&self, values: Vec<Bson>) -> Result<PageToken> {
        PageToken::new(self.mark, false, values)
    }

    /// Refuses a collation that is not the collection's, where it could take two `_id` or other
    /// strings for equal.
    pub(crate) fn check_collation(&self, locale: &str, model: &Model) -> Result<()> {
        let may_be_text = |key: &&Key| {
            let kind = field(model.shape, &key.path).map_or(Kind::Any, |field| field.kind);
            matches!(kind, Kind::String | Kind::Document | Kind::Any)
        };
        match self.keys.iter().find(may_be_text) {
            // The simple collation takes no two strings for equal.
            Some(key) if locale != "simple" => Err(Error::invalid(
                "strings cannot be paged under a collation that is not the collection's own: it may \
                 take different `_id`s for equal, and leave them out",
            )
            .with_path(&key.path)),
            _ => Ok(()),
        }
    }

    /// Adds what the keys need to a projection, and returns the names that were added.
    pub(crate) fn project(&self, projection: &mut Document) -> Result<Vec<String>> {
        let mut added = Vec::new();
        for Key { path, .. } in &self.keys {
            let within = |name: &str| is_within(path, name);
            match projection.iter().find(|(name, _)| within(name)) {
                Some((_, included)) if is_included(included) => continue,
                Some((name, excluded)) if name == "_id" && is_excluded(excluded) => {}
                Some((name, _)) => {
                    let message = format!("the projection computes `{name}`, which the sort needs");
                    return Err(Error::invalid(message).with_path(path));
                }
                None => {}
            }
            let inner: Vec<_> =
                projection.keys().filter(|name| is_within(name, path)).cloned().collect();
            let top = path.split('.').next().unwrap_or(path);
            let has_top =
                projection.iter().any(|(name, value)| is_within(name, top) && !is_excluded(value));
            inner.iter().for_each(|name| drop(projection.remove(name)));
            projection.insert(path, 1);
            if !has_top {
                added.push(top.to_owned());
            }
        }
        Ok(added)
    }
}

/// Whether a path is another one or lies below it.
fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn is_included(value: &Bson) -> bool {
    matches!(value, Bson::Int32(1) | Bson::Boolean(true))
}

fn is_excluded(value: &Bson) -> bool {
    matches!(value, Bson::Int32(0) | Bson::Boolean(false))
}

/// Refuses a path that is declared as an array, or goes through one.
fn refuse_arrays(shape: &'static Shape, path: &str) -> Result<()> {
    let mut shape = Some(shape);
    for name in path.split('.') {
        let Some(field) = shape.and_then(|shape| shape.field(name)) else { break };
        if field.kind == Kind::Array {
            let message = format!(
                "`{name}` is an array: it has several places in the order, and pages need one"
            );
            return Err(Error::invalid(message).with_path(path));
        }
        shape = (field.shape)();
    }
    Ok(())
}

/// The declared field at a path.
fn field(shape: &'static Shape, path: &str) -> Option<&'static Field> {
    let (outer, name) = match path.rsplit_once('.') {
        Some((outer, name)) => ((field(shape, outer)?.shape)()?, name),
        None => (shape, path),
    };
    outer.field(name)
}

/// A number that is the same for the same collection and keys, in every program.
fn mark(collection: &str, keys: &[Key]) -> u64 {
    let sort: Document = keys.iter().map(|key| (key.path.clone(), key.descending.into())).collect();
    super::token::digest(doc! { "collection": collection, "sort": sort }.to_string().as_bytes())
}

#[cfg(test)]
mod tests;
