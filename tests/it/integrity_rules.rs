//! The rules of `on_delete`: `restrict`, `unlink` and `cascade`, by each action that deletes.

use bson::{Bson, doc};
use odm::prelude::*;
use odm::{DbRef, ErrorKind, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "publishers", referenced_by(Book, Catalogue))]
struct Publisher {
    #[serde(rename = "_id")]
    id: String,
    #[odm(unique)]
    number: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "books", referenced_by(Review))]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "restrict")]
    publisher: Ref<Publisher>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "reviews")]
struct Review {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "cascade")]
    book: Ref<Book>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Entry {
    publisher: Option<Ref<Publisher>>,
    others: Vec<Ref<Publisher>>,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(
    collection = "catalogues",
    on_delete(entries.publisher, "unlink"),
    on_delete(entries.others, "unlink")
)]
struct Catalogue {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(on_delete = "unlink")]
    main: Option<Ref<Publisher>>,
    #[odm(on_delete = "unlink", references(number))]
    numbers: Vec<Ref<Publisher, i32>>,
    #[odm(on_delete = "unlink")]
    links: Vec<DbRef<Publisher>>,
    entries: Vec<Entry>,
}

fn publisher(id: &str, number: i32) -> Publisher {
    Publisher { id: id.into(), number }
}

fn book(id: i32, publisher: &str) -> Book {
    Book { id, publisher: Ref::new(publisher) }
}

fn review(id: i32, book: i32) -> Review {
    Review { id, book: Ref::new(book) }
}

fn entry(publisher: Option<&str>, others: &[&str]) -> Entry {
    let others = others.iter().map(|&id| Ref::new(id)).collect();
    Entry { publisher: publisher.map(Ref::new), others, text: "…".into() }
}

async fn ids(db: &Database, collection: &str) -> TestResult<Vec<Bson>> {
    let mut found = db.driver().collection::<bson::Document>(collection).find(doc! {}).await?;
    let mut ids = Vec::new();
    while found.advance().await? {
        ids.push(found.deserialize_current()?.get("_id").cloned().unwrap_or(Bson::Null));
    }
    ids.sort_by_key(ToString::to_string);
    Ok(ids)
}

/// What the error tells of the document that refers.
fn referrer(error: &odm::Error) -> (ErrorKind, Option<&str>, Option<&str>, Option<&Bson>) {
    (error.kind(), error.model(), error.path(), error.id())
}

#[test]
fn nothing_is_deleted_while_it_is_referred_to() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
        publishers.insert_many([publisher("a", 1), publisher("b", 2)]).await?;
        books.insert_one(book(7, "a")).await?;
        let p = Publisher::fields();
        let one = publishers.delete_one(p.id().eq("a")).await.err().ok_or("deleted")?;
        let many = publishers.delete_many(p.number().gt(0)).await.err().ok_or("deleted")?;
        let all = publishers.delete_many(Filter::new()).all().await.err().ok_or("deleted")?;
        let found = publishers.find_one_and_delete(p.number().gt(0)).sort(p.number().asc());
        let found = found.await.err().ok_or("deleted")?;
        for error in [one, many, all, found] {
            let expected =
                (ErrorKind::Restricted, Some("Book"), Some("publisher"), Some(&Bson::Int32(7)));
            assert_eq!(referrer(&error), expected, "{error}");
        }
        assert_eq!(ids(&db, "publishers").await?.len(), 2);
        assert_eq!(publishers.delete_one(p.id().eq("b")).await?.deleted_count, 1);
        assert_eq!(publishers.delete_one(p.id().eq("none")).await?.deleted_count, 0);
        books.delete_one(Book::fields().id().eq(7)).await?;
        let deleted = publishers.find_one_and_delete(p.id().eq("a")).await?;
        assert_eq!(deleted, Some(publisher("a", 1)));
        Ok(())
    })
}

#[test]
fn references_are_taken_away_wherever_they_are() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (publishers, catalogues) = (db.collection::<Publisher>(), db.collection::<Catalogue>());
        let p = Publisher::fields();
        let catalogue = |id| Catalogue {
            id,
            main: Some(Ref::new("a")),
            numbers: vec![Ref::new(1), Ref::new(2)],
            links: vec![DbRef::new("a"), DbRef::new("b")],
            entries: vec![entry(Some("a"), &["a", "b", "a"]), entry(Some("b"), &[])],
        };
        for action in 0..3 {
            publishers.insert_many([publisher("a", 1), publisher("b", 2)]).await?;
            catalogues.insert_many([catalogue(1), catalogue(2)]).await?;
            let raw = db.driver().collection::<bson::Document>("catalogues");
            // DBRefs may lie there as plain ids, and lead into another collection.
            let other = doc! { "$ref": "others", "$id": "a" };
            let links = doc! { "$push": { "links": { "$each": ["a", &other] } } };
            raw.update_one(doc! { "_id": 2 }, links).await?;
            match action {
                0 => assert_eq!(publishers.delete_one(p.id().eq("a")).await?.deleted_count, 1),
                1 => assert_eq!(publishers.delete_many(p.number().lt(2)).await?.deleted_count, 1),
                _ => {
                    let found = publishers.find_one_and_delete(p.number().eq(1)).await?;
                    assert_eq!(found, Some(publisher("a", 1)));
                }
            }
            let expected = |id| {
                let mut links = vec![Bson::from(doc! { "$ref": "publishers", "$id": "b" })];
                links.extend((id == 2).then(|| Bson::from(other.clone())));
                doc! {
                    "_id": id,
                    "numbers": [2],
                    "links": links,
                    "entries": [
                        { "others": ["b"], "text": "…" },
                        { "publisher": "b", "others": [], "text": "…" },
                    ],
                }
            };
            for id in [1, 2] {
                let stored = raw.find_one(doc! { "_id": id }).await?.ok_or("gone")?;
                assert_eq!(stored, expected(id), "by action {action}");
            }
            publishers.delete_many(Filter::new()).all().await?;
            catalogues.delete_many(Filter::new()).all().await?;
        }
        Ok(())
    })
}

/// BE510: of a parent with a list of its children, a deleted child leaves the list.
#[test]
fn a_deleted_child_is_in_its_parents_list_no_more() -> TestResult {
    #[derive(Debug, Clone, Serialize, Deserialize, Document)]
    #[odm(collection = "parents")]
    struct Parent {
        #[serde(rename = "_id")]
        id: i32,
        #[odm(on_delete = "unlink")]
        children: Vec<Ref<Child>>,
    }

    #[derive(Debug, Clone, Serialize, Deserialize, Document)]
    #[odm(collection = "children", referenced_by(Parent))]
    struct Child {
        #[serde(rename = "_id")]
        id: i32,
    }

    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (parents, children) = (db.collection::<Parent>(), db.collection::<Child>());
        children.insert_many((1..4).map(|id| Child { id })).await?;
        parents.insert_one(&Parent { id: 1, children: (1..4).map(Ref::new).collect() }).await?;
        children.delete_one(Child::fields().id().eq(2)).await?;
        let raw = db.driver().collection::<bson::Document>("parents").find_one(doc! {}).await?;
        assert_eq!(raw, Some(doc! { "_id": 1, "children": [1, 3] }));
        Ok(())
    })
}

#[test]
fn what_refers_is_deleted_too_and_the_commands_are_counted() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (books, reviews) = (db.collection::<Book>(), db.collection::<Review>());
        books.insert_many([book(1, "a"), book(2, "a")]).await?;
        reviews.insert_many([review(10, 1), review(11, 1), review(12, 2)]).await?;
        let b = Book::fields();
        let (deleted, sent) = kit.commands(books.delete_one(b.id().eq(1))).await;
        assert_eq!(deleted?.deleted_count, 1);
        let expected = ["find", "find", "delete", "delete", "commitTransaction"];
        assert_eq!(sent.names(), expected, "{sent}");
        assert_eq!(ids(&db, "reviews").await?, [Bson::Int32(12)]);
        assert_eq!(ids(&db, "books").await?, [Bson::Int32(2)]);

        // Nothing refers to a review: its deletes are what they were.
        let (deleted, sent) = kit.commands(reviews.delete_one(Review::fields().id().eq(12))).await;
        assert_eq!((deleted?.deleted_count, sent.names()), (1, vec!["delete"]));

        // References lead to the declared collection only.
        let old = db.collection_named::<Book>("old_books");
        old.insert_one(book(2, "a")).await?;
        let (deleted, sent) = kit.commands(old.delete_one(b.id().eq(2))).await;
        assert_eq!((deleted?.deleted_count, sent.names()), (1, vec!["delete"]));
        Ok(())
    })
}

#[test]
fn in_a_transaction_of_the_user_it_is_part_of_that() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (books, reviews) = (db.collection::<Book>(), db.collection::<Review>());
        books.insert_one(book(1, "a")).await?;
        reviews.insert_one(review(10, 1)).await?;
        let b = Book::fields();
        let undone: odm::Result<()> = db
            .transaction(async |tx| {
                assert_eq!(books.delete_one(b.id().eq(1)).session(&tx).await?.deleted_count, 1);
                assert_eq!(reviews.find(Filter::new()).session(&tx).await?, []);
                // An argument that is refused ends the transaction.
                books.delete_one(Filter::new()).session(&tx).await.map(drop)
            })
            .await;
        assert_eq!(undone.err().map(|error| error.kind()), Some(ErrorKind::InvalidArgument));
        assert_eq!(
            (books.get(1).await?, reviews.get(10).await?.is_some()),
            (Some(book(1, "a")), true)
        );

        // On a session without a transaction each command stands for itself.
        let session = db.start_session().await?;
        let (deleted, sent) = kit.commands(books.delete_one(b.id().eq(1)).session(&session)).await;
        assert_eq!(deleted?.deleted_count, 1);
        assert_eq!(sent.names(), ["find", "find", "delete", "delete"], "{sent}");
        assert_eq!(ids(&db, "reviews").await?, [0_i32; 0].map(Bson::from));
        Ok(())
    })
}
