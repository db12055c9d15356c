//! Listing and creating indexes, by raw documents: the driver's typed form drops what it does not
//! know.

use std::time::Instant;

use bson::doc;
use futures::StreamExt;

use super::Target;
use super::failure::Failure;
use crate::error::Result;
use crate::index::Spec;

const NAMESPACE_NOT_FOUND: i32 = 26;

impl Target {
    /// The indexes that the collection has; none if there is no collection. One round trip.
    pub(crate) async fn list_indexes(&self) -> Result<Vec<Spec>> {
        let started = Instant::now();
        let error = |error| Failure::of(self, "plan", started).error(error);
        let listed = self.collection().list_indexes().batch().await.map_err(error);
        let mut batches = match listed {
            Err(error) if error.code() == Some(NAMESPACE_NOT_FOUND) => return Ok(Vec::new()),
            listed => listed?,
        };
        let mut specs = Vec::new();
        while let Some(batch) = batches.next().await {
            let batch = batch.map_err(error)?;
            for listed in batch.doc_slices().map_err(error)? {
                let listed = listed.map_err(|e| error(e.into()))?;
                specs.extend(listed.as_document().map(Spec::read).transpose()?);
            }
        }
        Ok(specs)
    }

    /// Creates one index, alone, so that its failure is its own. One round trip.
    pub(crate) async fn create_index(&self, spec: &Spec) -> Result<()> {
        let started = Instant::now();
        let name = self.collection().name();
        let command = doc! { "createIndexes": name, "indexes": [spec.to_command()] };
        self.database()
            .run_command(command)
            .await
            .map(drop)
            .map_err(|error| Failure::of(self, "apply", started).error(error))
    }
}
