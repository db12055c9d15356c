//! Lookups where ids meet by chance, orders are odd, and rows hold more than what is stored.

use bson::{Bson, doc};
use odm::prelude::*;
use odm::{DbRef, Lookup, LookupStrategy, Many, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

const BOTH: [LookupStrategy; 2] = [LookupStrategy::Lookup, LookupStrategy::Batches];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "publishers")]
struct Publisher {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(unique)]
    code: i32,
    #[serde(skip)]
    #[odm(inverse = publisher)]
    books: Many<Book>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "books")]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    publisher: Ref<Publisher>,
    #[serde(default)]
    rank: Bson,
    #[serde(default)]
    parts: Bson,
    next: Option<Ref<Book>>,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Book)]
struct Short {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Book)]
struct Computed {
    publisher: Ref<Publisher>,
    #[odm(computed = |b| b.id() * 2)]
    doubled: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Item {
    Book { item: Ref<Book> },
    Publisher { item: Ref<Publisher> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(untagged)]
enum Subject {
    Book(DbRef<Book>),
    Publisher(DbRef<Publisher>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "shelves")]
struct Shelf {
    #[serde(rename = "_id")]
    id: i32,
    items: Vec<Item>,
    subject: Option<Subject>,
    old: Vec<DbRef<Book>>,
    #[odm(references(code))]
    coded: Option<Ref<Publisher, i32>>,
}

fn publisher(id: i32) -> Publisher {
    Publisher { id, code: id * 10, books: Many::default() }
}

fn book(id: i32, publisher: i32) -> Book {
    Book { id, publisher: Ref::new(publisher), rank: Bson::Null, parts: Bson::Null, next: None }
}

fn shelf(id: i32) -> Shelf {
    Shelf { id, items: vec![], subject: None, old: vec![], coded: None }
}

fn ids(books: &Many<Book>) -> odm::Result<Vec<i32>> {
    Ok(books.try_get()?.map(|book| book.id).collect())
}

/// A book whose `_id` is that of its publisher is loaded like the others.
#[test]
fn an_id_may_be_that_of_what_it_refers_to() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let publishers = db.collection::<Publisher>();
        publishers.insert_one(publisher(2)).await?;
        db.collection::<Book>().insert_many([book(1, 2), book(2, 2), book(3, 2)]).await?;
        for strategy in BOTH {
            let find = publishers.find(Filter::new()).lookup(Publisher::fields().books());
            let found = find.strategy(strategy).await?;
            assert_eq!(ids(&found[0].books)?, [1, 2, 3], "{strategy:?}");
        }
        Ok(())
    })
}

/// Many are in the order in which the server sorts documents: with arrays, empty ones, missing
/// values and documents inside of arrays; also where a limit cuts them.
#[test]
fn the_order_is_that_of_a_find() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
        publishers.insert_one(publisher(1)).await?;
        let ranks = [
            Some(Bson::Array(vec![])),
            None,
            Some(Bson::Null),
            Some(3.into()),
            Some(Bson::Array(vec![1.into(), 9.into()])),
            Some(Bson::Array(vec![Bson::Null, 5.into()])),
            Some(2.5.into()),
            Some(Bson::Array(vec![Bson::Array(vec![])])),
            Some("x".into()),
            Some(true.into()),
            Some(doc! { "n": 1 }.into()),
            Some(bson::DateTime::from_millis(5).into()),
            Some(Bson::Undefined),
        ];
        let parts = [
            Some(doc! { "n": 4 }.into()),
            Some(Bson::Array(vec![doc! { "n": 2 }.into(), doc! {}.into()])),
            Some(Bson::Array(vec![])),
            None,
            Some(Bson::Array(vec![7.into(), doc! { "n": 1 }.into()])),
            Some(Bson::Array(vec![doc! { "n": [] }.into()])),
            Some(Bson::Array(vec![doc! { "n": [8, 0] }.into(), doc! { "n": 3 }.into()])),
            Some(doc! { "n": [] }.into()),
            Some(5.into()),
        ];
        let mut stored = Vec::new();
        for (position, rank) in ranks.iter().enumerate() {
            let part = &parts[position * 5 % parts.len()];
            // Ids in another order than the values.
            let mut book = doc! { "_id": (position * 8 % 13) as i32, "publisher": 1, "next": null };
            book.extend(rank.clone().map(|rank| ("rank".to_owned(), rank)));
            book.extend(part.clone().map(|part| ("parts".to_owned(), part)));
            stored.push(book);
        }
        db.driver().collection("books").insert_many(stored).await?;
        let (b, p) = (Book::fields(), Publisher::fields());
        for (path, direction) in [("rank", 1), ("rank", -1), ("parts.n", 1), ("parts.n", -1)] {
            let sort = || odm::Sort::raw(doc! { path: direction });
            let whole = books.find(Filter::new()).sort(sort() + b.id().asc()).await?;
            let expected: Vec<_> = whole.iter().map(|book| book.id).collect();
            assert_eq!(expected.len(), ranks.len());
            for strategy in BOTH {
                for limit in [0, 1, 4, 7] {
                    let lookup = Lookup::new(p.books()).sort(sort()).limit(limit);
                    let find = publishers.find(Filter::new()).lookup(lookup).strategy(strategy);
                    let found = ids(&find.await?[0].books)?;
                    let most = if limit == 0 { expected.len() } else { limit as usize };
                    let what = format!("{path} {direction}, {limit} by {strategy:?}");
                    assert_eq!(found, expected[..most], "{what}");
                }
            }
        }
        Ok(())
    })
}

/// A sort by a field that the view lacks, before the projection or after it.
#[test]
fn views_are_sorted_by_fields_that_they_lack() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let publishers = db.collection::<Publisher>();
        publishers.insert_one(publisher(1)).await?;
        let of_rank = |id, rank: i32| Book { rank: rank.into(), ..book(id, 1) };
        let books = [of_rank(1, 5), of_rank(2, 9), of_rank(3, 7)];
        db.collection::<Book>().insert_many(books).await?;
        let (b, p) = (Book::fields(), Publisher::fields());
        let lookup = || Lookup::new(p.books());
        for strategy in BOTH {
            for lookup in [
                lookup().sort(b.rank().desc()).project::<Short>(),
                lookup().project::<Short>().sort(b.rank().desc()),
                lookup().project::<Short>().sort(b.rank().desc()).limit(3),
            ] {
                let find = publishers.find(Filter::new()).lookup(lookup).strategy(strategy);
                let found = find.await?;
                let views = found[0].books.views::<Short>().ok_or("no views")?;
                let order: Vec<_> = views.map(|view| view.id).collect();
                assert_eq!(order, [2, 3, 1], "{strategy:?}");
            }
        }
        Ok(())
    })
}

/// Under one path may be references to several models, with the same ids.
#[test]
fn a_limit_counts_the_references_to_its_model() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.collection::<Publisher>().insert_many([publisher(1), publisher(2)]).await?;
        db.collection::<Book>().insert_many([book(1, 1), book(2, 1)]).await?;
        let shelves = db.collection::<Shelf>();
        let items = vec![Item::Publisher { item: Ref::new(1) }, Item::Book { item: Ref::new(2) }];
        shelves.insert_one(Shelf { items, ..shelf(1) }).await?;
        for strategy in BOTH {
            let lookup = Lookup::new(Shelf::fields().items().book().item()).limit(1);
            let found = shelves.find(Filter::new()).lookup(lookup).strategy(strategy).await?;
            let loaded: Vec<_> = found[0]
                .items
                .iter()
                .map(|item| match item {
                    Item::Book { item } => item.is_loaded(),
                    Item::Publisher { item } => item.is_loaded(),
                })
                .collect();
            assert_eq!(loaded, [false, true], "{strategy:?}");
        }
        Ok(())
    })
}

/// A DBRef into another database is none to the document here with its id.
#[test]
fn a_limit_counts_no_dbref_into_another_database() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.collection::<Book>().insert_many([book(1, 1), book(2, 1)]).await?;
        let shelves = db.collection::<Shelf>();
        let other = "elsewhere";
        let old = vec![DbRef::new(1).in_database(other), DbRef::new(2)];
        shelves.insert_one(Shelf { old, ..shelf(1) }).await?;
        for strategy in BOTH {
            let lookup = Lookup::new(Shelf::fields().old()).limit(1);
            let found = shelves.find(Filter::new()).lookup(lookup).strategy(strategy).await?;
            let old = &found[0].old;
            assert!(!old[0].is_loaded() && old[1].is_loaded(), "{strategy:?}: {old:?}");
        }
        Ok(())
    })
}

/// An inner join by DBRefs asks where they lead, not for the id alone.
#[test]
fn a_required_dbref_leads_to_its_model() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.collection::<Publisher>().insert_one(publisher(1)).await?;
        db.collection::<Book>().insert_one(book(1, 1)).await?;
        let shelves = db.collection::<Shelf>();
        let of = |id, subject| Shelf { subject: Some(subject), ..shelf(id) };
        let publisher = Subject::Publisher(DbRef::new(1));
        shelves.insert_many([of(1, publisher), of(2, Subject::Book(DbRef::new(1)))]).await?;
        let find = || {
            let lookup = Lookup::new(Shelf::fields().subject().book()).required();
            shelves.find(Filter::new()).lookup(lookup)
        };
        for strategy in [LookupStrategy::Auto, LookupStrategy::Batches] {
            let found = find().strategy(strategy).await?;
            assert_eq!(found.iter().map(|shelf| shelf.id).collect::<Vec<_>>(), [2]);
            assert_eq!(find().strategy(strategy).count().await?, 1);
        }
        let error = find().with_lookup().await.err().ok_or("joined")?;
        assert_eq!(error.kind(), odm::ErrorKind::InvalidArgument, "{error}");
        Ok(())
    })
}

/// What the server computes for a view comes after what it joins.
#[test]
fn a_view_with_computed_fields_has_an_inner_join() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.collection::<Publisher>().insert_one(publisher(1)).await?;
        let books = db.collection::<Book>();
        books.insert_many([book(4, 1), book(5, 2)]).await?;
        for strategy in BOTH {
            let lookup = Lookup::new(Book::fields().publisher()).required();
            let find = books.find(Filter::new()).project::<Computed>().lookup(lookup);
            let found = find.strategy(strategy).await?;
            let shown: Vec<_> =
                found.iter().map(|view| (view.doubled, view.publisher.is_loaded())).collect();
            assert_eq!(shown, [(8, true)], "{strategy:?}");
        }
        Ok(())
    })
}

/// Without its unique index a key may be there twice; the reference leads to the first.
#[test]
fn of_several_documents_with_a_key_the_first_is_loaded() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let of = |id| Publisher { code: 7, ..publisher(id) };
        db.collection::<Publisher>().insert_many([of(3), of(1), of(2)]).await?;
        let shelves = db.collection::<Shelf>();
        shelves.insert_one(Shelf { coded: Some(Ref::new(7)), ..shelf(1) }).await?;
        for strategy in BOTH {
            let find = shelves.find(Filter::new()).lookup(Shelf::fields().coded());
            let found = find.strategy(strategy).await?;
            let coded = found[0].coded.as_ref().ok_or("no reference")?;
            assert_eq!(coded.try_get()?.id, 1, "{strategy:?}");
        }
        Ok(())
    })
}

/// What cannot be done is refused before anything is sent.
#[test]
fn misuse_is_refused_before_anything_is_sent() -> TestResult {
    #[derive(Debug, Deserialize, View)]
    #[serde(deny_unknown_fields)]
    #[odm(of = Book)]
    #[allow(dead_code)]
    struct Strict {
        #[serde(rename = "_id")]
        id: i32,
    }
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
        let (p, b) = (Publisher::fields(), Book::fields());
        macro_rules! refused {
            ($($find:expr => $says:literal),+ $(,)?) => {$({
                let (found, sent) = kit.commands($find).await;
                let error = found.err().ok_or(concat!(stringify!($find), " was done"))?;
                assert_eq!(error.kind(), odm::ErrorKind::InvalidArgument, "{error}");
                assert!(error.to_string().contains($says), "{error}");
                assert_eq!(sent.len(), 0, "{sent}");
            })+};
        }
        let all = || books.find(Filter::new());
        let of_books = || Lookup::new(p.books());
        refused!(
            publishers.find(Filter::new()).lookup(of_books().project::<Strict>()) => "add the field",
            publishers
                .find(Filter::new())
                .lookup(of_books().project::<Short>().lookup(b.publisher())) => "no such field",
            all().project::<Short>().lookup(b.publisher()) => "no such field",
            all().lookup(Lookup::new(b.publisher()).count()) => "a list of references has a length",
            publishers.find(Filter::new()).lookup(of_books().count().limit(2)) => "no limit",
            all().lookup(b.next().graph_lookup(2).limit(1)) => "a graph lookup takes a filter",
            all().lookup(b.publisher()).lookup(Lookup::new(b.publisher()).limit(1)) => "twice",
            all()
                .lookup(Lookup::new(b.publisher()).sort_parents(p.code().asc()))
                .with_batches() => "let `$lookup` do it",
        );
        Ok(())
    })
}

stored_like_serde!(
    publisher(1),
    book(1, 2),
    Shelf {
        items: vec![Item::Book { item: Ref::new(1) }],
        subject: Some(Subject::Book(DbRef::new(2))),
        old: vec![DbRef::new(3)],
        coded: Some(Ref::new(7)),
        ..shelf(1)
    },
);
