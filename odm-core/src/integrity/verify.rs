//! Counts what is wrong, and changes nothing.

use std::future::IntoFuture;

use futures::future::BoxFuture;

use super::examine::{call, fields};
use super::{Report, two_way};
use crate::driver::Target;
use crate::error::Result;

/// Counts what is wrong; see [`Database::verify`](crate::Database::verify).
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug)]
pub struct Verify {
    targets: Vec<Target>,
}

impl Verify {
    pub(crate) fn new(targets: Vec<Target>) -> Self {
        Self { targets }
    }

    async fn verify(self) -> Result<Report> {
        let mut report = Report::default();
        for target in &self.targets {
            let (fields, unchecked) = fields(&call(target, "verify")).await?;
            report.unchecked.extend(unchecked);
            for field in fields {
                report.checks.push(field.count().await?);
            }
        }
        let (relations, unchecked) = two_way::relations(&self.targets, "verify");
        report.unchecked.extend(unchecked);
        for relation in relations {
            report.checks.extend(relation.count().await?);
        }
        Ok(report)
    }
}

impl IntoFuture for Verify {
    type Output = Result<Report>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.verify())
    }
}
