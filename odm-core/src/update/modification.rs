//! What an update is when it is sent: operators with their array filters, or a pipeline.

use std::fmt;

use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;

use super::conflict;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::path::ArrayFilters;

/// An update without its model, as an action sends it.
#[derive(Debug, Clone)]
pub(crate) enum Modification {
    Operators { document: Document, filters: ArrayFilters },
    Pipeline(Vec<Document>),
}

impl Modification {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Operators { document, .. } => document.is_empty(),
            Self::Pipeline(stages) => stages.is_empty(),
        }
    }

    /// Both changes.
    pub(super) fn and(self, other: Self) -> Result<Self> {
        match (self, other) {
            (
                Self::Operators { document: mut joined, mut filters },
                Self::Operators { document, filters: more },
            ) => {
                conflict::check(&joined, &document)?;
                add_operators(&mut joined, document);
                filters.add(more)?;
                Ok(Self::Operators { document: joined, filters })
            }
            (Self::Pipeline(mut stages), Self::Pipeline(more)) => {
                stages.extend(more);
                Ok(Self::Pipeline(stages))
            }
            (Self::Operators { document, filters }, pipeline @ Self::Pipeline(_))
            | (pipeline @ Self::Pipeline(_), Self::Operators { document, filters })
                if document.is_empty() && filters.is_empty() =>
            {
                Ok(pipeline)
            }
            _ => Err(Error::invalid(
                "an update is either made of operators or a pipeline: the server takes no mixture",
            )),
        }
    }

    /// A path to elements of an array, which must exist.
    pub(crate) fn positional_path(&self) -> Option<&str> {
        match self {
            Self::Operators { document, .. } => conflict::paths(document).find(|path| {
                path.split('.').any(|segment| segment == "$" || segment.starts_with("$["))
            }),
            Self::Pipeline(_) => None,
        }
    }

    /// Gives the version of the model to the document that an upsert inserts, or that a pipeline
    /// makes anew.
    pub(crate) fn set_version(&mut self, model: &Model) {
        let Some(version) = &model.version else { return };
        let label = version.label.to_bson();
        match self {
            Self::Operators { document, .. } => {
                add_operators(document, doc! { "$setOnInsert": { version.field: label } });
            }
            // It is applied to documents of this version, and to what is inserted.
            Self::Pipeline(stages) => {
                let stage = doc! { "$set": { version.field: { "$literal": label } } };
                if stages.last() != Some(&stage) {
                    stages.push(stage);
                }
            }
        }
    }

    /// The update and its array filters, as they stand in a command.
    pub(crate) fn to_parts(&self) -> (Bson, Option<Vec<Document>>) {
        match self {
            Self::Operators { document, .. } => (document.clone().into(), self.to_array_filters()),
            Self::Pipeline(stages) => {
                (Bson::Array(stages.iter().cloned().map(Bson::from).collect()), None)
            }
        }
    }

    /// The update as the driver takes it, and its array filters.
    pub(crate) fn into_driver(self) -> (UpdateModifications, Option<Vec<Document>>) {
        let array_filters = self.to_array_filters();
        match self {
            Self::Operators { document, .. } => {
                (UpdateModifications::Document(document), array_filters)
            }
            Self::Pipeline(stages) => (UpdateModifications::Pipeline(stages), None),
        }
    }

    fn to_array_filters(&self) -> Option<Vec<Document>> {
        match self {
            Self::Operators { filters, .. } if !filters.is_empty() => Some(filters.to_documents()),
            _ => None,
        }
    }
}

/// Adds operators that do not conflict.
pub(super) fn add_operators(joined: &mut Document, more: Document) {
    for (operator, changes) in more {
        match (joined.get_mut(&operator), changes) {
            (Some(Bson::Document(there)), Bson::Document(more)) => there.extend(more),
            (_, changes) => drop(joined.insert(operator, changes)),
        }
    }
}

impl Default for Modification {
    fn default() -> Self {
        Self::Operators { document: Document::new(), filters: ArrayFilters::default() }
    }
}

impl fmt::Display for Modification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operators { document, filters } if filters.is_empty() => document.fmt(f),
            Self::Operators { document, filters } => {
                let filters: Vec<_> = filters.to_documents().into_iter().map(Bson::from).collect();
                write!(f, "{document}, array filters {}", Bson::Array(filters))
            }
            Self::Pipeline(stages) => {
                let stages: Vec<_> = stages.iter().cloned().map(Bson::from).collect();
                Bson::Array(stages).fmt(f)
            }
        }
    }
}
