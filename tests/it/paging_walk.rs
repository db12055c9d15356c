//! Walking a collection by pages: while it changes, by an index, through projections, lookups and
//! schema versions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bson::{doc, rawdoc};
use odm::prelude::*;
use odm::{LookupStrategy, Page, PageToken, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts", index(votes, id))]
struct Post {
    #[serde(rename = "_id")]
    id: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    votes: Option<i32>,
    title: String,
    author: Ref<User>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: String,
    karma: i32,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
#[serde(deny_unknown_fields)]
struct Title {
    title: String,
}

fn post(id: i64) -> Post {
    let votes = (id % 3 == 0).then_some(i32::try_from(id % 20).unwrap_or(0));
    let author = Ref::new(format!("user {}", id % 5));
    Post { id, votes, title: format!("post {id}"), author }
}

/// None twice, and none missed of those that were there, while others come and go.
#[test]
fn ten_thousand_documents_while_others_come_and_go() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![Post]).await?.apply().await?;
        let posts = db.collection::<Post>();
        // Even ids are there all the time; a third has values, a third null, a third nothing.
        let raw = posts.driver_raw();
        let there = (0..10_000_i64).map(|id| id * 2);
        let documents = there.clone().map(|id| {
            let mut raw = rawdoc! { "_id": id, "title": "t", "author": "a" };
            match id % 3 {
                0 => raw.append(bson::raw::cstr!("votes"), i32::try_from(id % 20).unwrap_or(0)),
                1 => raw.append(bson::raw::cstr!("votes"), bson::RawBson::Null),
                _ => {}
            }
            raw
        });
        raw.insert_many(documents).await?;

        let p = Post::fields();
        for sort in [p.votes().asc(), p.votes().desc(), p.votes().desc() + p.id().asc()] {
            let (walking, changes) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicU64::new(0)));
            let changing = tokio::spawn({
                let (posts, walking, changes) = (posts.clone(), walking.clone(), changes.clone());
                async move {
                    let p = Post::fields();
                    while walking.load(Ordering::Relaxed) {
                        let change = changes.fetch_add(1, Ordering::Relaxed);
                        let ids = (0..20).map(|n| (change as i64 * 20 + n) * 7919 % 10_000 * 2 + 1);
                        let ids: Vec<_> = ids.collect();
                        posts.delete_many(p.id().in_(ids.clone())).await?;
                        posts.insert_many(ids.into_iter().map(post)).await?;
                    }
                    Ok::<_, odm::Error>(())
                }
            });
            let (mut walked, mut token) = (Vec::new(), None);
            loop {
                // Others come and go between any two pages.
                let before = changes.load(Ordering::Relaxed);
                while changes.load(Ordering::Relaxed) == before && !changing.is_finished() {
                    tokio::task::yield_now().await;
                }
                let page = posts.find(Filter::new()).sort(sort.clone()).page(100);
                let page = page.after(token).await?;
                walked.extend(page.items.iter().map(|post| post.id));
                token = page.next;
                if token.is_none() {
                    break;
                }
            }
            walking.store(false, Ordering::Relaxed);
            changing.await??;
            assert!(walked.iter().any(|id| id % 2 == 1), "no others were seen");
            walked.sort_unstable();
            let count = walked.len();
            walked.dedup();
            assert_eq!(walked.len(), count, "a document came twice");
            walked.retain(|id| id % 2 == 0);
            assert!(walked.into_iter().eq(there.clone()), "{sort}: a document is missing");
        }
        Ok(())
    })
}

/// The page is read by an index, in its order, and looks at hardly more than it shows.
fn assert_cheap(explain: &odm::Explain, about: &str) {
    let (keys, documents) = (explain.keys_examined(), explain.documents_examined());
    assert!(keys <= 125 && documents <= 240, "{about}: {keys} keys, {documents} documents");
    assert!(!explain.stages().iter().any(|stage| stage == "SORT"), "{about}: {explain}");
}

/// With an index on the sort and `_id`, a page deep in the collection reads as much as it shows.
#[test]
fn an_index_on_the_sort_serves_each_page() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![Post]).await?.apply().await?;
        let posts = db.collection::<Post>();
        posts.insert_many((0..2_000).map(post)).await?;
        let p = Post::fields();
        for sort in [p.votes().asc(), p.votes().desc()] {
            let mut token: Option<PageToken> = None;
            // Pages among the values, among those without, and between.
            for number in 0..18 {
                let find = || posts.find(Filter::new()).sort(sort.clone()).page(100);
                let explain = find().after(token.clone()).explain().await?;
                assert_cheap(&explain, &format!("{sort}, page {number}"));
                token = find().after(token).await?.next;
                assert!(token.is_some());
            }
            // Back, and with a filter that no index has.
            let find = || posts.find(p.title().ne("x")).sort(sort.clone()).page(100);
            assert_cheap(&find().before(token.clone()).explain().await?, "back");
            assert_cheap(&find().after(token).explain().await?, "filtered");
        }
        Ok(())
    })
}

#[test]
fn a_page_is_one_round_trip_and_survives_json() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        posts.insert_many((0..600).map(post)).await?;
        let p = Post::fields();
        let find = || posts.find(p.id().lt(500)).sort(p.votes().desc());
        let (page, sent) = kit.commands(find().page(250)).await;
        assert_eq!(sent.names(), ["find"], "{sent}");
        let first = page?;
        assert_eq!(first.items.len(), 250);
        assert_eq!(first.previous, None);

        let json = serde_json::to_string(&first)?;
        let read: Page<Post> = serde_json::from_str(&json)?;
        assert_eq!(read, first);
        let text = first.next.as_ref().ok_or("no next page")?.to_string();
        assert!(
            text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'),
            "{text}"
        );

        // Just as many as there are: no page without documents follows.
        let (page, sent) = kit.commands(find().page(250).after(read.next)).await;
        assert_eq!(sent.names(), ["find"], "{sent}");
        let second = page?;
        assert_eq!((second.items.len(), &second.next), (250, &None));
        let back = find().page(250).before(second.previous.clone()).await?;
        assert_eq!(back.items, first.items);
        assert_eq!(back.previous, None);
        let ids = second.map(|post| post.id);
        assert_eq!(ids.items.len(), 250);
        Ok(())
    })
}

/// Beside a page whose documents were all removed lies what is on the other side of its place.
#[test]
fn around_a_page_without_documents() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        posts.insert_many((0..10).map(post)).await?;
        let p = Post::fields();
        let page = || posts.find(Filter::new()).page(4);
        let ids = |page: &Page<Post>| page.items.iter().map(|post| post.id).collect::<Vec<_>>();
        let first = page().await?;
        posts.delete_many(p.id().gte(4)).await?;
        let empty = page().after(first.next).await?;
        assert_eq!((ids(&empty), &empty.next), (vec![], &None));
        let back = page().before(&empty.previous.ok_or("no way back")?).await?;
        assert_eq!(ids(&back), [0, 1, 2, 3]);
        let on = page().after(back.next.clone()).await?;
        assert!(on.items.is_empty());

        posts.insert_many((4..10).map(post)).await?;
        let second = page().after(back.next).await?;
        assert_eq!(ids(&second), [4, 5, 6, 7]);
        posts.delete_many(p.id().lt(4)).await?;
        let empty = page().before(second.previous).await?;
        assert_eq!((ids(&empty), &empty.previous), (vec![], &None));
        let on = page().after(empty.next).await?;
        assert_eq!(ids(&on), [4, 5, 6, 7]);
        Ok(())
    })
}

/// The keys of the sort are fetched where the projection lacks them, and no view sees them.
#[test]
fn a_projection_gets_what_the_sort_needs() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        posts.insert_many((0..10).map(post)).await?;
        let p = Post::fields();
        let find = || posts.find(Filter::new()).sort(p.votes().desc()).project::<Title>();
        let all: Vec<Title> =
            posts.find(Filter::new()).sort(p.votes().desc() + p.id().desc()).project().await?;
        let (mut titles, mut token) = (Vec::new(), None);
        loop {
            let page = find().page(3).after(token).await?;
            titles.extend(page.items);
            token = page.next;
            if token.is_none() {
                break;
            }
        }
        assert_eq!(titles, all);
        Ok(())
    })
}

#[test]
fn lookups_are_of_the_documents_of_the_page() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (posts, users) = (db.collection::<Post>(), db.collection::<User>());
        users.insert_many((0..5).map(|n| User { id: format!("user {n}"), karma: n })).await?;
        posts.insert_many((0..10).map(post)).await?;
        let p = Post::fields();
        for (strategy, commands) in [
            (LookupStrategy::Batches, vec!["find", "find"]),
            (LookupStrategy::Lookup, vec!["aggregate"]),
        ] {
            let mut token = None;
            let mut seen = Vec::new();
            for _ in 0..4 {
                let find = posts.find(Filter::new()).sort(p.votes().asc());
                let find = find.lookup(p.author()).strategy(strategy);
                let (page, sent) = kit.commands(find.page(3).after(token)).await;
                assert_eq!(sent.names(), commands, "{sent}");
                let page = page?;
                for post in &page.items {
                    assert_eq!(post.author.get().map(|user| &user.id), Some(post.author.id()));
                    seen.push(post.id);
                }
                token = page.next;
            }
            assert_eq!(token, None);
            assert_eq!(seen.len(), 10, "{seen:?}");
            let find = posts.find(Filter::new()).sort(p.votes().asc() + p.id().asc());
            let all: Vec<_> = find.await?.into_iter().map(|post| post.id).collect();
            assert_eq!(seen, all);
        }
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts")]
struct ContactV1 {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts", schema_version = 2, from = ContactV1)]
struct Contact {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    rank: i32,
}

impl From<ContactV1> for Contact {
    fn from(old: ContactV1) -> Self {
        Self { id: old.id, name: old.name, rank: 1 }
    }
}

/// Old documents are upgraded, and written back where that does not move them in the order.
#[test]
fn upgrades_do_not_move_documents_into_later_pages() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = database(&kit).collection::<Contact>();
        let raw = contacts.driver_raw();
        raw.insert_many((0..10).map(|id| rawdoc! { "_id": id, "name": "old" })).await?;
        let c = Contact::fields();
        for (sort, written) in [(c.rank().asc(), 0), (c.name().asc(), 10)] {
            let (mut ids, mut token) = (Vec::new(), None);
            loop {
                let find = contacts.find(Filter::new()).sort(sort.clone());
                let page = find.page(3).after(token).await?;
                assert!(page.items.iter().all(|contact| contact.rank == 1));
                ids.extend(page.items.iter().map(|contact| contact.id));
                token = page.next;
                if token.is_none() {
                    break;
                }
            }
            assert_eq!(ids, (0..10).collect::<Vec<_>>(), "{sort}");
            let current = raw.count_documents(doc! { "schema_version": 2 }).await?;
            assert_eq!(current, written, "{sort}");
        }
        Ok(())
    })
}

stored_like_serde!(post(3), post(4));
