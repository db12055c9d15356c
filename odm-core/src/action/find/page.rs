//! `page`: a find by pages.

use std::fmt;
use std::future::IntoFuture;

use futures::future::BoxFuture;

use super::{Find, documents};
use crate::driver::{Call, Counted};
use crate::error::{Error, Result};
use crate::explain::Explain;
use crate::filter::both;
use crate::model::Document;
use crate::page::{Order, Page, PageReader, PageToken};

impl<M: Document, T: Send + 'static> Find<M, T> {
    /// Finds one page of `size` documents: the first, or the one [`after`](FindPage::after) or
    /// [`before`](FindPage::before) a place in the order.
    ///
    /// A page begins where another ended, by the values that the documents are sorted by, and not
    /// by how many documents come before. So every document that is there all the time is on one
    /// page, whatever is inserted or removed meanwhile; a document whose keys are changed may be on
    /// two pages or none. The sort may be any: of several keys, either direction, with equal, null
    /// and missing values, and of fields that hold values of different types.
    ///
    /// The sort gets `_id` as its last key, in the direction of the key before it (ascending where
    /// there is none), unless it has `_id`. With an index on the same keys, `_id` included, a page
    /// costs as many index keys as it has documents, and a few; without one, the server sorts all
    /// that matches for each page.
    ///
    /// Awaiting takes one round trip, and those of lookups; batches count only above 16 MB. Old
    /// documents are upgraded, and written back as by a find, except where that would change what
    /// they are sorted by.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument), before anything is sent:
    /// `size` is 0; the find has a `limit` or a `skip`; a sort key is an array or lies in one, or is
    /// computed, or is computed by the projection; the token is of another collection or sort;
    /// strings are sorted under a collation given to the find (other than `simple`), which may take
    /// different `_id`s for equal. [`ErrorKind::Decode`](crate::ErrorKind::Decode) as awaiting the
    /// find, and if a document holds an array where the sort has a key.
    ///
    /// ```no_run
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # #[odm(index(votes, id))]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// # async fn example(posts: Collection<Post>) -> odm::Result<()> {
    /// let p = Post::fields();
    /// let find = posts.find(p.votes().gt(3)).sort(p.votes().desc());
    /// let first = find.page(20).await?;
    /// let find = posts.find(p.votes().gt(3)).sort(p.votes().desc());
    /// let second = find.page(20).after(first.next).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn page(self, size: u32) -> FindPage<M, T> {
        FindPage { find: self, size, after: None, before: None }
    }
}

/// Finds a page of documents; see [`Find::page`].
#[must_use = "an action does nothing until it is awaited"]
pub struct FindPage<M, T = M> {
    find: Find<M, T>,
    size: u32,
    after: Option<PageToken>,
    before: Option<PageToken>,
}

impl<M, T> FindPage<M, T> {
    /// The page that follows this place: the [`next`](Page::next) of another page. `None` is the
    /// first page.
    pub fn after(mut self, token: impl Into<Option<PageToken>>) -> Self {
        self.after = token.into();
        self
    }

    /// The page that ends before this place: the [`previous`](Page::previous) of another page.
    /// Its documents are in the order of the sort, too. `None` is the first page.
    pub fn before(mut self, token: impl Into<Option<PageToken>>) -> Self {
        self.before = token.into();
        self
    }
}

impl<M: Document, T: Send + 'static> FindPage<M, T> {
    /// Makes the find one of the page: its sort, its place, and one document more, which shows
    /// whether there are others.
    fn plan(self) -> Result<(Find<M, T>, PageReader, Side)> {
        let mut find = self.find;
        let side = match (self.after, self.before) {
            (None, None) => Side::First,
            (Some(token), None) => Side::After(token),
            (None, Some(token)) => Side::Before(token),
            (Some(_), Some(_)) => {
                return Err(Error::invalid("a page is after one place or before one, not both"));
            }
        };
        if find.lookups.sorts_parents() {
            let message = "a page is in the order of the documents' own fields, and not of what is \
                           looked up";
            return Err(Error::invalid(message));
        }
        if self.size == 0 {
            return Err(Error::invalid("a page of 0 documents"));
        }
        if find.options.limit.is_some() || find.options.skip.is_some() {
            let message = "a page has a size and a token in place of `limit` and `skip`";
            return Err(Error::invalid(message));
        }
        let target = find.call.target();
        let (model, collection) = (target.model, target.collection().name());
        let order = Order::plan(find.options.sort.as_ref(), model, collection)?;
        if let Some(collation) = &find.call.options().collation {
            order.check_collation(&collation.locale, model)?;
        }
        let is_before = matches!(side, Side::Before(_));
        find.options.sort = Some(order.sort(is_before));
        if let Side::After(token) | Side::Before(token) = &side {
            let beyond = order.beyond(token, is_before)?;
            find.filter = find.filter.map(|filter| both(filter, beyond));
        }
        let hidden = match &mut find.options.projection {
            Some(projection) => order.project(projection)?,
            None => Vec::new(),
        };
        find.options.limit = Some(i64::from(self.size) + 1);
        // Above the limit: else the server would keep the cursor open.
        find.options.batch_size = Some(self.size.saturating_add(2));
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        Ok((find, PageReader::new(order, size, hidden), side))
    }

    /// How the server finds the page: the indexes used, keys and documents examined. One round trip.
    ///
    /// # Errors
    /// As awaiting the page, but nothing is decoded.
    pub async fn explain(self) -> Result<Explain> {
        let call = self.find.call.clone();
        let (find, ..) = self.plan().map_err(|error| call.context(error))?;
        find.explain().await
    }

    async fn read(self) -> Result<Page<T>> {
        let call: Call = self.find.call.clone();
        let (find, reader, side) = self.plan().map_err(|error| call.context(error))?;
        let stream = find.open(documents::Extent::Whole).await?;
        let (items, reader) = stream.collect_page(reader).await?;
        side.page(items, reader).map_err(|error| call.context(error))
    }
}

/// Which page it is.
enum Side {
    First,
    After(PageToken),
    Before(PageToken),
}

impl Side {
    /// The page from its documents as they were found.
    fn page<T>(&self, mut items: Vec<T>, reader: PageReader) -> Result<Page<T>> {
        let onward = match reader.has_more() {
            true => reader.last()?,
            false => None,
        };
        // Beside a page without documents lies what is on the other side of its place.
        let back = |token: &PageToken| reader.first()?.map_or_else(|| token.turned(), Ok);
        Ok(match self {
            Self::First => Page::new(items, onward, None),
            Self::After(token) => Page::new(items, onward, Some(back(token)?)),
            Self::Before(token) => {
                items.reverse();
                Page::new(items, Some(back(token)?), onward)
            }
        })
    }
}

impl<T> Counted for Page<T> {
    fn documents(&self) -> u64 {
        self.items.documents()
    }
}

impl<M, T> fmt::Debug for FindPage<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindPage")
            .field("find", &self.find)
            .field("size", &self.size)
            .field("after", &self.after)
            .field("before", &self.before)
            .finish()
    }
}

impl<M: Document, T: Send + 'static> IntoFuture for FindPage<M, T> {
    type Output = Result<Page<T>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let watch = self.find.watch();
        watch.run(self.read())
    }
}
