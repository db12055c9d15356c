//! The models that the rules about a model lead to. Pure.

use crate::error::{Error, Result};
use crate::migrate::Guard;
use crate::model::Model;
use crate::relation::{Held, OnDelete, Referrer};

/// A rule, seen from the model that it is about.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) referrer: Referrer,
    pub(crate) held: Held,
    pub(crate) on_delete: OnDelete,
}

/// A model of which documents may be deleted, and the rules about it.
pub(super) struct Node {
    pub(super) model: &'static Model,
    pub(super) guard: Option<Guard>,
    pub(super) about: Vec<About>,
}

/// The rules about a model, of all models that it names.
pub(crate) fn rules_about(model: &'static Model) -> Result<Vec<About>> {
    let mut about = Vec::new();
    for referrer in (model.referrers)() {
        let before = about.len();
        for rule in (referrer.model.rules)() {
            if std::ptr::eq(rule.target, model) {
                let held = rule.held(referrer.model)?;
                about.push(About { referrer: referrer.clone(), held, on_delete: rule.on_delete });
            }
        }
        if about.len() == before {
            let message = format!(
                "`{0}` is `referenced_by({1})`, and no reference of `{1}` has an `on_delete` rule \
                 about it: declare the rule, or remove `{1}`",
                model.name, referrer.model.name
            );
            return Err(Error::invalid(message).with_model(model.name));
        }
    }
    Ok(about)
}

/// The model and those that its deletes may reach by cascade, each before those that refer to it.
///
/// # Errors
/// A cycle of cascades over several models, which no order of deletes could be repeated in.
pub(super) fn network(model: &'static Model, guard: Option<Guard>) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    visit(model, guard, &mut Vec::new(), &mut nodes)?;
    nodes.reverse();
    Ok(nodes)
}

/// Whether the deletes of a model can keep the rules about it.
///
/// # Errors
/// As the delete would give them.
pub(crate) fn check_network(model: &'static Model) -> Result<()> {
    network(model, None).map(drop)
}

/// Adds the models that refer to this one, and then the model itself.
fn visit(
    model: &'static Model,
    guard: Option<Guard>,
    on_the_way: &mut Vec<&'static Model>,
    nodes: &mut Vec<Node>,
) -> Result<()> {
    if nodes.iter().any(|node| std::ptr::eq(node.model, model)) {
        return Ok(());
    }
    if let Some(start) = on_the_way.iter().position(|outer| std::ptr::eq(*outer, model)) {
        let around = on_the_way.iter().skip(start).chain([&model]);
        let names: Vec<_> = around.map(|model| format!("`{}`", model.name)).collect();
        let message = format!(
            "the `cascade` rules lead round in a circle, {}: let one of them be `restrict` or \
             `unlink`",
            names.join(" to ")
        );
        return Err(Error::invalid(message).with_model(model.name));
    }
    let about = rules_about(model)?;
    on_the_way.push(model);
    for rule in about.iter().filter(|rule| rule.on_delete == OnDelete::Cascade) {
        // A tree: its documents are visited once each.
        if !std::ptr::eq(rule.referrer.model, model) {
            visit(rule.referrer.model, rule.referrer.guard, on_the_way, nodes)?;
        }
    }
    on_the_way.pop();
    nodes.push(Node { model, guard, about });
    Ok(())
}
