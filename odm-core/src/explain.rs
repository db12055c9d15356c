//! What the server says of how it ran an action: the indexes used, keys and documents examined.

use std::collections::BTreeSet;
use std::fmt;

use bson::{Bson, Document};

/// The server's explanation of an action, with the figures of running it.
///
/// From `.explain()` of a find, page, aggregation, update or delete. Nothing was changed. Displayed, it
/// is one line; [`document`](Explain::document) is all that the server said.
///
/// Source: [explain results](https://www.mongodb.com/docs/manual/reference/explain-results/).
///
/// ```no_run
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32, #[odm(index)] votes: i32 }
/// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
/// let explain = posts.find(Post::fields().votes().gt(3)).explain().await?;
/// println!("{explain}"); // IXSCAN votes_1, FETCH: 5 keys and 5 documents examined, 5 returned
/// assert!(!explain.is_collection_scan());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Explain {
    document: Document,
    stages: Vec<String>,
    indexes: BTreeSet<String>,
    keys_examined: u64,
    documents_examined: u64,
    returned: u64,
}

impl Explain {
    pub(crate) fn new(document: Document) -> Self {
        let mut read = Self {
            document: Document::new(),
            stages: Vec::new(),
            indexes: BTreeSet::new(),
            keys_examined: 0,
            documents_examined: 0,
            returned: 0,
        };
        read.read(&document);
        read.document = document;
        read
    }

    /// All that the server said.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The stages of the plan that won, innermost first: `IXSCAN`, `FETCH`, `SORT` and so on.
    #[must_use]
    pub fn stages(&self) -> &[String] {
        &self.stages
    }

    /// The names of the indexes that the plan uses, in their order; none for a collection scan.
    pub fn indexes(&self) -> impl Iterator<Item = &str> {
        self.indexes.iter().map(String::as_str)
    }

    /// Whether all documents of the collection are looked through.
    #[must_use]
    pub fn is_collection_scan(&self) -> bool {
        self.stages.iter().any(|stage| stage == "COLLSCAN")
    }

    /// Whether the index alone answers: documents were returned and none was examined.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        self.returned > 0 && self.documents_examined == 0
    }

    /// How many index keys were examined, on all shards together.
    #[must_use]
    pub fn keys_examined(&self) -> u64 {
        self.keys_examined
    }

    /// How many documents were examined, on all shards together.
    #[must_use]
    pub fn documents_examined(&self) -> u64 {
        self.documents_examined
    }

    /// How many documents were found; of an aggregation, those that enter the first stage that
    /// the server runs apart from the query.
    #[must_use]
    pub fn returned(&self) -> u64 {
        self.returned
    }

    /// Looks for plans and figures, which lie elsewhere in each kind of explanation.
    fn read(&mut self, document: &Document) {
        for (key, value) in document {
            match (key.as_str(), value) {
                ("winningPlan", Bson::Document(plan)) => self.read_plan(plan),
                ("executionStats", Bson::Document(stats)) => self.read_stats(stats),
                // What was not chosen, what was asked, and the pipeline within a plan's statistics.
                ("rejectedPlans" | "command" | "serverInfo" | "serverParameters", _) => {}
                ("indexesUsed", Bson::Array(names)) => {
                    self.indexes.extend(names.iter().filter_map(Bson::as_str).map(str::to_owned));
                    self.add_examined(document);
                }
                (_, Bson::Document(inner)) => self.read(inner),
                (_, Bson::Array(items)) => {
                    items.iter().filter_map(Bson::as_document).for_each(|item| self.read(item));
                }
                _ => {}
            }
        }
    }

    fn read_plan(&mut self, plan: &Document) {
        for (key, value) in plan {
            match (key.as_str(), value) {
                ("slotBasedPlan", _) => {}
                (_, Bson::Document(inner)) if is_plan(inner) => self.read_plan(inner),
                (_, Bson::Array(items)) => {
                    let inner = items.iter().filter_map(Bson::as_document);
                    inner.filter(|inner| is_plan(inner)).for_each(|inner| self.read_plan(inner));
                }
                _ => {}
            }
        }
        if let Ok(index) = plan.get_str("indexName") {
            self.indexes.insert(index.to_owned());
        }
        if let Ok(stage) = plan.get_str("stage") {
            self.stages.push(stage.to_owned());
        }
    }

    fn read_stats(&mut self, stats: &Document) {
        self.add_examined(stats);
        self.returned += number(stats, "nReturned");
    }

    fn add_examined(&mut self, stats: &Document) {
        self.keys_examined += number(stats, "totalKeysExamined");
        self.documents_examined += number(stats, "totalDocsExamined");
    }
}

/// Whether it is a part of a plan: a stage, what the stages of a newer server lie in, or a shard's.
fn is_plan(document: &Document) -> bool {
    ["stage", "queryPlan", "winningPlan"].iter().any(|key| document.contains_key(key))
}

fn number(document: &Document, key: &str) -> u64 {
    let number = match document.get(key) {
        Some(Bson::Int32(number)) => u64::try_from(*number).ok(),
        Some(Bson::Int64(number)) => u64::try_from(*number).ok(),
        _ => None,
    };
    number.unwrap_or_default()
}

impl fmt::Display for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut indexes = self.indexes();
        for (position, stage) in self.stages.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{stage}")?;
            if stage == "IXSCAN"
                && let Some(index) = indexes.next()
            {
                write!(f, " {index}")?;
            }
        }
        write!(
            f,
            ": {} keys and {} documents examined, {} returned",
            self.keys_examined, self.documents_examined, self.returned
        )
    }
}
