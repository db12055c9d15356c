//! Parents that refer to authors: as models, as rows that hold ids, as rows with authors joined.

use std::collections::HashMap;
use std::future::Future;
use std::hint::black_box;
use std::sync::Arc;

use bson::oid::ObjectId;
use odm::prelude::*;
use odm::{LookupStrategy, Ref};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::measure::Tally;
use crate::seed::{Seed, object_id};

/// What the parents refer to.
#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(collection = "authors")]
pub(super) struct Author {
    #[serde(rename = "_id")]
    pub(super) id: ObjectId,
    name: String,
    about: String,
    karma: i32,
}

impl Author {
    pub(super) fn numbered(number: u32) -> Self {
        let mut seed = Seed::new(number);
        let (name, about) = (seed.user(), seed.words(10));
        Self { id: object_id(number), name, about, karma: seed.below(1_000) }
    }
}

/// The sum of the karma, which changes with the order and where an author is missing.
fn weight<'a>(authors: impl IntoIterator<Item = &'a Author>) -> i64 {
    (1..).zip(authors).map(|(place, author)| place * i64::from(black_box(author).karma)).sum()
}

/// A model that refers to authors.
pub(super) trait Parent: odm::Document {
    /// The same document as the bare driver reads it.
    type Row: ParentRow;

    /// Reads parents with their authors, by the library.
    fn look_up(
        parents: Collection<Self>,
        strategy: LookupStrategy,
        limit: u32,
    ) -> impl Future<Output = Result<Tally>> + Send + 'static;
}

/// A parent that holds ids.
pub(super) trait ParentRow:
    Serialize + DeserializeOwned + Send + Sync + Unpin + 'static
{
    /// The stored name of the reference.
    const FIELD: &'static str;
    /// What is found for one row.
    type Authors: Send;
    /// The row with its authors beside it, as `$lookup` gives it.
    type Joined: JoinedRow;

    fn numbered(number: u32, authors: u32) -> Self;
    fn ids(&self) -> &[ObjectId];
    fn place(&self, authors: &HashMap<ObjectId, Arc<Author>>) -> Self::Authors;
    fn weight(authors: &Self::Authors) -> i64;
}

/// A parent with its authors in `joined`.
pub(super) trait JoinedRow: DeserializeOwned + Send + Sync + Unpin + 'static {
    /// Puts the authors into the order of the ids, which `$lookup` does not keep.
    fn place(&mut self);
    fn weight(&self) -> i64;
}

/// A book has one author.
#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(collection = "books")]
pub(super) struct Book {
    #[serde(rename = "_id")]
    id: ObjectId,
    title: String,
    author: Ref<Author>,
}

impl Parent for Book {
    type Row = BookRow;

    async fn look_up(
        books: Collection<Self>,
        strategy: LookupStrategy,
        limit: u32,
    ) -> Result<Tally> {
        let author = Self::fields().author();
        let found =
            books.find(Filter::new()).limit(limit).lookup(author).strategy(strategy).await?;
        let mut tally = Tally::default();
        for book in &found {
            tally.count(weight(book.author.get()));
        }
        Ok(tally)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct BookRow {
    #[serde(rename = "_id")]
    id: ObjectId,
    title: String,
    author: ObjectId,
}

impl ParentRow for BookRow {
    const FIELD: &'static str = "author";
    type Authors = Option<Arc<Author>>;
    type Joined = JoinedBook;

    fn numbered(number: u32, authors: u32) -> Self {
        let title = Seed::new(number).words(5);
        Self { id: object_id(number), title, author: scattered(number, authors) }
    }

    fn ids(&self) -> &[ObjectId] {
        std::slice::from_ref(&self.author)
    }

    fn place(&self, authors: &HashMap<ObjectId, Arc<Author>>) -> Self::Authors {
        authors.get(&self.author).cloned()
    }

    fn weight(author: &Self::Authors) -> i64 {
        weight(author.as_deref())
    }
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read as the rest of the document is")]
pub(super) struct JoinedBook {
    #[serde(rename = "_id")]
    id: ObjectId,
    title: String,
    author: ObjectId,
    joined: Vec<Author>,
}

impl JoinedRow for JoinedBook {
    fn place(&mut self) {}

    fn weight(&self) -> i64 {
        weight(self.joined.first())
    }
}

/// An anthology has several authors.
#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(collection = "anthologies")]
pub(super) struct Anthology {
    #[serde(rename = "_id")]
    id: ObjectId,
    title: String,
    authors: Vec<Ref<Author>>,
}

impl Parent for Anthology {
    type Row = AnthologyRow;

    async fn look_up(
        anthologies: Collection<Self>,
        strategy: LookupStrategy,
        limit: u32,
    ) -> Result<Tally> {
        let authors = Self::fields().authors();
        let found =
            anthologies.find(Filter::new()).limit(limit).lookup(authors).strategy(strategy).await?;
        let mut tally = Tally::default();
        for anthology in &found {
            tally.count(weight(anthology.authors.iter().filter_map(Ref::get)));
        }
        Ok(tally)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct AnthologyRow {
    #[serde(rename = "_id")]
    id: ObjectId,
    title: String,
    authors: Vec<ObjectId>,
}

/// How many authors an anthology has.
const PER_ANTHOLOGY: u32 = 10;

impl ParentRow for AnthologyRow {
    const FIELD: &'static str = "authors";
    type Authors = Vec<Arc<Author>>;
    type Joined = JoinedAnthology;

    fn numbered(number: u32, authors: u32) -> Self {
        let title = Seed::new(number).words(5);
        let places = (0..PER_ANTHOLOGY).map(|place| number * PER_ANTHOLOGY + place);
        let authors = places.map(|place| scattered(place, authors)).collect();
        Self { id: object_id(number), title, authors }
    }

    fn ids(&self) -> &[ObjectId] {
        &self.authors
    }

    fn place(&self, authors: &HashMap<ObjectId, Arc<Author>>) -> Self::Authors {
        self.authors.iter().filter_map(|id| authors.get(id).cloned()).collect()
    }

    fn weight(authors: &Self::Authors) -> i64 {
        weight(authors.iter().map(Arc::as_ref))
    }
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read as the rest of the document is")]
pub(super) struct JoinedAnthology {
    #[serde(rename = "_id")]
    id: ObjectId,
    title: String,
    authors: Vec<ObjectId>,
    joined: Vec<Author>,
}

impl JoinedRow for JoinedAnthology {
    fn place(&mut self) {
        let ids = &self.authors;
        self.joined.sort_by_key(|author| ids.iter().position(|id| *id == author.id));
    }

    fn weight(&self) -> i64 {
        weight(&self.joined)
    }
}

/// The id of one of so many authors; as many parents meet each of them equally often.
fn scattered(number: u32, authors: u32) -> ObjectId {
    // A prime that divides no number of authors used here.
    object_id(number * 7_919 % authors)
}
