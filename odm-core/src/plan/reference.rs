//! The indexes that references need: those by which rules and inverses find who refers. Pure.

use bson::{Bson, Document, doc};

use crate::deletion::{check_network, rules_about};
use crate::error::Result;
use crate::index::Spec;
use crate::model::Model;
use crate::relation::Held;

/// An index that finds documents by a reference.
#[derive(Debug)]
pub(super) struct Needed {
    /// The model whose documents refer.
    pub(super) model: &'static Model,
    pub(super) path: String,
}

/// What the rules and inverses of the models need, each once.
///
/// # Errors
/// Rules that no delete can keep.
pub(super) fn needed(models: &[&'static Model]) -> Result<Vec<Needed>> {
    let mut needed = Vec::new();
    let mut add = |model, path: &str, is_db_ref: bool, is_bare: bool| {
        let in_db_ref = is_db_ref.then(|| format!("{path}.$id"));
        for path in is_bare.then(|| path.to_owned()).into_iter().chain(in_db_ref) {
            let new = Needed { model, path };
            let is_known =
                |known: &Needed| std::ptr::eq(known.model, new.model) && known.path == new.path;
            if new.path != "_id" && !needed.iter().any(is_known) {
                needed.push(new);
            }
        }
    };
    for &model in models {
        check_network(model)?;
        let mut add_held = |model, held: &Held| {
            add(model, &held.path(), held.reference.is_db_ref, !held.is_one_of_several);
        };
        for rule in (model.rules)() {
            check_network(rule.target)?;
            add_held(model, &rule.held(model)?);
        }
        for rule in rules_about(model)? {
            add_held(rule.referrer.model, &rule.held);
        }
        for inverse in (model.inverses)() {
            add(inverse.model, &inverse.path, inverse.is_db_ref, true);
        }
    }
    Ok(needed)
}

/// The index on a path, unless one of these serves it: one that begins with the path, and leaves out
/// nothing that has a value there.
pub(super) fn index_on(path: &str, declared: &[Spec]) -> Option<Spec> {
    let is_served = declared.iter().any(|index| serves(index, path));
    (!is_served).then(|| Spec::named(doc! { path: 1 }, Document::new()))
}

/// Whether an index finds documents by what they have at a path.
pub(super) fn serves(index: &Spec, path: &str) -> bool {
    let first = index.keys.iter().next();
    first.is_some_and(|(key, direction)| key == path && matches!(direction, Bson::Int64(_)))
        && !index.options.contains_key("hidden")
        && index.options.get_document("partialFilterExpression").map_or(true, has_every_value)
}

/// Whether a partial filter leaves out only documents without a value: that of a unique index.
fn has_every_value(filter: &Document) -> bool {
    filter.values().all(|condition| {
        condition.as_document().is_some_and(|condition| condition.keys().eq(["$gte"]))
    }) && filter.len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_begins_with_the_path_serves_it() {
        let spec = |keys, options| Spec::named(keys, options);
        let serves = |spec: Spec| index_on("a", &[spec]).is_none();
        assert!(serves(spec(doc! { "a": 1 }, doc! {})));
        assert!(serves(spec(doc! { "a": -1, "b": 1 }, doc! {})));
        assert!(serves(spec(doc! { "a": 1 }, doc! { "sparse": true })));
        let values = doc! { "partialFilterExpression": { "a": { "$gte": "" } }, "unique": true };
        assert!(serves(spec(doc! { "a": 1 }, values)));
        assert!(!serves(spec(doc! { "b": 1, "a": 1 }, doc! {})));
        assert!(!serves(spec(doc! { "a": "text" }, doc! {})));
        assert!(!serves(spec(doc! { "a": 1 }, doc! { "hidden": true })));
        let few = doc! { "partialFilterExpression": { "b": { "$gt": 3 } } };
        assert!(!serves(spec(doc! { "a": 1 }, few)));
        let name = index_on("a.$id", &[]).map(|spec| spec.name);
        assert_eq!(name.as_deref(), Some("a.$id_1"));
    }
}
