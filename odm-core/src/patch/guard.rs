//! What must hold of a list for a patch to do what it says: a condition for the server, and the same
//! question to a document in memory.

use bson::{Bson, Document, doc};

use super::document::join;
use super::same;
use crate::error::{Error, ErrorKind};
use crate::model::bounds;

/// What a list that is changed by keys must be.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// The elements that the list is in, from the outermost one on.
    within: Vec<Within>,
    /// The path from the innermost of them.
    list: String,
    expected: Expected,
}

/// One element of a list, by its key.
#[derive(Debug, Clone)]
pub(super) struct Within {
    pub(super) list: String,
    pub(super) name: &'static str,
    pub(super) key: Bson,
}

#[derive(Debug, Clone)]
pub(super) enum Expected {
    /// It has elements with all of these keys.
    Has(&'static str, Vec<Bson>),
    /// It has an element with none of these keys.
    Lacks(&'static str, Vec<Bson>),
    /// It is as it was read.
    Same(Vec<Bson>),
    /// It has room for some more elements below this bound.
    Room { more: usize, max: u32 },
}

impl Guard {
    /// `path` is that of the list as an update has it.
    pub(super) fn new(within: &[Within], path: &str, expected: Expected) -> Self {
        Self { within: within.to_vec(), list: inner(path).to_owned(), expected }
    }

    /// As a condition of a filter.
    pub(crate) fn condition(&self) -> Document {
        let of_list = match &self.expected {
            Expected::Has(name, keys) => doc! { join(&self.list, name): { "$all": keys } },
            Expected::Lacks(name, keys) => doc! { join(&self.list, name): { "$nin": keys } },
            Expected::Same(list) => doc! { &self.list: { "$eq": list } },
            Expected::Room { .. } => {
                doc! { format!("{}.{}", self.list, self.left()): { "$exists": false } }
            }
        };
        self.within.iter().rev().fold(of_list, |condition, Within { list, name, key }| {
            let mut element = doc! { *name: { "$eq": key } };
            element.extend(condition);
            doc! { list: { "$elemMatch": element } }
        })
    }

    /// Whether it holds of a document.
    pub(crate) fn holds(&self, document: &Document) -> bool {
        let found =
            self.within.iter().try_fold(document, |document, Within { list, name, key }| {
                let elements = at(document, list)?.as_array()?;
                elements.iter().filter_map(Bson::as_document).find(|it| has_key(it, name, key))
            });
        let list = found.and_then(|document| at(document, &self.list)).and_then(Bson::as_array);
        let has = |name: &str, key: &Bson| {
            let mut elements = list.into_iter().flatten().filter_map(Bson::as_document);
            elements.any(|element| has_key(element, name, key))
        };
        match &self.expected {
            Expected::Has(name, keys) => keys.iter().all(|key| has(name, key)),
            Expected::Lacks(name, keys) => list.is_some() && !keys.iter().any(|key| has(name, key)),
            Expected::Room { .. } => list.is_some_and(|list| list.len() <= self.left()),
            Expected::Same(read) => list.is_some_and(|list| same::same_elements(list, read)),
        }
    }

    /// How many elements the list may have before others come.
    fn left(&self) -> usize {
        match &self.expected {
            Expected::Room { more, max } => (*max as usize).saturating_sub(*more),
            _ => usize::MAX,
        }
    }

    /// The error where it does not.
    pub(crate) fn broken(&self) -> Error {
        let lists = self.within.iter().map(|within| within.list.as_str());
        let path: Vec<_> = lists.chain([self.list.as_str()]).collect();
        let message = match &self.expected {
            Expected::Room { max, .. } => return bounds::exceeded(*max).with_path(path.join(".")),
            Expected::Has(..) => "an element that was changed is not in its list any more",
            Expected::Lacks(..) => "an element with the key of a new one has come into its list",
            Expected::Same(_) => "the list was changed since it was read: read it again",
        };
        Error::new(ErrorKind::Conflict, message).with_path(path.join("."))
    }
}

fn has_key(element: &Document, name: &str, key: &Bson) -> bool {
    element.get(name).is_some_and(|found| same(found, key))
}

/// What is stored at a path that names one place.
fn at<'a>(document: &'a Document, path: &str) -> Option<&'a Bson> {
    let (name, rest) = match path.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (path, None),
    };
    rest.map_or(document.get(name), |rest| below(document.get(name)?, rest))
}

fn below<'a>(value: &'a Bson, path: &str) -> Option<&'a Bson> {
    match value {
        Bson::Document(document) => at(document, path),
        Bson::Array(list) => match path.split_once('.') {
            Some((position, rest)) => below(list.get(position.parse::<usize>().ok()?)?, rest),
            None => list.get(path.parse::<usize>().ok()?),
        },
        _ => None,
    }
}

/// The part of a path that follows the last element with an array filter.
pub(super) fn inner(path: &str) -> &str {
    let mut from = 0;
    let mut end = 0;
    for segment in path.split('.') {
        end += segment.len() + 1;
        if segment.starts_with("$[") {
            from = end;
        }
    }
    path.get(from..).unwrap_or_default()
}
