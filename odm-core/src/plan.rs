//! Plans: what the models declare against what the server has, and the steps between.
//!
//! [`Database::plan`](crate::Database::plan) reads the server; the comparison is pure; printing and
//! applying use the same [`Plan`].

mod compare;
mod reference;

use std::fmt;
use std::future::IntoFuture;

use futures::future::BoxFuture;

use crate::driver::Target;
use crate::error::Result;
use crate::index::Spec;
use crate::model::Model;

/// How dangerous a [`Step`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Hazard {
    /// Loses nothing and cannot fail because of stored data.
    Safe,
    /// Fails if stored data does not meet it, and then changes nothing.
    ChecksData,
    /// Removes stored documents: those that have expired, for a TTL index.
    Removes,
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Safe => "safe",
            Self::ChecksData => "checks data first",
            Self::Removes => "removes expired documents",
        })
    }
}

/// One step of a [`Plan`]: an index that is declared and missing.
#[derive(Debug, Clone)]
pub struct Step {
    target: usize,
    namespace: String,
    spec: Spec,
}

impl Step {
    /// The database and collection.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name that the index gets.
    #[must_use]
    pub fn index(&self) -> &str {
        &self.spec.name
    }

    /// How dangerous the step is.
    #[must_use]
    pub fn hazard(&self) -> Hazard {
        match &self.spec.options {
            options if options.contains_key("expireAfterSeconds") => Hazard::Removes,
            options if options.contains_key("unique") => Hazard::ChecksData,
            _ => Hazard::Safe,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "create index {} on `{}` ({})", self.spec, self.namespace, self.hazard())
    }
}

/// An index that exists otherwise than it is declared. Applying a plan leaves it as it is.
#[derive(Debug, Clone)]
pub struct Difference {
    namespace: String,
    declared: Spec,
    existing: Spec,
}

impl Difference {
    /// The database and collection.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name of the index that exists.
    #[must_use]
    pub fn index(&self) -> &str {
        &self.existing.name
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "index on `{}` differs: declared {}, exists as {}",
            self.namespace, self.declared, self.existing
        )
    }
}

/// An index that exists and that no model declares. Applying a plan leaves it as it is.
#[derive(Debug, Clone)]
pub struct Undeclared {
    namespace: String,
    existing: Spec,
}

impl Undeclared {
    /// The database and collection.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name of the index.
    #[must_use]
    pub fn index(&self) -> &str {
        &self.existing.name
    }
}

impl fmt::Display for Undeclared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "index {} on `{}` is not declared", self.existing, self.namespace)
    }
}

/// What is missing on the server and what differs from the models.
///
/// Printing it shows the very steps that [`apply`](Plan::apply) takes. Applying creates what is
/// missing, changes and drops nothing, and sends nothing where the plan is empty.
///
/// ```no_run
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct User { #[serde(rename = "_id")] id: String, #[odm(unique)] email: String }
/// # async fn example(db: Database) -> odm::Result<()> {
/// let plan = db.plan(odm::models![User]).await?;
/// print!("{plan}");
/// let applied = plan.apply().await?;
/// println!("{} indexes created", applied.created.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a plan changes nothing until it is applied"]
pub struct Plan {
    targets: Vec<Target>,
    steps: Vec<Step>,
    differences: Vec<Difference>,
    undeclared: Vec<Undeclared>,
}

/// What [`Plan::apply`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// The names of the indexes that were created, in order.
    pub created: Vec<String>,
}

impl Plan {
    /// The steps, in the order in which they are applied.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The indexes that exist otherwise than they are declared.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// The indexes that exist and are not declared, but for those on `_id`.
    #[must_use]
    pub fn undeclared(&self) -> &[Undeclared] {
        &self.undeclared
    }

    /// Whether there is nothing to apply.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes the steps: creates what is missing. One round trip for each step.
    ///
    /// # Errors
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey) if stored documents have the
    /// same value under a new unique index: that index is not created, those of the steps before
    /// are, and applying a new plan goes on from there.
    pub async fn apply(&self) -> Result<Applied> {
        let mut applied = Applied::default();
        for step in &self.steps {
            self.targets[step.target].create_index(&step.spec).await?;
            applied.created.push(step.spec.name.clone());
        }
        Ok(applied)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))?;
        self.differences.iter().try_for_each(|difference| writeln!(f, "{difference}"))?;
        self.undeclared.iter().try_for_each(|undeclared| writeln!(f, "{undeclared}"))?;
        match self.steps.is_empty() {
            true => writeln!(f, "nothing to apply"),
            false => writeln!(f, "{} to apply", self.steps.len()),
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("steps", &self.steps)
            .field("differences", &self.differences)
            .field("undeclared", &self.undeclared)
            .finish_non_exhaustive()
    }
}

/// Reads the server and compares; see [`Database::plan`](crate::Database::plan).
#[must_use = "a plan does nothing until it is awaited"]
#[derive(Debug)]
pub struct PlanBuilder {
    targets: Vec<Target>,
}

impl PlanBuilder {
    pub(crate) fn new(targets: Vec<Target>) -> Self {
        Self { targets }
    }

    async fn plan(mut self) -> Result<Plan> {
        let models: Vec<_> = self.targets.iter().map(|target| target.model).collect();
        let needed = reference::needed(&models).map_err(|error| error.with_operation("plan"))?;
        for needed in &needed {
            self.add_referring(needed.model);
        }
        let mut plan = Plan {
            targets: self.targets,
            steps: Vec::new(),
            differences: Vec::new(),
            undeclared: Vec::new(),
        };
        for (position, target) in plan.targets.iter().enumerate() {
            let namespace = target.namespace();
            let same = |other: &Target| other.namespace() == namespace;
            // The models of one collection are planned together, at the first of them.
            if plan.targets[..position].iter().any(same) {
                continue;
            }
            let together = || plan.targets.iter().filter(|&other| same(other));
            let declared = compare::declared(together().map(|other| other.model))
                .map_err(|error| error.with_namespace(|| namespace.to_string()))?;
            let is_here = |model| together().any(|other| std::ptr::eq(other.model, model));
            let paths = needed.iter().filter(|needed| is_here(needed.model));
            let paths: Vec<_> = paths.map(|needed| needed.path.as_str()).collect();
            let of_references =
                paths.iter().filter_map(|path| reference::index_on(path, &declared)).collect();
            let is_asked_for = position < models.len();
            let declared = [declared, of_references].concat();
            let mut compared = compare::plan_indexes(declared, target.list_indexes().await?);
            if !is_asked_for {
                // Of a collection that was not asked for, only what is needed by those that were.
                let is_needed =
                    |index: &Spec| paths.iter().any(|path| reference::serves(index, path));
                compared.missing.retain(is_needed);
                compared.different.retain(|(declared, _)| is_needed(declared));
                compared.undeclared.clear();
            }
            let namespace = || namespace.to_string();
            plan.steps.extend(compared.missing.into_iter().map(|spec| Step {
                target: position,
                namespace: namespace(),
                spec,
            }));
            plan.differences.extend(compared.different.into_iter().map(|(declared, existing)| {
                Difference { namespace: namespace(), declared, existing }
            }));
            plan.undeclared.extend(
                compared
                    .undeclared
                    .into_iter()
                    .map(|existing| Undeclared { namespace: namespace(), existing }),
            );
        }
        Ok(plan)
    }

    /// Adds a model whose documents refer to those of the others.
    fn add_referring(&mut self, model: &'static Model) {
        let is_there = self.targets.iter().any(|target| std::ptr::eq(target.model, model));
        if let (false, Some(first)) = (is_there, self.targets.first()) {
            let target = first.of_model(model);
            self.targets.push(target);
        }
    }
}

impl IntoFuture for PlanBuilder {
    type Output = Result<Plan>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.plan())
    }
}
