//! An object-document mapper for MongoDB: declare a document model on a struct, and the runtime
//! keeps it true.
//!
//! ```no_run
//! use odm::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Serialize, Deserialize, Document)]
//! #[odm(collection = "posts", index(author, -votes))]
//! struct Post {
//!     #[serde(rename = "_id")]
//!     id: i32,
//!     author: String,
//!     #[odm(index)]
//!     tags: Vec<String>,
//!     votes: i32,
//! }
//!
//! # async fn example() -> odm::Result<()> {
//! let db = Database::connect("mongodb://127.0.0.1:27017", "blog").await?;
//! db.plan(odm::models![Post]).await?.apply().await?;
//!
//! let posts = db.collection::<Post>();
//! let p = Post::fields();
//! posts.insert_one(&Post { id: 1, author: "alex".into(), tags: vec![], votes: 0 }).await?;
//! let popular = posts.find(p.author().eq("alex") & p.votes().gt(3)).sort(p.votes().desc()).await?;
//! # Ok(())
//! # }
//! ```

// Generated code names this crate `::odm`, also in its own tests.
extern crate self as odm;

pub use odm_core::*;
pub use odm_derive::{Document, Embedded, View};

#[doc(no_inline)]
pub use odm_core::{bson, mongodb};

/// What generated code names. Not part of the public interface.
#[doc(hidden)]
pub use odm_core::private as __private;

/// What a program that declares and uses models needs: `use odm::prelude::*;`.
///
/// The derive macros come by name and the traits without one, so that `use bson::*` beside it does
/// not clash.
pub mod prelude {
    pub use odm_core::{Collection, Database, Filter, Session, Update};
    pub use odm_core::{Document as _, Embedded as _, View as _};
    pub use odm_derive::{Document, Embedded, View};
}

// Compiles each code block of the guide and the README.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../book/src/getting-started.md")]
    mod getting_started {}
    #[doc = include_str!("../book/src/declaring-models.md")]
    mod declaring_models {}
    #[doc = include_str!("../book/src/filters.md")]
    mod filters {}
    #[doc = include_str!("../book/src/updates.md")]
    mod updates {}
    #[doc = include_str!("../book/src/saving-changes.md")]
    mod saving_changes {}
    #[doc = include_str!("../book/src/views.md")]
    mod views {}
    #[doc = include_str!("../book/src/aggregation.md")]
    mod aggregation {}
    #[doc = include_str!("../book/src/reading.md")]
    mod reading {}
    #[doc = include_str!("../book/src/paging.md")]
    mod paging {}
    #[doc = include_str!("../book/src/references.md")]
    mod references {}
    #[doc = include_str!("../book/src/lookups.md")]
    mod lookups {}
    #[doc = include_str!("../book/src/integrity.md")]
    mod integrity {}
    #[doc = include_str!("../book/src/hooks-and-stamps.md")]
    mod hooks_and_stamps {}
    #[doc = include_str!("../book/src/schema-versions.md")]
    mod schema_versions {}
    #[doc = include_str!("../book/src/indexes.md")]
    mod indexes {}
    #[doc = include_str!("../book/src/transactions.md")]
    mod transactions {}
    #[doc = include_str!("../book/src/explain.md")]
    mod explain {}
    #[doc = include_str!("../book/src/shell.md")]
    mod shell {}
    #[doc = include_str!("../book/src/testing.md")]
    mod testing {}
    #[doc = include_str!("../book/src/performance.md")]
    mod performance {}
}
