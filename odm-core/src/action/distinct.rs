//! `distinct`.

use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;

use bson::{Bson, Document as BsonDocument};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::codec;
use crate::collection::Collection;
use crate::driver::Call;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::model::{Document, Shape};
use crate::path::{FieldType, InArray, List, Nest, Path, Queryable};

impl<T: Document> Collection<T> {
    /// The different values that a field has in the documents that match.
    ///
    /// Of a list it gives the elements; of an `Option`, `None` where a document holds null; of a
    /// [`Ref`](crate::Ref), ids. A document without the field adds nothing. Values that the server
    /// takes for equal (`1` and `1.0`; under a collation, `a` and `A`) come once. The order is the
    /// server's own.
    ///
    /// Awaiting takes one round trip. The values come in one reply, so the server fails above 16 MB
    /// of them. Old documents are not upgraded: their values are those of the stored field.
    ///
    /// # Errors
    /// [`ErrorKind::Decode`](crate::ErrorKind::Decode) with the path, if a value does not have the
    /// field's type; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the path
    /// holds a map key that no path can hold, or the field is written by `#[serde(with = "…")]`,
    /// which says how a document is read and not how a value is.
    ///
    /// Source: [`distinct`](https://www.mongodb.com/docs/manual/reference/command/distinct/).
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String>, votes: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let p = Post::fields();
    /// let tags: Vec<String> = posts.distinct(p.tags(), p.votes().gt(3)).await?;
    /// let votes: Vec<i32> = posts.distinct(p.votes(), Filter::new()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn distinct<C, V>(&self, path: Path<T, C, V>, filter: Filter<T>) -> Distinct<Value<C>>
    where
        C: FieldType,
        C::Via<OneValue>: ValueOf<C>,
        V: Queryable,
    {
        let path = match C::IS_CODED {
            true => Err(Error::invalid("the field is written by `#[serde(with)]`: use `driver()`")
                .with_path(path.as_str())),
            false => path.name.checked().map(str::to_owned),
        };
        Distinct {
            call: Call::new(self.target(), "distinct"),
            filter: filter.into_document(),
            path,
            // A null in place of a list has no elements.
            skips_null: <C::Via<OneValue> as ValueOf<C>>::SKIPS_NULL,
            marker: PhantomData,
        }
    }
}

/// What `distinct` gives for a field of type `C`.
pub type Value<C> = <<C as Nest>::Via<OneValue> as ValueOf<C>>::Value;

/// A field that holds one value, and no list.
#[derive(Debug, Clone, Copy)]
pub enum OneValue {}

/// What `distinct` gives for a field of type `C`: the values, or the elements of lists.
#[diagnostic::on_unimplemented(
    message = "`{C}` has no distinct values",
    label = "neither a value nor a list",
    note = "`distinct` takes the path of a field that holds a value, or a list of values"
)]
pub trait ValueOf<C> {
    /// The type of a distinct value.
    type Value: 'static;

    /// Whether null stands for a list that is absent.
    #[doc(hidden)]
    const SKIPS_NULL: bool;
}

impl<C: FieldType> ValueOf<C> for OneValue {
    type Value = C::Key;
    const SKIPS_NULL: bool = false;
}

impl<C: List> ValueOf<C> for InArray {
    type Value = <C::Element as FieldType>::Key;
    const SKIPS_NULL: bool = C::OPTIONAL && !C::Element::OPTIONAL;
}

/// Finds the distinct values of a field; see [`Collection::distinct`].
#[must_use = "an action does nothing until it is awaited"]
pub struct Distinct<K> {
    call: Call,
    filter: Result<BsonDocument>,
    path: Result<String>,
    skips_null: bool,
    marker: PhantomData<fn() -> K>,
}

impl<K> Distinct<K> {
    option_setters!(
        session,
        with_deleted,
        read_concern,
        read_preference,
        max_time,
        collation,
        comment
    );
}

impl<K> fmt::Debug for Distinct<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Distinct")
            .field("call", &self.call)
            .field("path", &self.path)
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}

impl<K: DeserializeOwned + Send + 'static> IntoFuture for Distinct<K> {
    type Output = Result<Vec<K>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.call.watch(self.filter.as_ref().ok()).run(async move {
            let call = self.call;
            let sent = self.path.and_then(|path| Ok((path, self.filter?)));
            let (path, filter) = sent.map_err(|error| call.context(error))?;
            let values = call.distinct(&path, filter).await?;
            let values = values.into_iter();
            let values = values.filter(|value| !(self.skips_null && *value == Bson::Null));
            let read = |value| read(value, &path).map_err(|error| call.context(error));
            values.map(read).collect()
        })
    }
}

/// Reads a value as the field at the path is read.
fn read<K: DeserializeOwned>(value: Bson, path: &str) -> Result<K> {
    #[derive(Deserialize)]
    struct Wrapper<K> {
        v: K,
    }
    const SHAPE: Shape = Shape::new("", "", &[]);
    let raw = bson::RawDocumentBuf::try_from(&bson::doc! { "v": value })
        .map_err(|error| Error::new(crate::ErrorKind::Decode, error.to_string()).with_path(path))?;
    let read = codec::decode_shape::<Wrapper<K>>(&raw, &SHAPE);
    read.map(|wrapper| wrapper.v).map_err(|error| error.with_path_in_place("v", path))
}
