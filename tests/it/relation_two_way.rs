//! Two-way relations: `link` and `unlink` keep both sides, whatever the kinds of them.

use bson::{Bson, doc};
use futures::future::try_join_all;
use odm::prelude::*;
use odm::{DbRef, ErrorKind, Ref};
use odm_testkit::{Server, TestResult};
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

/// Many to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "publishers")]
struct Publisher {
    #[serde(rename = "_id")]
    id: String,
    #[odm(inverse = publisher)]
    books: Vec<Ref<Book>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "books")]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    publisher: Option<Ref<Publisher>>,
}

/// One to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "people")]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(inverse = owner)]
    passport: Option<Ref<Passport>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "passports")]
struct Passport {
    #[serde(rename = "_id")]
    id: String,
    owner: Option<Ref<Person>>,
}

/// Many to many; one side by another key, the other as DBRefs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "authors")]
struct Author {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(inverse = authors, references(code))]
    works: Vec<Ref<Work, String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "works")]
struct Work {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(unique)]
    code: String,
    authors: Option<Vec<DbRef<Author>>>,
}

/// One to one, where one side must have the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "teams")]
struct Team {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(inverse = team)]
    captain: Option<Ref<Captain>>,
    /// Not declared two-way.
    reserve: Option<Ref<Captain>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "captains")]
struct Captain {
    #[serde(rename = "_id")]
    id: i32,
    team: Ref<Team>,
}

/// Of a second schema version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "shelves")]
struct ShelfV1 {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "shelves", schema_version = 2, from = ShelfV1)]
struct Shelf {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    #[odm(inverse = shelf)]
    boxes: Vec<Ref<Crate>>,
}

impl From<ShelfV1> for Shelf {
    fn from(old: ShelfV1) -> Self {
        Self { id: old.id, title: old.name, boxes: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "crates")]
struct Crate {
    #[serde(rename = "_id")]
    id: i32,
    shelf: Option<Ref<Shelf>>,
}

fn publisher(id: &str, books: &[i32]) -> Publisher {
    Publisher { id: id.into(), books: books.iter().map(Ref::new).collect() }
}

fn book(id: i32, publisher: Option<&str>) -> Book {
    Book { id, publisher: publisher.map(Ref::new) }
}

stored_like_serde!(
    publisher("a", &[1]),
    book(1, Some("a")),
    Person { id: 1, passport: Some(Ref::new("x")) },
    Passport { id: "x".into(), owner: None },
    Author { id: 1, works: vec![Ref::new("w")] },
    Work { id: 1, code: "w".into(), authors: Some(vec![DbRef::new(1)]) },
    Team { id: 1, captain: None, reserve: None },
    Captain { id: 1, team: Ref::new(1) },
    Shelf { id: 1, title: "t".into(), boxes: vec![] },
    Crate { id: 1, shelf: None },
);

/// Publishers with their books, and books with their publishers.
type Sides = (Vec<(String, Vec<i32>)>, Vec<(i32, Option<String>)>);

async fn sides(db: &Database) -> odm::Result<Sides> {
    let publishers = db.collection::<Publisher>().find(Filter::new());
    let publishers = publishers.sort(Publisher::fields().id().asc()).await?;
    let books = db.collection::<Book>().find(Filter::new()).sort(Book::fields().id().asc()).await?;
    let of = |p: Publisher| (p.id, p.books.iter().map(|book| *book.id()).collect());
    let to = |b: Book| (b.id, b.publisher.map(|publisher| publisher.id().clone()));
    Ok((publishers.into_iter().map(of).collect(), books.into_iter().map(to).collect()))
}

fn expected(publishers: &[(&str, &[i32])], books: &[(i32, Option<&str>)]) -> Sides {
    (
        publishers.iter().map(|(id, books)| ((*id).to_owned(), books.to_vec())).collect(),
        books.iter().map(|(id, publisher)| (*id, publisher.map(str::to_owned))).collect(),
    )
}

#[test]
fn many_to_one_keeps_both_sides() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
        publishers.insert_many([publisher("a", &[]), publisher("b", &[])]).await?;
        books.insert_many([book(1, None), book(2, None)]).await?;
        let p = Publisher::fields();

        let (linked, sent) = kit.commands(publishers.link(p.books(), "a", 1)).await;
        let linked = linked?;
        assert!(linked.near && linked.far && linked.displaced == 0, "{linked:?}");
        assert_eq!(sent.names(), ["update", "update", "update", "commitTransaction"]);
        publishers.link(p.books(), "a", 2).await?;
        assert_eq!(
            sides(&db).await?,
            expected(&[("a", &[1, 2]), ("b", &[])], &[(1, Some("a")), (2, Some("a"))])
        );

        // A second time nothing changes.
        let again = publishers.link(p.books(), "a", 1).await?;
        assert!(!again.near && !again.far && again.displaced == 0, "{again:?}");

        // From the other side, to another publisher: the first lists it no more.
        let moved = books.link(Book::fields().publisher(), 1, "b").await?;
        assert!(moved.near && moved.far && moved.displaced == 1, "{moved:?}");
        assert_eq!(
            sides(&db).await?,
            expected(&[("a", &[2]), ("b", &[1])], &[(1, Some("b")), (2, Some("a"))])
        );

        let (unlinked, sent) = kit.commands(publishers.unlink(p.books(), "b", 1)).await;
        let unlinked = unlinked?;
        assert!(unlinked.near && unlinked.far, "{unlinked:?}");
        assert_eq!(sent.names(), ["update", "update", "commitTransaction"]);
        let again = publishers.unlink(p.books(), "b", 1).await?;
        assert!(!again.near && !again.far, "{again:?}");
        assert_eq!(
            sides(&db).await?,
            expected(&[("a", &[2]), ("b", &[])], &[(1, None), (2, Some("a"))])
        );
        assert!(db.verify(odm::models![Publisher, Book]).await?.is_ok());
        Ok(())
    })
}

#[test]
fn one_to_one_parts_both_former_pairs() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (people, passports) = (db.collection::<Person>(), db.collection::<Passport>());
        let owned = |id: &str| Passport { id: id.into(), owner: None };
        people.insert_many([1, 2].map(|id| Person { id, passport: None })).await?;
        passports.insert_many(["x", "y"].map(owned)).await?;
        let passport = Person::fields().passport();
        people.link(passport.clone(), 1, "x").await?;
        people.link(passport.clone(), 2, "y").await?;
        let (linked, sent) = kit.commands(people.link(passport, 1, "y")).await;
        let linked = linked?;
        assert_eq!((linked.near, linked.far, linked.displaced), (true, true, 2));
        assert_eq!(sent.count("update"), 4, "{sent}");
        let found = people.find(Filter::new()).sort(Person::fields().id().asc()).await?;
        let held: Vec<_> =
            found.iter().map(|p| p.passport.as_ref().map(|p| p.id().as_str())).collect();
        assert_eq!(held, [Some("y"), None]);
        let found = passports.find(Filter::new()).sort(Passport::fields().id().asc()).await?;
        let held: Vec<_> = found.iter().map(|p| p.owner.as_ref().map(|p| *p.id())).collect();
        assert_eq!(held, [None, Some(1)]);
        Ok(())
    })
}

/// By another key on one side, as DBRefs in a list that is null at first on the other.
#[test]
fn many_to_many_takes_other_keys_and_db_refs() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (authors, works) = (db.collection::<Author>(), db.collection::<Work>());
        authors.insert_many([1, 2].map(|id| Author { id, works: vec![] })).await?;
        let work = |id: i32, code: &str| Work { id, code: code.into(), authors: None };
        works.insert_many([work(10, "one"), work(20, "two")]).await?;
        let path = || Author::fields().works();
        for (author, work) in [(1, 10), (1, 20), (2, 10), (2, 10)] {
            authors.link(path(), author, work).await?;
        }
        works.link(Work::fields().authors(), 10, 1).await?;
        let stored = works.driver().find_one(doc! { "_id": 10 }).await?.ok_or("gone")?;
        let db_ref = |id: i32| Bson::from(doc! { "$ref": "authors", "$id": id });
        assert_eq!(stored.get_array("authors")?, &[db_ref(1), db_ref(2)]);
        let stored = authors.driver().find_one(doc! { "_id": 1 }).await?.ok_or("gone")?;
        assert_eq!(stored.get_array("works")?, &[Bson::from("one"), Bson::from("two")]);
        assert!(db.verify(odm::models![Author, Work]).await?.is_ok());

        let unlinked = authors.unlink(path(), 1, 10).await?;
        assert!(unlinked.near && unlinked.far, "{unlinked:?}");
        let stored = works.driver().find_one(doc! { "_id": 10 }).await?.ok_or("gone")?;
        assert_eq!(stored.get_array("authors")?, &[db_ref(2)]);
        assert!(db.verify(odm::models![Author, Work]).await?.is_ok());
        Ok(())
    })
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (teams, captains) = (db.collection::<Team>(), db.collection::<Captain>());
        let t = Team::fields();
        let action = teams.link(t.reserve(), 1, 1);
        let (refused, sent) = kit.commands(action).await;
        let error = refused.err().ok_or("linked")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::InvalidArgument, Some("reserve")));
        assert!(error.to_string().contains("#[odm(inverse = …)]"), "{error}");
        assert!(sent.is_empty(), "{sent}");
        let (refused, sent) = kit.commands(teams.unlink(t.captain(), 1, 1)).await;
        let error = refused.err().ok_or("unlinked")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::InvalidArgument, Some("team")));
        assert!(sent.is_empty(), "{sent}");

        // The first captain must have a team.
        teams.insert_many([1, 2].map(|id| Team { id, captain: None, reserve: None })).await?;
        captains.insert_many([1, 2].map(|id| Captain { id, team: Ref::new(1) })).await?;
        let error = teams.link(t.captain(), 1, 2).await.err().ok_or("linked")?;
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        captains.update_one(Captain::fields().id().eq(2), Captain::fields().team().set(2)).await?;
        teams.link(t.captain(), 1, 1).await?;
        teams.link(t.captain(), 2, 2).await?;

        // A document that is not there is named, and the other stays as it was.
        let publishers = db.collection::<Publisher>();
        publishers.insert_one(publisher("a", &[])).await?;
        db.collection::<Book>().insert_one(book(1, None)).await?;
        let session = db.start_session().await?;
        let p = Publisher::fields();
        for on_session in [false, true] {
            let link = |id: &'static str, other| match on_session {
                true => publishers.link(p.books(), id, other).session(&session),
                false => publishers.link(p.books(), id, other),
            };
            let error = link("a", 2).await.err().ok_or("linked")?;
            let told = (error.kind(), error.model(), error.id().cloned());
            assert_eq!(told, (ErrorKind::NotFound, Some("Book"), Some(Bson::Int32(2))));
            let error = link("z", 1).await.err().ok_or("linked")?;
            let told = (error.kind(), error.model(), error.id().cloned());
            assert_eq!(told, (ErrorKind::NotFound, Some("Publisher"), Some(Bson::from("z"))));
            assert_eq!(sides(&db).await?, expected(&[("a", &[])], &[(1, None)]));
        }
        Ok(())
    })
}

/// In the caller's transaction, and not without it.
#[test]
fn a_link_belongs_to_the_transaction_of_its_session() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let publishers = db.collection::<Publisher>();
        publishers.insert_many([publisher("a", &[]), publisher("b", &[])]).await?;
        db.collection::<Book>().insert_one(book(1, None)).await?;
        let p = Publisher::fields();
        let failed: Result<(), _> = db
            .transaction(async |tx| {
                publishers.link(p.books(), "a", 1).session(&tx).await?;
                let missing = publishers.get("none").session(&tx).await?;
                missing
                    .map(drop)
                    .ok_or_else(|| Box::<dyn std::error::Error + Send + Sync>::from("no"))
            })
            .await;
        assert!(failed.is_err());
        assert_eq!(sides(&db).await?, expected(&[("a", &[]), ("b", &[])], &[(1, None)]));
        db.transaction(async |tx| {
            publishers.link(p.books(), "a", 1).session(&tx).await?;
            publishers.link(p.books(), "b", 1).session(&tx).await
        })
        .await?;
        assert_eq!(sides(&db).await?, expected(&[("a", &[]), ("b", &[1])], &[(1, Some("b"))]));
        Ok(())
    })
}

/// Without a transaction a link can be cut off after each of its writes; the same link completes it.
#[test]
fn a_link_that_was_cut_off_is_completed_by_the_same() -> TestResult {
    odm_testkit::run_with(Server::builder().failpoints(true), async |kit| {
        let db = database(&kit);
        let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
        let p = Publisher::fields();
        for done in 0..3 {
            publishers.delete_many(Filter::new()).all().await?;
            books.delete_many(Filter::new()).all().await?;
            publishers.insert_many([publisher("a", &[1]), publisher("b", &[])]).await?;
            books.insert_one(book(1, Some("a"))).await?;
            let session = db.start_session().await?;
            let admin = kit.client().database("admin");
            let data = doc! { "failCommands": ["update"], "errorCode": 1 };
            let mode = doc! { "skip": done };
            admin
                .run_command(
                    doc! { "configureFailPoint": "failCommand", "mode": mode, "data": data },
                )
                .await?;
            let cut = publishers.link(p.books(), "b", 1).session(&session).await;
            admin.run_command(doc! { "configureFailPoint": "failCommand", "mode": "off" }).await?;
            assert!(cut.is_err(), "{done}");
            publishers.link(p.books(), "b", 1).session(&session).await?;
            let both = expected(&[("a", &[]), ("b", &[1])], &[(1, Some("b"))]);
            assert_eq!(sides(&db).await?, both, "after {done} writes");
        }
        Ok(())
    })
}

/// A server without transactions says so to the first update; then the documents are looked for, and
/// the same updates sent.
#[test]
fn a_server_without_transactions_links_in_order() -> TestResult {
    odm_testkit::run_with(Server::builder().failpoints(true), async |kit| {
        let db = database(&kit);
        let publishers = db.collection::<Publisher>();
        publishers.insert_many([publisher("a", &[1]), publisher("b", &[])]).await?;
        db.collection::<Book>().insert_one(book(1, Some("a"))).await?;
        let data = doc! { "failCommands": ["update"], "errorCode": 20 };
        let refuse =
            doc! { "configureFailPoint": "failCommand", "mode": { "times": 1 }, "data": data };
        let admin = kit.client().database("admin");
        admin.run_command(refuse.clone()).await?;
        let link = publishers.link(Publisher::fields().books(), "b", 1);
        let (linked, sent) = kit.commands(link).await;
        assert_eq!(linked?.displaced, 1);
        let names: Vec<_> =
            sent.names().into_iter().filter(|name| *name != "abortTransaction").collect();
        assert_eq!(names, ["update", "find", "find", "update", "update", "update"], "{sent}");
        let both = expected(&[("a", &[]), ("b", &[1])], &[(1, Some("b"))]);
        assert_eq!(sides(&db).await?, both);

        admin.run_command(refuse).await?;
        let link = publishers.link(Publisher::fields().books(), "none", 1).await;
        assert_eq!(link.err().map(|error| error.kind()), Some(ErrorKind::NotFound));
        assert_eq!(sides(&db).await?, both);
        Ok(())
    })
}

/// However many take one book at the same time, one has it in the end, and says so.
#[test]
fn concurrent_links_leave_one_consistent_pair() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let publishers = db.collection::<Publisher>();
        let ids: Vec<String> = (0..20).map(|n| format!("p{n:02}")).collect();
        publishers.insert_many(ids.iter().map(|id| publisher(id, &[]))).await?;
        db.collection::<Book>().insert_one(book(1, None)).await?;
        let links = ids
            .iter()
            .map(|id| publishers.link(Publisher::fields().books(), id.as_str(), 1).into_future());
        try_join_all(links).await?;
        let (publishers, books) = sides(&db).await?;
        let listing: Vec<_> = publishers.iter().filter(|(_, books)| !books.is_empty()).collect();
        assert_eq!(listing.len(), 1, "{listing:?}");
        assert_eq!(books, [(1, Some(listing[0].0.clone()))]);
        assert!(db.verify(odm::models![Publisher, Book]).await?.is_ok());
        Ok(())
    })
}

/// An old document is migrated first; a newer one is an error, and nothing is changed.
#[test]
fn versions_are_guarded() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (shelves, crates) = (db.collection::<Shelf>(), db.collection::<Crate>());
        let old = doc! { "_id": 1, "name": "old" };
        let newer = doc! { "_id": 3, "schema_version": 3, "boxes": 5 };
        shelves.driver().insert_many([old, newer]).await?;
        crates.insert_one(Crate { id: 7, shelf: None }).await?;
        let s = Shelf::fields();
        shelves.link(s.boxes(), 1, 7).await?;
        let stored = shelves.driver().find_one(doc! { "_id": 1 }).await?.ok_or("gone")?;
        assert_eq!(stored.get_i32("schema_version")?, 2);
        assert_eq!(stored.get_str("title")?, "old");
        assert_eq!(stored.get_array("boxes")?, &[Bson::Int32(7)]);
        let error = shelves.link(s.boxes(), 3, 7).await.err().ok_or("linked")?;
        assert_eq!(error.kind(), ErrorKind::NewerVersion, "{error}");
        let held = crates.get(7).await?.ok_or("gone")?.shelf;
        assert_eq!(held.map(|shelf| *shelf.id()), Some(1));
        Ok(())
    })
}
