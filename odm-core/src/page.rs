//! Paging by key: each page begins where the one before ended, in the order of the sort, and so no
//! document that is inserted or removed meanwhile moves another into or out of a page.
//!
//! `order` makes the keys of a sort, `key` reads their values from a stored document, `token` carries
//! them to the next page, and `condition` is the filter of what lies beyond them. The action is
//! [`FindPage`](crate::action::FindPage).

mod condition;
mod key;
mod order;
mod read;
mod token;

pub(crate) use order::Order;
pub(crate) use read::PageReader;
pub use token::PageToken;

use serde::{Deserialize, Serialize};

/// A page of documents, and the places where the pages beside it begin.
///
/// With serde, it is an object with its three fields; tokens are strings.
///
/// ```no_run
/// # use odm::prelude::*;
/// # use odm::PageToken;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32, title: String, votes: i32 }
/// # async fn example(posts: Collection<Post>, token: Option<PageToken>) -> odm::Result<()> {
/// let p = Post::fields();
/// let page = posts.find(Filter::new()).sort(p.votes().desc()).page(20).after(token).await?;
/// let titles = page.map(|post| post.title);
/// if let Some(next) = titles.next {
///     println!("/posts?after={next}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Page<T> {
    /// The documents, in the order of the sort, also where the page was read backward.
    pub items: Vec<T>,
    /// Where the next page begins: for [`after`](crate::action::FindPage::after). `None` if no
    /// document came after this page when it was read.
    pub next: Option<PageToken>,
    /// Where the page before ends: for [`before`](crate::action::FindPage::before). `None` on a
    /// first page.
    pub previous: Option<PageToken>,
}

impl<T> Page<T> {
    pub(crate) fn new(items: Vec<T>, next: Option<PageToken>, previous: Option<PageToken>) -> Self {
        Self { items, next, previous }
    }

    /// The page with each document turned into something else.
    #[must_use]
    pub fn map<U>(self, map: impl FnMut(T) -> U) -> Page<U> {
        let items = self.items.into_iter().map(map).collect();
        Page { items, next: self.next, previous: self.previous }
    }
}
