//! The matcher cases of Mongoid: a document, a query, and whether it matches or is an error.
//!
//! Each query is said in typed filters (`query`) and run on a real server. Where no filter can say
//! it, the case must expect an error, and the server must refuse the raw query as well.

mod query;

use std::path::Path;

use bson::{Bson, Document as BsonDocument};
use odm::prelude::*;
use odm_testkit::Kit;

use crate::report::{Outcome, Report};
use crate::yaml::{self, Content, Node, to_bson};
use crate::{Result, files};

pub(crate) fn run(folder: &Path) -> Result<Report> {
    let files = files(folder, "yml")?;
    odm_testkit::run(async |kit| {
        let mut report = Report::new("mongoid-matchers");
        let collection = Database::from(kit.database()).collection_named("cases");
        for (file, text) in &files {
            for case in yaml::items(text)? {
                let name = case.get("name").and_then(Node::text).unwrap_or("without a name");
                let outcome = outcome(&kit, &collection, &case).await?;
                report.add(format!("{file}: {name}"), outcome);
            }
        }
        Ok(report)
    })
}

/// What a case expects of the server.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Expected {
    Matches(bool),
    Error,
}

async fn outcome(kit: &Kit, collection: &Collection<BsonDocument>, case: &Node) -> Result<Outcome> {
    let (Some(document), Some(query)) = (case.get("document"), case.get("query")) else {
        return Ok(Outcome::Failed("is no case".to_owned()));
    };
    let (document, query) = match (to_bson(document), to_bson(query)) {
        (Ok(document), Ok(query)) => (stored(document), query),
        (Err(reason), _) | (_, Err(reason)) => return Ok(Outcome::NotApplicable(reason)),
    };
    let Some(expected) = expected(case) else {
        return Ok(Outcome::Failed("expects nothing".to_owned()));
    };
    let found = match query::filter(&query) {
        Ok(filter) => find(collection, document, filter).await?,
        Err(reason) => match (&query, expected) {
            (_, Expected::Matches(_)) => {
                return Ok(Outcome::Failed(format!("no filter says it: {reason}")));
            }
            (Bson::Document(query), Expected::Error) => refused(kit, query).await,
            // The driver takes documents alone, and so do raw filters.
            (_, Expected::Error) => Expected::Error,
        },
    };
    Ok(match found == expected {
        true => Outcome::Passed,
        false => Outcome::Failed(format!("expected {expected:?}, found {found:?}: {query}")),
    })
}

/// What the model of Mongoid's tests stores: `id` as `_id`, its field of regular expressions as one,
/// and without attributes an empty document.
fn stored(document: Bson) -> BsonDocument {
    let Bson::Document(document) = document else { return BsonDocument::new() };
    let entry = |(name, value): (String, Bson)| match (name.as_str(), value) {
        ("id", value) => ("_id".to_owned(), value),
        ("regexp_field", Bson::String(text)) => {
            let regex = yaml::regex(text.trim_matches('/'), "");
            (name, regex.unwrap_or(Bson::String(text)))
        }
        (_, value) => (name, value),
    };
    document.into_iter().map(entry).collect()
}

/// `error` is `true`, or names which of Mongoid's ways give one; `driver` is the server.
fn expected(case: &Node) -> Option<Expected> {
    let is_error = match case.get("error").map(|error| &error.content) {
        Some(Content::List(ways)) => ways.iter().any(|way| way.text() == Some("driver")),
        Some(Content::Plain(text)) => text == "true",
        _ => false,
    };
    match case.get("matches").and_then(Node::text) {
        _ if is_error => Some(Expected::Error),
        Some("true") => Some(Expected::Matches(true)),
        Some("false") => Some(Expected::Matches(false)),
        _ => None,
    }
}

/// Whether the server finds the document by the filter.
async fn find(
    collection: &Collection<BsonDocument>,
    document: BsonDocument,
    filter: Filter<BsonDocument>,
) -> Result<Expected> {
    collection.delete_many(Filter::new()).all().await?;
    collection.insert_one(document).await?;
    Ok(match collection.find(filter).await {
        Ok(found) => Expected::Matches(!found.is_empty()),
        Err(_) => Expected::Error,
    })
}

/// What the server makes of a query that no filter can say.
async fn refused(kit: &Kit, query: &BsonDocument) -> Expected {
    let found = kit.database().collection::<BsonDocument>("cases").find_one(query.clone()).await;
    match found {
        Ok(found) => Expected::Matches(found.is_some()),
        Err(_) => Expected::Error,
    }
}
