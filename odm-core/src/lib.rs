//! The runtime of `mongo-odm`. Use it through that crate, whose library is named `odm`: there are
//! the derive macros and the guide.
//!
//! The modules in the order in which a query passes them: [`model`] describes, [`path`] names a
//! place, [`filter`], [`update`], [`sort`], [`aggregate`] and [`view`] make BSON of it, [`relation`] loads
//! what documents refer to, [`migrate`] takes old documents to the current schema version, [`action`] is what is awaited,
//! `driver` sends it. [`index`] and [`plan`] keep the server's indexes to the declaration,
//! [`integrity`] finds and mends references that lead nowhere.

pub mod action;
pub mod aggregate;
mod codec;
mod collection;
mod deletion;
mod driver;
mod error;
mod explain;
pub mod filter;
pub mod index;
pub mod integrity;
pub mod migrate;
pub mod model;
mod page;
mod patch;
pub mod path;
pub mod plan;
pub mod relation;
pub mod sort;
mod tracked;
pub mod update;
pub mod view;

pub use bson;
pub use mongodb;

pub use aggregate::{Accumulator, DateUnit, Expr, IntoExpr, Pipeline};
pub use collection::Collection;
pub use driver::{Database, Session, StartSession, StartTransaction, Transaction, Tx};
pub use error::{DuplicateKey, Error, ErrorKind, Result, WriteFailure};
pub use explain::Explain;
pub use filter::Filter;
pub use migrate::WriteBacks;
pub use model::{Document, Embedded, Model};
pub use page::{Page, PageToken};
pub use path::{Nullable, geo, null_as_empty};
pub use relation::{DbRef, Lookup, LookupStrategy, Many, One, Ref};
pub use sort::Sort;
pub use tracked::Tracked;
pub use update::Update;
pub use view::View;

/// The options of actions, as the driver has them.
pub mod options {
    pub use mongodb::options::{
        Acknowledgment, Collation, CollationStrength, Hint, ReadConcern, ReadPreference,
        ReturnDocument, WriteConcern,
    };
}

/// The results of writes, as the driver gives them.
pub mod results {
    pub use mongodb::results::{DeleteResult, InsertManyResult, InsertOneResult, UpdateResult};
}

/// The models given, for [`Database::plan`].
///
/// ```
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct User { #[serde(rename = "_id")] id: String }
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32 }
/// let models = odm::models![User, Post];
/// assert_eq!(models.map(|model| model.collection), ["users", "posts"]);
/// ```
#[macro_export]
macro_rules! models {
    ($($model:ty),* $(,)?) => {
        [$({
            const { $crate::private::assert_declared(<$model as $crate::Document>::MODEL) };
            <$model as $crate::Document>::MODEL
        }),*]
    };
}

/// What generated code names. Not part of the public interface.
#[doc(hidden)]
pub mod private;
