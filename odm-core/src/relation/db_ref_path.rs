//! Conditions on DBRefs.

use bson::doc;

use super::reference::RefId;
use super::{DbRef, Relation};
use crate::filter::{Filter, equal_to};
use crate::model::Document;
use crate::path::{FieldType, IntoKey, Nest, Nullable, Path, Queryable};

/// A field type that holds DBRefs: a [`DbRef`], or an `Option` or list of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no DBRefs",
    label = "not a `DbRef`",
    note = "a `Ref` is compared with the key that it holds: `p.author().eq(id)`"
)]
pub trait HoldsDbRef: Relation + Nest {}
impl<T: Document<Id: RefId>> HoldsDbRef for DbRef<T> {}
#[diagnostic::do_not_recommend]
impl<R: HoldsDbRef> HoldsDbRef for Option<R> {}
#[diagnostic::do_not_recommend]
impl<R: HoldsDbRef> HoldsDbRef for Nullable<R> {}
#[diagnostic::do_not_recommend]
impl<R: HoldsDbRef> HoldsDbRef for Box<R> {}
#[diagnostic::do_not_recommend]
impl<R: HoldsDbRef> HoldsDbRef for Vec<R> {}

impl<M: 'static, C: HoldsDbRef<Key: FieldType>, V: 'static> Path<M, C, V> {
    /// The id in a DBRef, `author.$id`: for filters, sorts, updates and indexes.
    ///
    /// Documents that hold a plain id in place of a DBRef have none there; see
    /// [`refers_to`](Path::refers_to).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # use odm::DbRef;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: String }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, author: DbRef<User> }
    /// let filter = Post::fields().author().id().eq("alex");
    /// assert_eq!(filter.to_string(), r#"{ "author.$id": "alex" }"#);
    /// ```
    #[must_use]
    pub fn id(&self) -> <C::Key as FieldType>::Path<M, C::Key, C::Via<V>> {
        self.child::<C::Key>("$id")
    }

    /// The documents that refer to this id, as a DBRef or by the plain id.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # use odm::DbRef;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: String }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, author: DbRef<User> }
    /// let filter = Post::fields().author().refers_to("alex".to_owned());
    /// let expected = r#"{ "$or": [{ "author.$id": "alex" }, { "author": "alex" }] }"#;
    /// assert_eq!(filter.to_string(), expected);
    /// ```
    pub fn refers_to(&self, id: impl IntoKey<<C::Key as FieldType>::Key>) -> Filter<M>
    where
        V: Queryable,
    {
        let id = C::Key::encode(&id.into_key());
        Filter::build(&self.name, id, |path, id| {
            let (id, in_dbref) = (equal_to(id), format!("{path}.$id"));
            doc! { "$or": [{ in_dbref: id.clone() }, { path: id }] }
        })
    }
}
