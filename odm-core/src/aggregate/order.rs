//! Where a stage may stand: what the server would refuse, found before anything is sent.

use bson::{Bson, Document};

use crate::error::{Error, Result};

/// Stages that must be the first.
const FIRST: &[&str] = &[
    "$changeStream",
    "$collStats",
    "$geoNear",
    "$indexStats",
    "$planCacheStats",
    "$search",
    "$searchMeta",
    "$vectorSearch",
];

/// Stages that must be the last.
const LAST: &[&str] = &["$merge", "$out"];

/// What `$match` does not know, with what does it there.
const FIND_ONLY: [(&str, &str); 3] = [
    ("$where", "use `Filter::expr` with an expression"),
    ("$near", "use `geo_near` as the first stage"),
    ("$nearSphere", "use `geo_near` as the first stage"),
];

/// Checks a whole pipeline.
pub(super) fn check(stages: &[Document]) -> Result<()> {
    for (position, stage) in stages.iter().enumerate() {
        let is_last = position + 1 == stages.len();
        let (Some(name), 1) = (stage.keys().next(), stage.len()) else {
            return Err(Error::invalid("a stage is a document with one field, its operator"));
        };
        if FIRST.contains(&name.as_str()) && position > 0 {
            return Err(misplaced(name, "must be the first stage"));
        }
        if LAST.contains(&name.as_str()) && !is_last {
            return Err(misplaced(name, "must be the last stage"));
        }
        if let ("$match", Ok(filter)) = (name.as_str(), stage.get_document(name)) {
            check_match(filter, position)?;
        }
    }
    Ok(())
}

fn check_match(filter: &Document, position: usize) -> Result<()> {
    for (operator, cure) in FIND_ONLY {
        if has_operator(filter, operator) {
            return Err(misplaced(operator, &format!("is not for aggregations: {cure}")));
        }
    }
    if position > 0 && has_operator(filter, "$text") {
        return Err(misplaced("$text", "must be in the first stage"));
    }
    Ok(())
}

/// Checks the pipeline inside of a stage, which may not write, and for facets not begin anew.
pub(super) fn inner(outer: &str, stages: Result<Vec<Document>>) -> Result<Bson> {
    let stages = stages?;
    for name in stages.iter().flat_map(|stage| stage.keys()) {
        let begins = outer == "$facet" && (FIRST.contains(&name.as_str()) || name == "$facet");
        if begins || LAST.contains(&name.as_str()) {
            return Err(misplaced(name, &format!("cannot be inside of `{outer}`")));
        }
    }
    Ok(Bson::from(stages))
}

/// Whether the operator stands anywhere in the filter. Values are not looked into.
fn has_operator(filter: &Document, operator: &str) -> bool {
    filter.iter().any(|(key, value)| {
        let inner = match (key.as_str(), value) {
            ("$and" | "$or" | "$nor", Bson::Array(parts)) => {
                parts.iter().filter_map(Bson::as_document).any(|part| has_operator(part, operator))
            }
            ("$not" | "$elemMatch", Bson::Document(inner)) => has_operator(inner, operator),
            (path, Bson::Document(inner)) if !path.starts_with('$') => {
                inner.keys().next().is_some_and(|key| key.starts_with('$'))
                    && has_operator(inner, operator)
            }
            _ => false,
        };
        key == operator || inner
    })
}

fn misplaced(name: &str, rule: &str) -> Error {
    Error::invalid(format!("`{name}` {rule}"))
}
