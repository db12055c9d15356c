//! The actions of a [`Collection`](crate::Collection): one of the driver's verbs a file.
//!
//! An action is a builder that is awaited. It holds what was encoded and an untyped call; awaiting
//! it returns the first error of its arguments before anything is sent.

#[macro_use]
mod options;
#[macro_use]
mod upsert;

mod aggregate;
mod count_documents;
mod delete;
mod distinct;
mod estimated_document_count;
mod exists;
mod find;
mod find_one;
mod find_one_and;
mod find_one_and_delete;
mod find_one_and_replace;
mod find_one_and_update;
mod insert_many;
mod insert_one;
mod link;
mod replace_one;
mod restore;
mod room;
mod save;
mod update;

pub use aggregate::Aggregate;
pub use count_documents::CountDocuments;
pub use delete::{DeleteMany, DeleteOne};
pub use distinct::{Distinct, OneValue, Value, ValueOf};
pub use estimated_document_count::EstimatedDocumentCount;
pub use exists::Exists;
pub use find::{DocumentStream, Find, FindPage};
pub use find_one::FindOne;
pub use find_one_and_delete::FindOneAndDelete;
pub use find_one_and_replace::FindOneAndReplace;
pub use find_one_and_update::FindOneAndUpdate;
pub use insert_many::InsertMany;
pub use insert_one::InsertOne;
pub use link::{Link, Linked};
pub use replace_one::ReplaceOne;
pub use restore::Restore;
pub use save::Save;
pub use update::{UpdateMany, UpdateOne};

use bson::Document;

use crate::error::{Error, Result};
use crate::filter::matches_all;

/// The filter of a write, refused where it matches everything.
fn not_everything(filter: Result<Document>, cure: &str) -> Result<Document> {
    match filter {
        Ok(filter) if matches_all(&filter) => Err(Error::invalid(format!(
            "the filter is empty and so matches every document: {cure}"
        ))),
        filter => filter,
    }
}
