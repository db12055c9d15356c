//! What is checked once an update meets its filter and its model.

use bson::{Bson, Document};

use super::{Modification, Update, conflict, matched, room};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::path::ArrayFilters;

impl<M> Update<M> {
    /// The update as it is sent with this filter.
    pub(crate) fn checked(self, filter: &Document, model: &Model) -> Result<Modification> {
        let mut modification = self.into_modification()?;
        match &mut modification {
            Modification::Operators { document, filters } => {
                for path in conflict::paths(document) {
                    check_version(path, model)?;
                    check_stamp(path, model)?;
                    matched::check(path, filter, model.shape)?;
                }
                check_identifiers(document, filters)?;
                room::check(document, model)?;
            }
            Modification::Pipeline(stages) => {
                stages.iter().try_for_each(|stage| check_stage(stage, model))?;
                if stages.iter().any(may_lose_fields) {
                    modification.set_version(model);
                }
            }
        }
        Ok(modification)
    }
}

/// So are the revision and the stamps.
fn check_stamp(path: &str, model: &Model) -> Result<()> {
    if model.stamps.is_none() {
        return Ok(());
    }
    let first = path.split('.').next().unwrap_or_default();
    match model.stamps.of_field(first) {
        None => Ok(()),
        Some(what) => {
            let message = format!("this is {what} of the document, which only the library writes");
            Err(Error::invalid(message).with_path(path))
        }
    }
}

/// The version of a document is the library's to write.
fn check_version(path: &str, model: &Model) -> Result<()> {
    match &model.version {
        Some(version) if path.split('.').next() == Some(version.field) => {
            let message = "this is the schema version of the model, which only the library writes";
            Err(Error::invalid(message).with_path(path))
        }
        _ => Ok(()),
    }
}

/// Each identifier has a condition, and each condition is used.
fn check_identifiers(document: &Document, filters: &ArrayFilters) -> Result<()> {
    let used = |identifier: &str| {
        conflict::paths(document).flat_map(identifiers).any(|used| used == identifier)
    };
    if let Some(unused) = filters.identifiers().find(|identifier| !used(identifier)) {
        let message = format!("no path of the update uses the array filter `{unused}`");
        return Err(Error::invalid(message));
    }
    for path in conflict::paths(document) {
        if let Some(unknown) =
            identifiers(path).find(|used| !filters.identifiers().any(|known| known == *used))
        {
            let message = format!("there is no array filter `{unknown}`");
            return Err(Error::invalid(message).with_path(path));
        }
    }
    Ok(())
}

/// `elem` in `comments.$[elem].likes`.
fn identifiers(path: &str) -> impl Iterator<Item = &str> {
    let segments = path.split('.');
    let named = segments.filter_map(|segment| segment.strip_prefix("$[")?.strip_suffix(']'));
    named.filter(|identifier| !identifier.is_empty())
}

/// Whether a stage may leave out the version, which a later stage must then give again.
fn may_lose_fields(stage: &Document) -> bool {
    ["$project", "$replaceWith", "$replaceRoot"].iter().any(|name| stage.contains_key(name))
}

/// A stage of an update pipeline changes neither `_id` nor the version.
fn check_stage(stage: &Document, model: &Model) -> Result<()> {
    for (name, operand) in stage {
        let paths: Vec<&str> = match (name.as_str(), operand) {
            ("$set" | "$addFields", Bson::Document(fields)) => {
                fields.keys().map(String::as_str).collect()
            }
            ("$unset", Bson::String(path)) => vec![path],
            ("$unset", Bson::Array(paths)) => paths.iter().filter_map(Bson::as_str).collect(),
            ("$project", _) if !model.stamps.is_none() => {
                let message = "a `$project` would lose the revision or the stamps: use `unset`";
                return Err(Error::invalid(message));
            }
            ("$project" | "$replaceWith" | "$replaceRoot", _) => Vec::new(),
            (other, _) => {
                return Err(Error::invalid(format!("an update pipeline takes no stage `{other}`")));
            }
        };
        for path in paths {
            check_version(path, model)?;
            check_stamp(path, model)?;
            matched::check_in_pipeline(path, model.shape)?;
            if path.split('.').next() == Some("_id") {
                return Err(Error::invalid("the `_id` of a document never changes").with_path(path));
            }
        }
    }
    Ok(())
}
