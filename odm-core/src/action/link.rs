//! `link` and `unlink`: both sides of a two-way relation, in one step.

mod both;

use std::future::IntoFuture;

use futures::future::BoxFuture;

use self::both::{Both, End, Party};
use crate::collection::Collection;
use crate::driver::{Call, Tx};
use crate::error::Result;
use crate::migrate::Guard;
use crate::model::Document;
use crate::path::{FieldType, IntoKey, Path};
use crate::relation::{Relation, TwoWay};

/// The server's code where it has no transactions: a standalone.
const ILLEGAL_OPERATION: i32 = 20;

impl<T: Document> Collection<T> {
    /// Makes two documents refer to each other, in a relation that both sides hold.
    ///
    /// The relation is declared once, by `#[odm(inverse = …)]` on one of the two fields; `path` is
    /// the field of this collection's side, whichever declares it. Each side is one reference, an
    /// optional one or a list. What a single reference held before is taken from its other side: a
    /// book that goes to another publisher is no longer listed by the first.
    ///
    /// It happens in a transaction, or in that of the [`session`](Link::session). On a server
    /// without transactions the same writes are sent in an order in which nothing is lost: the far
    /// side, the near side, then what others hold too much. Repeating it completes one that was cut
    /// off; of two at the same time on the same documents parts of both may stay, which
    /// [`Database::verify`](crate::Database::verify) tells.
    ///
    /// Round trips: one for each side, one for each side whose other is single, and one to commit.
    /// One more for each side that is referred to by another key than its `_id`, and that may not
    /// lose its reference; two more without a transaction, to see that both documents are there. On
    /// models with a schema version those of [`update_one`](Collection::update_one).
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if one of the documents does not exist, with its model and `_id`:
    /// nothing is changed. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the relation is not declared two-way,
    /// before anything is sent, or if a third document would lose a reference that it must have.
    /// Those of an update.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// use odm::Ref;
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, Document)]
    /// struct Publisher {
    ///     #[serde(rename = "_id")]
    ///     id: String,
    ///     #[odm(inverse = publisher)]
    ///     books: Vec<Ref<Book>>,
    /// }
    /// #[derive(Serialize, Deserialize, Document)]
    /// struct Book {
    ///     #[serde(rename = "_id")]
    ///     id: i32,
    ///     publisher: Option<Ref<Publisher>>,
    /// }
    /// # async fn example(publishers: Collection<Publisher>) -> odm::Result<()> {
    /// let linked = publishers.link(Publisher::fields().books(), "oreilly", 123).await?;
    /// println!("{} other publishers had listed the book", linked.displaced);
    /// # Ok(())
    /// # }
    /// ```
    pub fn link<C: Relation>(
        &self,
        path: Path<T, C>,
        id: impl IntoKey<<T::Id as FieldType>::Key>,
        other: impl IntoKey<<<C::Target as Document>::Id as FieldType>::Key>,
    ) -> Link {
        self.two_way(&path, id.into_key(), other.into_key(), "link")
    }

    /// Takes the references of two documents to each other away, in a relation that both sides hold;
    /// see [`link`](Collection::link). What is not there is no error: nothing is changed then.
    ///
    /// Round trips: one for each side, and one to commit.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the relation is not declared two-way, or if one of the sides
    /// is a plain `Ref`, which must lead somewhere: before anything is sent. Those of an update.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # use odm::Ref;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Publisher {
    /// #     #[serde(rename = "_id")] id: String,
    /// #     #[odm(inverse = publisher)] books: Vec<Ref<Book>>,
    /// # }
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Book {
    /// #     #[serde(rename = "_id")] id: i32,
    /// #     publisher: Option<Ref<Publisher>>,
    /// # }
    /// # async fn example(publishers: Collection<Publisher>) -> odm::Result<()> {
    /// publishers.unlink(Publisher::fields().books(), "oreilly", 123).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn unlink<C: Relation>(
        &self,
        path: Path<T, C>,
        id: impl IntoKey<<T::Id as FieldType>::Key>,
        other: impl IntoKey<<<C::Target as Document>::Id as FieldType>::Key>,
    ) -> Link {
        self.two_way(&path, id.into_key(), other.into_key(), "unlink")
    }

    fn two_way<C: Relation>(
        &self,
        path: &Path<T, C>,
        id: <T::Id as FieldType>::Key,
        other: <<C::Target as Document>::Id as FieldType>::Key,
        operation: &'static str,
    ) -> Link {
        let call = Call::new(self.target(), operation);
        let found = path.name.checked();
        Link {
            relation: found.and_then(|path| TwoWay::find(T::MODEL, path, C::Target::MODEL)),
            near: End { id: T::Id::encode(&id), guard: Guard::of::<T>() },
            far: End {
                id: <C::Target as Document>::Id::encode(&other),
                guard: Guard::of::<C::Target>(),
            },
            is_link: operation == "link",
            call,
        }
    }
}

/// Links or unlinks two documents; see [`Collection::link`] and [`Collection::unlink`].
#[must_use = "an action does nothing until it is awaited"]
#[derive(Debug, Clone)]
pub struct Link {
    call: Call,
    relation: Result<TwoWay>,
    near: End,
    far: End,
    is_link: bool,
}

/// What a [`Link`] changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Linked {
    /// Whether the document of this collection was changed.
    pub near: bool,
    /// Whether the document of the other collection was changed.
    pub far: bool,
    /// How many further documents lost a reference, since a single one was set anew.
    pub displaced: u64,
}

impl Link {
    option_setters!(session);

    async fn run(self) -> Result<Linked> {
        let relation = self.relation.clone().map_err(|error| self.call.context(error))?;
        let is_on_session = self.call.is_on_session();
        let both = self.both(relation)?;
        both.check()?;
        if is_on_session {
            return both.apply().await;
        }
        let body = |tx: Tx| {
            let both = both.on_session(tx.as_ref());
            async move { both.apply().await }
        };
        match both.near.call.target().transaction(body).await {
            Err(error) if error.code() == Some(ILLEGAL_OPERATION) => both.apply().await,
            done => done,
        }
    }

    fn both(self, relation: TwoWay) -> Result<Both> {
        let (near_key, far_key) = (relation.near_key(), relation.far_key());
        let far = self.call.on(relation.far.model);
        Ok(Both {
            near: Party::new(self.call, relation.near, near_key, self.near)?,
            far: Party::new(far, relation.far, far_key, self.far)?,
            is_link: self.is_link,
        })
    }
}

impl IntoFuture for Link {
    type Output = Result<Linked>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
