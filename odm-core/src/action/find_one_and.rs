//! What the find-and-modify actions share.

use std::fmt;
use std::marker::PhantomData;

use bson::{Document as BsonDocument, RawDocumentBuf};
use futures::FutureExt;

use super::not_everything;
use super::upsert::{self, Readable, Upsert};
use crate::collection::Collection;
use crate::deletion::{Deletion, has_rules};
use crate::driver::{Call, FindOneAndOptions, Watch};
use crate::error::Result;
use crate::filter::Filter;
use crate::migrate::{self, Change, Guard, ReadFn, Write};
use crate::model::Document;
use crate::sort::Sort;
use crate::view::{self, View};

/// Finds one document of model `M`, does something to it, and reads it as a `T`.
pub(super) struct FindOneAnd<M, T> {
    pub(super) call: Call,
    filter: Result<BsonDocument>,
    pub(super) options: FindOneAndOptions,
    read: ReadFn<T>,
    pub(super) upsert: Upsert,
    readable: Readable,
    guard: Option<Guard>,
    marker: PhantomData<fn() -> M>,
}

impl<M: Document> FindOneAnd<M, M> {
    pub(super) fn new(
        collection: &Collection<M>,
        operation: &'static str,
        filter: Filter<M>,
    ) -> Self {
        Self {
            call: Call::new(collection.target(), operation),
            filter: not_everything(filter.into_document(), "name the document"),
            options: FindOneAndOptions::default(),
            read: migrate::read,
            upsert: Upsert::No,
            readable: upsert::readable::<M>,
            guard: Guard::of::<M>(),
            marker: PhantomData,
        }
    }

    pub(super) fn filter(&self) -> &Result<BsonDocument> {
        &self.filter
    }
}

impl<M: Document, T> FindOneAnd<M, T> {
    pub(super) fn sort(&mut self, sort: Sort<M>) {
        match sort.into_document() {
            Ok(sort) => self.options.sort = Some(sort),
            Err(error) => self.refuse(error),
        }
    }

    pub(super) fn project<V: View<Of = M>>(mut self) -> FindOneAnd<M, V> {
        match V::projection() {
            Ok(projection) => self.options.projection = Some(projection),
            Err(error) => self.refuse(error),
        }
        FindOneAnd {
            call: self.call,
            filter: self.filter,
            options: self.options,
            read: view::read::<M, V>,
            upsert: self.upsert,
            readable: self.readable,
            guard: self.guard,
            marker: PhantomData,
        }
    }

    fn refuse(&mut self, error: crate::Error) {
        if self.filter.is_ok() {
            self.filter = Err(error);
        }
    }

    pub(super) fn watch(&self) -> Watch {
        self.call.watch(self.filter.as_ref().ok())
    }

    /// Sends an update or replacement.
    pub(super) async fn change(self, change: Result<Change>) -> Result<Option<T>> {
        let Self { call, filter, options, upsert, readable, .. } = &self;
        let context = |error| call.context(error);
        let filter = filter.as_ref().map_err(|error| context(error.clone()))?;
        let mut change = change.map_err(context)?;
        let insertion = upsert.plan(call, filter, &mut change, *readable).map_err(context)?;
        let insertion = insertion.as_ref();
        let write = Write { call, filter, sort: options.sort.as_ref(), insertion };
        let change = &change;
        let rooms = upsert::rooms(call, change)?;
        let found = upsert::send(self.guard, &write, &rooms, |filter, may_insert| async move {
            let found = call.find_one_and_change(filter, change, options, may_insert).await?;
            // An insertion answers with nothing where the document before it is asked for.
            Ok((found.is_some() || may_insert).then_some(found))
        });
        self.read(found.await?.flatten())
    }

    /// Sends a deletion.
    pub(super) async fn delete(self) -> Result<Option<T>> {
        let Self { call, filter, options, .. } = &self;
        let filter = filter.as_ref().map_err(|error| call.context(error.clone()))?;
        let guard = self.guard;
        if !has_rules(call) {
            return self.read(delete(call, filter.clone(), options, guard).await?);
        }
        let for_last = options.clone();
        let last = move |call: Call, filter| {
            let options = for_last.clone();
            async move { delete(&call, filter, &options, guard).await }.boxed()
        };
        let sort = options.sort.as_ref();
        let deletion = Deletion { call, filter, sort, one: true, guard, last: &last };
        let found = deletion.run().await?.into_iter().flatten().next();
        self.read(found)
    }

    fn read(&self, found: Option<RawDocumentBuf>) -> Result<Option<T>> {
        let read = found.map(|raw| (self.read)(&raw));
        let value = read.transpose().map_err(|error| self.call.context(error))?;
        Ok(value.map(|read| read.value))
    }
}

async fn delete(
    call: &Call,
    filter: BsonDocument,
    options: &FindOneAndOptions,
    guard: Option<Guard>,
) -> Result<Option<RawDocumentBuf>> {
    let Some(guard) = guard else { return call.find_one_and_delete(filter, options).await };
    let write = Write { call, filter: &filter, sort: options.sort.as_ref(), insertion: None };
    let delete = |filter| async move { call.find_one_and_delete(filter, options).await };
    match options.projection {
        // A view reads no old document, so one is migrated before it is deleted.
        Some(_) => guard.change_one(&write, |filter, _| delete(filter)).await,
        None => guard.delete_one(&write, delete).await,
    }
}

impl<M, T> fmt::Debug for FindOneAnd<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindOneAnd")
            .field("call", &self.call)
            .field("filter", &self.filter)
            .field("options", &self.options)
            .field("upsert", &self.upsert)
            .finish_non_exhaustive()
    }
}
