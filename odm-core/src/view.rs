//! Views: parts of a model's documents, read without the rest.
//!
//! In comes a [`View`], which the derive has held against the model; out come the projection that a
//! find sends, and what decodes a projected document.

mod field;
mod selection;

pub use field::{Shows, ShowsCoded, Single, ViewField};
pub use selection::{Part, Selection, shown, shown_coded};

use bson::{Document as BsonDocument, RawDocument};
use serde::de::DeserializeOwned;

use crate::codec;
use crate::error::Result;
use crate::migrate::{self, Read};
use crate::model::{Described, Document, Shape};
use crate::relation::Visit;

/// A struct that holds a part of a model's fields: what [`Find::project`](crate::action::Find::project)
/// reads.
///
/// Derive it, beside serde's `Deserialize`. Each field is one of the model's, by its name in Rust,
/// and has its type or an `Option` of it; a field that is an embedded document, or a list of them,
/// may have a view of it as its type. Whatever the model lacks does not compile. A view is no document:
/// nothing can be inserted, replaced or saved by it.
///
/// ```
/// use odm::View as _;
/// use odm::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Serialize, Deserialize, Embedded)]
/// struct Comment {
///     who: String,
///     text: String,
/// }
///
/// #[derive(Debug, Serialize, Deserialize, Document)]
/// struct Post {
///     #[serde(rename = "_id")]
///     id: i32,
///     title: String,
///     text: String,
///     comments: Vec<Comment>,
/// }
///
/// #[derive(Debug, Deserialize, View)]
/// #[odm(of = Post)]
/// struct PostTitle {
///     title: String,
///     comments: Vec<CommentAuthor>,
/// }
///
/// #[derive(Debug, Deserialize, View)]
/// #[odm(of = Comment)]
/// struct CommentAuthor {
///     who: String,
/// }
///
/// let projection = PostTitle::projection()?;
/// assert_eq!(projection.to_string(), r#"{ "title": 1, "comments.who": 1, "_id": 0 }"#);
/// # Ok::<(), odm::Error>(())
/// ```
///
/// Source: [project fields to return](https://www.mongodb.com/docs/manual/tutorial/project-fields-from-query-results/).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a view",
    label = "`View` is not implemented for `{Self}`",
    note = "add `#[derive(Deserialize, View)]` and `#[odm(of = Model)]` to the struct"
)]
pub trait View: DeserializeOwned + Send + Sync + Sized + 'static {
    /// The model, or the embedded document, that the fields are of.
    type Of: Described;

    /// Whether serde refuses fields that are not declared.
    #[doc(hidden)]
    const STRICT: bool = false;

    /// Adds the fields. The derive writes it.
    #[doc(hidden)]
    fn select(selection: &mut Selection);

    /// Hands each reference at a path of the model to `visit`. The derive writes it.
    #[doc(hidden)]
    fn visit_refs(&mut self, _path: &[&str], _visit: Visit<'_>) {}

    /// What a find of the model sends: the fields, `_id` only if it is one of them, and the schema
    /// version of a model that has one.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if a computed field has the
    /// name of the model's version, or the error that a value in one had.
    fn projection() -> Result<BsonDocument>
    where
        Self::Of: Document,
    {
        let mut selection = Selection::new();
        Self::select(&mut selection);
        selection.into_projection(Self::Of::MODEL)
    }
}

/// Reads a projected document of model `M`.
pub(crate) fn read<M, V>(raw: &RawDocument) -> Result<Read<V>>
where
    M: Document,
    V: View<Of = M>,
{
    migrate::current(raw, M::MODEL, V::STRICT)
        .and_then(|current| codec::decode_shape(&current, &Shape::new("", "", &[])))
        .map(|value| Read { value, write_back: None })
        .map_err(|error| codec::of_document(error, raw, M::MODEL))
}
