//! Takes dangling references away, where that was asked for and can be done.

use std::fmt;
use std::future::IntoFuture;

use futures::future::BoxFuture;

use super::examine::{Field, call, fields};
use super::report::of_documents;
use super::{Check, Drift, Unchecked, two_way};
use crate::driver::Target;
use crate::error::Result;
use crate::relation::plan_unlink;

/// Mends what is wrong; see [`Database::repair`](crate::Database::repair).
///
/// Without more it changes nothing: awaiting gives a [`RepairReport`] of what is wrong, and of how
/// much of it could be mended. [`unlink`](Repair::unlink) and [`link`](Repair::link) ask for the
/// changes by name.
///
/// It can be stopped at any time and begun anew: what was mended is not found again.
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct Repair {
    targets: Vec<Target>,
    unlink: bool,
    link: bool,
}

impl Repair {
    pub(crate) fn new(targets: Vec<Target>) -> Self {
        Self { targets, unlink: false, link: false }
    }

    /// Takes dangling references away: an optional one is unset, one in a list is pulled from it.
    /// A reference that must be there (`Ref`, an array of fixed length) or is in a map stays, and is
    /// reported.
    ///
    /// Of two-way relations it takes from a list what belongs, by its own single reference, to
    /// another document or to none.
    ///
    /// Whether a target is there is asked again, on the primary, right before its references are
    /// taken away. A target that is inserted between that read and the update that follows it is
    /// not seen: do not insert documents under keys of deleted ones while this runs.
    ///
    /// Round trips for each field: one aggregation, and for each 1,000 keys a read and an update
    /// (two for DBRefs, one more for each key that is a regular expression). Documents of another
    /// schema version are left as they are. Updates of many documents are not retried by the driver.
    pub fn unlink(mut self) -> Self {
        self.unlink = true;
        self
    }

    /// Completes links of two-way relations that one side holds: adds the reference to a list that
    /// lacks it, and sets a single one that is not set. A single reference that leads elsewhere is
    /// never changed.
    pub fn link(mut self) -> Self {
        self.link = true;
        self
    }

    async fn repair(self) -> Result<RepairReport> {
        let mut report = RepairReport::default();
        for target in &self.targets {
            let (fields, unchecked) = fields(&call(target, "repair")).await?;
            report.unchecked.extend(unchecked);
            for field in fields {
                let can_mend = field.held.can_unlink();
                let repaired = match can_mend && self.unlink {
                    true => unlink(&field).await?,
                    false => Repaired::found(field.count().await?, can_mend),
                };
                report.repaired.push(repaired);
            }
        }
        let (relations, unchecked) = two_way::relations(&self.targets, "repair");
        report.unchecked.extend(unchecked);
        for relation in relations {
            report.repaired.extend(relation.repair(self.link, self.unlink).await?);
        }
        Ok(report)
    }
}

async fn unlink(field: &Field) -> Result<Repaired> {
    let (mut count, mut documents, mut examples) = (0, 0, Vec::new());
    let mut keys = field.keys().await?;
    while let Some(chunk) = keys.next_chunk().await? {
        count += chunk.iter().map(|dangling| dangling.references).sum::<u64>();
        let missing = super::counting::EXAMPLES.saturating_sub(examples.len());
        examples.extend(chunk.iter().take(missing).map(|dangling| dangling.holder.clone()));
        let keys: Vec<_> = chunk.into_iter().map(|dangling| dangling.key).collect();
        for write in plan_unlink(&field.held, &keys, &field.database()) {
            let update = write.modification()?;
            let filter = field.current_and(write.filter);
            documents += field.holder.update_many(filter, &update).await?.modified_count;
        }
    }
    Ok(Repaired { check: field.check(count, examples), can_mend: true, documents })
}

impl IntoFuture for Repair {
    type Output = Result<RepairReport>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.repair())
    }
}

/// What a repair found in one field, and did about it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Repaired {
    /// What was found, before anything was changed.
    pub check: Check,
    /// Whether it can be mended by a repair that is asked to.
    pub can_mend: bool,
    /// How many documents were changed.
    pub documents: u64,
}

impl Repaired {
    pub(super) fn found(check: Check, can_mend: bool) -> Self {
        Self { check, can_mend, documents: 0 }
    }
}

/// What a [`Repair`] found and did.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use = "a report is there to be looked at"]
pub struct RepairReport {
    repaired: Vec<Repaired>,
    unchecked: Vec<Unchecked>,
}

impl RepairReport {
    /// What was found in each field, those without any drift among them.
    #[must_use]
    pub fn fields(&self) -> &[Repaired] {
        &self.repaired
    }

    /// How many documents were changed.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.repaired.iter().map(|repaired| repaired.documents).sum()
    }

    /// What is wrong and was not mended, since it cannot be or nobody asked.
    pub fn left(&self) -> impl Iterator<Item = &Repaired> {
        self.repaired.iter().filter(|repaired| repaired.check.count > 0 && repaired.documents == 0)
    }

    /// What was not looked at; see [`Report::unchecked`](super::Report::unchecked).
    #[must_use]
    pub fn unchecked(&self) -> &[Unchecked] {
        &self.unchecked
    }
}

impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.check)?;
        match (self.documents, self.can_mend, self.check.drift) {
            (0, false, Drift::Dangling) => f.write_str(": cannot be taken away"),
            (0, false, Drift::OneSided) => f.write_str(": which side is right is not known"),
            (0, true, _) => f.write_str(": can be mended"),
            (documents, ..) => write!(f, ": mended in {}", of_documents(documents)),
        }
    }
}

impl fmt::Display for RepairReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.repaired.iter().filter(|repaired| repaired.check.count > 0);
        found.into_iter().try_for_each(|repaired| writeln!(f, "{repaired}"))?;
        self.unchecked.iter().try_for_each(|unchecked| writeln!(f, "{unchecked}"))?;
        writeln!(f, "{} changed", of_documents(self.documents()))
    }
}
