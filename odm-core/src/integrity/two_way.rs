//! Links of two-way relations that one side holds and the other does not.

use bson::{Bson, Document, doc};

use super::counting::{JOINED, count, join, parsed, read_count};
use super::examine::call;
use super::repair::Repaired;
use super::values::{OWN, values};
use super::{Check, Drift, Unchecked};
use crate::driver::{Call, Target};
use crate::error::Result;
use crate::filter::{both, equal_to};
use crate::migrate::of_current_version;
use crate::relation::{Side, TwoWay};
use crate::update::Modification;

/// One direction of a two-way relation: references of one side, and the other that lacks them.
pub(super) struct Direction {
    holder: Call,
    target: Call,
    relation: TwoWay,
}

/// How a one-sided link is mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cure {
    /// The other side is given the reference: it has room for it.
    Complete,
    /// The reference is taken away: the single reference of the other side says what holds.
    TakeAway,
}

/// The two-way relations that the models declare, in both directions, each once.
pub(super) fn relations(
    targets: &[Target],
    operation: &'static str,
) -> (Vec<Direction>, Vec<Unchecked>) {
    let (mut directions, mut unchecked): (Vec<Direction>, _) = (Vec::new(), Vec::new());
    for target in targets {
        let declared = (target.model.inverses)();
        for inverse in declared.iter().filter(|inverse| inverse.is_stored) {
            let refused = |reason| Unchecked {
                model: target.model.name,
                path: Some(inverse.field.to_owned()),
                documents: 0,
                reason,
            };
            let relation = match TwoWay::of(inverse) {
                Ok(relation) if target.is_beside(relation.far.model) => relation,
                Ok(_) => {
                    unchecked.push(refused("the other side is in another database"));
                    continue;
                }
                Err(_) => {
                    unchecked.push(refused("a two-way relation below a field of the document"));
                    continue;
                }
            };
            let is_known = |known: &Direction| {
                std::ptr::eq(known.relation.near.model, relation.near.model)
                    && known.relation.near.field() == relation.near.field()
            };
            if directions.iter().any(is_known) {
                continue;
            }
            let near = call(target, operation);
            let far = near.on(relation.far.model).seeing(crate::driver::Visible::All);
            let swapped = relation.clone().swapped();
            directions.push(Direction { holder: near.clone(), target: far.clone(), relation });
            directions.push(Direction { holder: far, target: near, relation: swapped });
        }
    }
    (directions, unchecked)
}

impl Direction {
    fn holder_side(&self) -> &Side {
        &self.relation.near
    }

    fn target_side(&self) -> &Side {
        &self.relation.far
    }

    /// The rows of links that the target's side lacks.
    fn one_sided(&self) -> Vec<Document> {
        let (holder, target) = (self.holder_side(), self.target_side());
        let database = |call: &Call| call.target().namespace().db;
        let current = of_current_version(holder.model);
        let own = self.relation.near_key();
        let mut pipeline = values(&holder.held, &database(&self.target), current, Some(own));
        pipeline.push(join(target.model.collection, self.relation.far_key()));
        pipeline.push(doc! { "$unwind": format!("${JOINED}") });
        if let Some(current) = of_current_version(target.model) {
            let joined = current.into_iter().map(|(name, v)| (format!("{JOINED}.{name}"), v));
            pipeline.push(doc! { "$match": joined.collect::<Document>() });
        }
        let back = format!("${JOINED}.{}", target.field());
        let back = target.ids(&back, &database(&self.holder));
        let own = format!("${OWN}");
        pipeline.push(doc! { "$match": {
            OWN: { "$ne": Bson::Null },
            "$expr": { "$not": [{ "$in": [own, back] }] },
        } });
        pipeline
    }

    pub(super) async fn count(&self) -> Result<Option<Check>> {
        let mut pipeline = self.one_sided();
        pipeline.extend(count());
        let (count, examples) = read_count(&self.holder, pipeline).await?;
        Ok(Some(Check {
            model: self.holder_side().model.name,
            path: self.holder_side().held.path(),
            target: self.target_side().model.name,
            drift: Drift::OneSided,
            count,
            examples,
        }))
    }

    fn cure(&self) -> Cure {
        match (self.holder_side().is_single(), self.target_side().is_single()) {
            (false, true) => Cure::TakeAway,
            _ => Cure::Complete,
        }
    }

    /// Mends what was asked for.
    pub(super) async fn repair(&self, link: bool, unlink: bool) -> Result<Option<Repaired>> {
        let Some(check) = self.count().await? else { return Ok(None) };
        let cure = self.cure();
        let mut repaired = Repaired::found(check, true);
        let is_asked = match cure {
            Cure::Complete => link,
            Cure::TakeAway => unlink,
        };
        if !is_asked || repaired.check.count == 0 {
            return Ok(Some(repaired));
        }
        let mut rows = self.holder.aggregate(self.one_sided(), None).await?;
        while let Some(row) = rows.next(|raw| Ok(raw.to_owned())).await {
            let row = parsed(row?)?;
            let value = |name: &str| row.get(name).cloned().unwrap_or(Bson::Null);
            let (id, own, key) = (value("_id"), value(OWN), value(super::values::VALUE));
            repaired.documents += match cure {
                Cure::Complete => self.complete(&id, &own, &key).await?,
                Cure::TakeAway => self.take_away(&id, &own, &key).await?,
            };
        }
        // What a single reference that leads elsewhere stands against is for people to decide.
        repaired.can_mend = repaired.documents > 0;
        Ok(Some(repaired))
    }

    /// Gives the target the reference, if the holder still has its own.
    async fn complete(&self, id: &Bson, own: &Bson, key: &Bson) -> Result<u64> {
        let (holder, target) = (self.holder_side(), self.target_side());
        let still = self.current(
            holder,
            both(doc! { "_id": equal_to(id.clone()) }, holder.holds(key, &self.database())),
        );
        if self.holder.count_documents(still, Some(1), None).await? == 0 {
            return Ok(0);
        }
        let mut filter = doc! { self.relation.far_key(): equal_to(key.clone()) };
        if target.is_single() {
            filter = both(filter, doc! { target.field(): Bson::Null });
        }
        let stages = target.put(own, &self.holder.target().namespace().db);
        let update = Modification::Pipeline(stages);
        let done = self.target.update_many(self.current(target, filter), &update).await?;
        Ok(done.modified_count)
    }

    /// Takes the reference from the holder, if the target still does not refer to it.
    async fn take_away(&self, id: &Bson, own: &Bson, key: &Bson) -> Result<u64> {
        let (holder, target) = (self.holder_side(), self.target_side());
        let database = self.holder.target().namespace().db;
        let refers = doc! { self.relation.far_key(): equal_to(key.clone()) };
        let refers = both(refers, target.holds(own, &database));
        if self.target.count_documents(refers, Some(1), None).await? > 0 {
            return Ok(0);
        }
        let mut changed = 0;
        for write in holder.take(key, &self.database()) {
            let update = write.modification()?;
            let filter = both(doc! { "_id": equal_to(id.clone()) }, write.filter);
            let filter = self.current(holder, filter);
            changed += self.holder.update_many(filter, &update).await?.modified_count;
        }
        Ok(changed)
    }

    /// The database of the targets.
    fn database(&self) -> String {
        self.target.target().namespace().db
    }

    fn current(&self, side: &Side, filter: Document) -> Document {
        match of_current_version(side.model) {
            Some(current) => both(filter, current),
            None => filter,
        }
    }
}
