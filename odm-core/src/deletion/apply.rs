//! Checks, changes and deletes, in an order in which what was begun can be repeated: what a
//! document's rules ask for is done before it is deleted, since it leads to what refers to it.

use bson::{Bson, doc};

use super::closure::{Group, find_referrers};
use super::network::About;
use super::{MOST_KEYS, chunks};
use crate::error::{Error, ErrorKind, Result};
use crate::relation::{Key, OnDelete, plan_unlink};

/// Whether anything forbids the delete: a reference under the rule `restrict`, or a document of a
/// schema version that this program does not know.
pub(super) async fn check(groups: &[Group]) -> Result<()> {
    for group in groups {
        for rule in rules(group, OnDelete::Restrict) {
            check_restricted(groups, group, rule).await?;
        }
    }
    for group in groups {
        // In a transaction the delete itself may refuse.
        if let Some(guard) = group.guard.filter(|_| !group.call.is_in_transaction()) {
            for ids in group.waves(true).flat_map(|ids| chunks(ids, MOST_KEYS)) {
                guard.refuse_newer(&group.call, doc! { "_id": { "$in": ids } }).await?;
            }
        }
    }
    Ok(())
}

fn rules(group: &Group, on_delete: OnDelete) -> impl Iterator<Item = &About> {
    group.about.iter().filter(move |rule| rule.on_delete == on_delete)
}

/// An error if a document refers to one of the group and is not itself to be deleted.
async fn check_restricted(groups: &[Group], group: &Group, rule: &About) -> Result<()> {
    let model = rule.referrer.model;
    let own = groups.iter().find(|other| std::ptr::eq(other.model, model));
    for keys in group.chunks(rule, group.all()) {
        let mut found = find_referrers(group, rule, &keys, doc! { "_id": 1 }).await?;
        while let Some(id) = found.next(|raw| Ok(id_of(raw))).await {
            let id = id?;
            if own.is_some_and(|own| own.is_doomed(&Key::of(&id))) {
                continue;
            }
            let message = format!("it refers to a `{}` that would be deleted", group.model.name);
            let error = Error::new(ErrorKind::Restricted, message);
            let error = error.with_path(rule.held.path()).with_id(Some(id));
            return Err(group.call.on(model).context(error));
        }
    }
    Ok(())
}

fn id_of(raw: &bson::RawDocument) -> Bson {
    raw.get("_id").ok().flatten().and_then(crate::codec::shallow).unwrap_or(Bson::Null)
}

/// Takes the references away that have the rule `unlink`.
pub(super) async fn unlink(groups: &[Group]) -> Result<()> {
    for group in groups {
        for rule in rules(group, OnDelete::Unlink) {
            let call = group.call.on(rule.referrer.model).exactly();
            for keys in group.chunks(rule, group.all()) {
                for write in plan_unlink(&rule.held, &keys, &group.call.target().namespace().db) {
                    let change = write.modification().map_err(|error| call.context(error))?;
                    match rule.referrer.guard {
                        Some(guard) => guard.change_many(&call, write.filter, &change).await?,
                        None => call.update_many(write.filter, &change).await?,
                    };
                }
            }
        }
    }
    Ok(())
}

/// Deletes what is deleted by cascade: last found, first deleted.
pub(super) async fn delete_others(groups: &[Group]) -> Result<()> {
    for (position, group) in groups.iter().enumerate().rev() {
        // What the action itself matches is deleted by the action.
        let first = position > 0;
        for ids in group.waves(first).rev().flat_map(|ids| chunks(ids, MOST_KEYS)) {
            let filter = doc! { "_id": { "$in": ids } };
            match group.guard {
                Some(guard) => guard.delete_many(&group.call, filter).await?,
                None => group.call.delete_many(filter).await?,
            };
        }
    }
    Ok(())
}
