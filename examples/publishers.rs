//! Publishers: books refer to their publisher, and a publisher lists its books; both sides are kept.
//!
//! Run it with `cargo run --example publishers`. It starts a MongoDB of its own, shows each step
//! with its result and round trips, and checks itself.

mod support;

use odm::bson::oid::ObjectId;
use odm::bson::{self, Bson, doc};
use odm::prelude::*;
use odm::{ErrorKind, LookupStrategy, Ref};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};
use serde_json::json;
use support::Steps;

/// A publisher. The `_id` is a short name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "publishers")]
struct Publisher {
    #[serde(rename = "_id")]
    id: String,
    name: String,
    founded: i32,
    /// Its few books, in the order of the catalogue. The relation is two-way: `link` keeps this
    /// list and the reference of each book.
    #[odm(index, inverse = publisher)]
    books: Vec<Ref<Book>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "books")]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    pages: i32,
    #[serde(rename = "publisher_id")]
    #[odm(index)]
    publisher: Ref<Publisher>,
    authors: Vec<Ref<Author>>,
    /// `None` for a book that is lent.
    shelf: Option<Ref<Shelf>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "authors")]
struct Author {
    #[serde(rename = "_id")]
    id: ObjectId,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "shelves")]
struct Shelf {
    #[serde(rename = "_id")]
    id: ShelfId,
    topic: String,
}

/// Shelves are numbered in each room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct ShelfId {
    room: String,
    number: i32,
}

const GUIDE: i32 = 123_456_789;
const TIPS: i32 = 234_567_890;
const DOMAIN: i32 = 345_678_901;

/// Each strategy with its name.
const BOTH: [(LookupStrategy, &str); 2] =
    [(LookupStrategy::Lookup, "$lookup"), (LookupStrategy::Batches, "batches")];

fn main() -> TestResult {
    odm_testkit::run(publishers)
}

async fn publishers(kit: Kit) -> TestResult {
    let db = Database::from(kit.database());
    let mut steps = Steps::new(&kit);
    let author = Author { id: ObjectId::new(), name: "Kristina Chodorow".to_owned() };

    write(&kit, &db, &mut steps, &author).await?;
    filter_by_reference(&db, &mut steps, &author).await?;
    look_up(&kit, &db, &mut steps).await?;
    look_up_inside(&kit, &db, &mut steps).await?;
    show_as_json(&db, &mut steps).await?;
    change(&kit, &db, &mut steps).await?;
    lose_a_book(&db, &mut steps).await?;
    repair(&kit, &db, &mut steps).await?;

    steps.finish("publishers");
    Ok(())
}

/// References are written by their ids; what they refer to need not be there yet.
async fn write(kit: &Kit, db: &Database, steps: &mut Steps, author: &Author) -> TestResult {
    let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
    let plan = db.plan(odm::models![Publisher, Book, Author, Shelf]).await?;
    print!("{plan}");
    let applied = steps.step("Apply the plan", plan.apply()).await?;
    steps.check("a reference is indexed like its id", applied.created.len(), 2)?;

    let shelf = Some(Ref::new(shelf_id("A", 3)));
    let written = [
        book(GUIDE, "MongoDB: The Definitive Guide", 216, "oreilly", author, shelf.clone()),
        book(TIPS, "50 Tips and Tricks for MongoDB Developers", 68, "oreilly", author, None),
        Book {
            authors: Vec::new(),
            ..book(DOMAIN, "Domain Modeling", 312, "pragprog", author, shelf)
        },
    ];
    let insert = steps.step("Write three books", books.insert_many(&written));
    let (inserted, sent) = kit.commands(insert).await;
    steps.check("all were inserted", inserted?.inserted_ids.len(), 3)?;
    steps.check("nothing they refer to was read", sent.names(), ["insert"])?;
    let written = [
        publisher("oreilly", "O'Reilly Media", 1980, &[TIPS, GUIDE]),
        publisher("pragprog", "The Pragmatic Bookshelf", 1999, &[DOMAIN]),
    ];
    steps.step("Write two publishers", publishers.insert_many(&written)).await?;
    steps.step("Write an author", db.collection::<Author>().insert_one(author)).await?;
    let shelf = Shelf { id: shelf_id("A", 3), topic: "Databases".to_owned() };
    steps.step("Write a shelf", db.collection::<Shelf>().insert_one(shelf)).await?;

    let expected = doc! {
        "_id": GUIDE,
        "title": "MongoDB: The Definitive Guide",
        "pages": 216,
        "publisher_id": "oreilly",
        "authors": [author.id],
        "shelf": { "room": "A", "number": 3 },
    };
    steps.check("a book holds only ids", stored(&books, GUIDE).await?, expected)?;
    let stored = stored(&publishers, "oreilly").await?;
    let listed = stored.get_array("books")?;
    steps.check("and so does a publisher", listed, &[Bson::Int32(TIPS), Bson::Int32(GUIDE)])
}

/// A reference is compared with an id, and the id has the type that the other model declares.
async fn filter_by_reference(db: &Database, steps: &mut Steps, author: &Author) -> TestResult {
    let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
    let (p, b) = (Publisher::fields(), Book::fields());

    let by_publisher = books.find(b.publisher().eq("oreilly")).sort(b.id().asc());
    let by_publisher = steps.step("Books of a publisher", by_publisher).await?;
    steps.check("two are of oreilly", ids(&by_publisher), [GUIDE, TIPS])?;
    let by_author = books.find(b.authors().contains(author.id)).sort(b.id().asc());
    let by_author = steps.step("Books of an author", by_author).await?;
    steps.check("two are by the author", ids(&by_author), [GUIDE, TIPS])?;
    let by_shelf = books.find(b.shelf().eq(shelf_id("A", 3))).sort(b.id().asc());
    let by_shelf = steps.step("Books on a shelf", by_shelf).await?;
    steps.check("two are on the shelf", ids(&by_shelf), [GUIDE, DOMAIN])?;
    let listing = publishers.find_one(p.books().contains(DOMAIN));
    let listing = steps.step("Who lists a book?", listing).await?;
    steps.check("one publisher does", listing.map(|p| p.id), Some("pragprog".to_owned()))
}

/// Nothing loads by itself: a find names what to load.
async fn look_up(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
    let (p, b) = (Publisher::fields(), Book::fields());

    let plain = steps.step("Get a book", books.get(GUIDE)).await?.ok_or("no book")?;
    steps.check("the publisher's id is known", plain.publisher.id().as_str(), "oreilly")?;
    let error = plain.publisher.try_get().err().ok_or("loaded")?;
    println!("    {error}");
    steps.check("but not the publisher", error.kind(), ErrorKind::NotLoaded)?;

    let get = books.get(GUIDE).lookup(b.publisher());
    let book = steps.step("Get a book with its publisher", get).await?.ok_or("no book")?;
    let name = book.publisher.get().map(|publisher| publisher.name.as_str());
    steps.check("the publisher is there", name, Some("O'Reilly Media"))?;

    let all = books.find(Filter::new()).sort(b.id().asc()).lookup(b.publisher());
    let all = steps.step("All books with their publishers", all).await?;
    let names: Vec<_> =
        all.iter().filter_map(|book| Some(book.publisher.get()?.name.as_str())).collect();
    let expected = ["O'Reilly Media", "O'Reilly Media", "The Pragmatic Bookshelf"];
    steps.check("each book has its own", names, expected)?;

    let mut seen = Vec::new();
    for ((strategy, name), commands) in
        BOTH.into_iter().zip([&["aggregate"][..], &["find", "find"]])
    {
        let get = publishers.get("oreilly").lookup(p.books()).strategy(strategy);
        let title = format!("A publisher with its books, by {name}");
        let (found, sent) = kit.commands(steps.step(&title, get)).await;
        let found = found?.ok_or("no publisher")?;
        steps.check("the commands are its own", sent.names(), commands)?;
        let pages: Vec<_> = found.books.iter().map(|book| Some(book.get()?.pages)).collect();
        steps.check("the books are in the publisher's order", pages, [Some(68), Some(216)])?;
        seen.push(shown(&found)?);
    }
    steps.check("both strategies give the same", &seen[0], &seen[1])
}

/// References inside of what is loaded are named on the path.
async fn look_up_inside(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let publishers = db.collection::<Publisher>();
    let (p, b) = (Publisher::fields(), Book::fields());

    let mut seen = Vec::new();
    for ((strategy, name), commands) in BOTH.into_iter().zip([1, 4]) {
        let find = publishers
            .find(Filter::new())
            .sort(p.id().asc())
            .lookup(p.books().lookup(b.publisher().lookup(p.books())))
            .strategy(strategy);
        let title = format!("Publishers, their books, the books' publishers and books, by {name}");
        let (found, sent) = kit.commands(steps.step(&title, find)).await;
        let found = found?;
        steps.check("one command, or one for each path", sent.len(), commands)?;
        let inner = found[0].books[1].get().and_then(|book| book.publisher.get());
        let last = inner.and_then(|publisher| publisher.books[0].get());
        let title = last.map(|book| book.title.as_str());
        let expected = Some("50 Tips and Tricks for MongoDB Developers");
        steps.check("the last book is there", title, expected)?;
        seen.push(found.iter().map(shown).collect::<TestResult<Vec<_>>>()?);
    }
    steps.check("both strategies give the same, at any depth", &seen[0], &seen[1])?;

    let find = publishers.find_one(p.name().eq("O'Reilly Media"));
    let find = find.lookup(p.books().lookup(b.shelf()));
    let found = steps.step("A publisher, its books and their shelves", find).await?;
    let found = found.ok_or("no publisher")?;
    let shelf = |book: &Ref<Book>| Some(book.get()?.shelf.as_ref()?.get()?.topic.clone());
    let shelves: Vec<_> = found.books.iter().map(shelf).collect();
    steps.check("one is lent", shelves, [None, Some("Databases".to_owned())])?;
    let find = publishers.get("oreilly").lookup(p.books().lookup(b.authors()));
    let found = steps.step("A publisher, its books and their authors", find).await?;
    let found = found.ok_or("no publisher")?;
    let author = |book: &Ref<Book>| Some(book.get()?.authors.first()?.get()?.name.clone());
    let authors: Vec<_> = found.books.iter().filter_map(author).collect();
    steps.check("one author wrote both", authors, ["Kristina Chodorow"; 2])
}

/// To people a loaded reference is the document; the database keeps the id.
async fn show_as_json(db: &Database, steps: &mut Steps) -> TestResult {
    let (books, b) = (db.collection::<Book>(), Book::fields());
    let before = stored(&books, GUIDE).await?;
    let get = books.get(GUIDE).lookup(b.publisher()).lookup(b.shelf());
    let book = steps.step("Get a book, its publisher and its shelf", get).await?.ok_or("gone")?;
    let json = serde_json::to_string_pretty(&book)?;
    println!("{json}");
    let value: serde_json::Value = serde_json::from_str(&json)?;
    let expected = json!({
        "_id": "oreilly",
        "name": "O'Reilly Media",
        "founded": 1980,
        "books": [TIPS, GUIDE],
    });
    steps.check("JSON shows the publisher", &value["publisher_id"], &expected)?;
    let expected = json!({ "_id": { "room": "A", "number": 3 }, "topic": "Databases" });
    steps.check("and the shelf", &value["shelf"], &expected)?;
    let expected = json!([{ "$oid": book.authors[0].id().to_hex() }]);
    steps.check("but only the id of the author", &value["authors"], &expected)?;

    let read: Book = serde_json::from_str(&json)?;
    steps.check("the publisher is read back, too", read.publisher.is_loaded(), true)?;
    steps.step("Store the book that JSON gave", books.replace_one(b.id().eq(GUIDE), &read)).await?;
    steps.check("the database has the ids", stored(&books, GUIDE).await?, before)
}

/// A reference is changed by an id.
async fn change(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
    let (p, b) = (Publisher::fields(), Book::fields());

    let back = books.update_one(b.id().eq(TIPS), b.shelf().set(shelf_id("A", 3)));
    let (back, sent) = kit.commands(steps.step("A book comes back to its shelf", back)).await;
    steps.check("it has a shelf", back?.modified_count, 1)?;
    steps.check("no shelf was read", sent.names(), ["update"])?;
    let sold = publishers.link(p.books(), "oreilly", DOMAIN);
    let (sold, sent) = kit.commands(steps.step("A book goes to another publisher", sold)).await;
    let sold = sold?;
    steps.check("the book names it, and it lists the book", sold.far && sold.near, true)?;
    steps.check("the other does not list it any more", sold.displaced, 1)?;
    let names = ["update", "update", "update", "commitTransaction"];
    steps.check("in one transaction, and nothing was read", sent.names(), names)?;
    let again = publishers.link(p.books(), "oreilly", DOMAIN);
    let again = steps.step("The same again", again).await?;
    steps.check("changes nothing", again.far || again.near, false)?;
    let missing = publishers.link(p.books(), "oreilly", 1);
    let error = steps.step("A book that is not there", missing).await.err().ok_or("linked")?;
    println!("    {error}");
    steps.check("is refused", error.kind(), ErrorKind::NotFound)?;
    let verify = db.verify(odm::models![Publisher, Book, Author, Shelf]);
    let report = steps.step("Verify all references, and both sides", verify).await?;
    steps.check("all is well", report.is_ok(), true)?;
    let get = publishers.get("oreilly").lookup(p.books());
    let found = steps.step("The publisher with its books", get).await?.ok_or("no publisher")?;
    let of: Vec<_> =
        found.books.iter().filter_map(|book| Some(book.get()?.publisher.id().as_str())).collect();
    steps.check("all three are its own", of, ["oreilly"; 3])
}

/// A reference to what is not there keeps its id and its position.
async fn lose_a_book(db: &Database, steps: &mut Steps) -> TestResult {
    let (publishers, books) = (db.collection::<Publisher>(), db.collection::<Book>());
    let p = Publisher::fields();
    let delete = books.delete_one(Book::fields().id().eq(GUIDE));
    steps.step("Delete a book that its publisher lists", delete).await?;
    for (strategy, name) in BOTH {
        let get = publishers.get("oreilly").lookup(p.books()).strategy(strategy);
        let title = format!("The publisher with its books, by {name}");
        let found = steps.step(&title, get).await?.ok_or("no publisher")?;
        let missing: Vec<_> = found.books.iter().map(Ref::is_missing).collect();
        steps.check("the second is missing", missing, [false, true, false])?;
        let error = found.books[1].try_get().err().ok_or("found")?;
        println!("    {error}");
        steps.check("by its kind", error.kind(), ErrorKind::Missing)?;
        steps.check("and its id", error.id(), Some(&Bson::Int32(GUIDE)))?;
        publishers.replace_one(p.id().eq("oreilly"), &found).await?;
    }
    let listed = stored(&publishers, "oreilly").await?.get_array("books")?.clone();
    steps.check("storing the publisher keeps the id", listed, [TIPS, GUIDE, DOMAIN].map(Bson::from))
}

/// What leads nowhere is counted, and taken away when that is asked for.
async fn repair(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let models = odm::models![Publisher, Book, Author, Shelf];
    let report = steps.step("Verify the references", db.verify(models)).await?;
    print!("{report}");
    let found: Vec<_> = report.findings().map(|found| (found.path.as_str(), found.count)).collect();
    steps.check("one leads nowhere", found, [("books", 1)])?;
    let look = kit.commands(steps.step("What a repair would do", db.repair(models)));
    let (look, sent) = look.await;
    steps.check("it changes nothing", (look?.documents(), sent.count("update")), (0, 0))?;
    let repaired = steps.step("Take it away", db.repair(models).unlink()).await?;
    print!("{repaired}");
    steps.check("one publisher was changed", repaired.documents(), 1)?;
    let report = steps.step("Verify again", db.verify(models)).await?;
    steps.check("nothing is left", report.is_ok(), true)?;
    let listed = stored(&db.collection::<Publisher>(), "oreilly").await?;
    steps.check("two books are", listed.get_array("books")?, &[TIPS, DOMAIN].map(Bson::from))
}

/// The document as the server has it.
async fn stored<T: odm::Document>(
    collection: &Collection<T>,
    id: impl Into<Bson>,
) -> TestResult<bson::Document> {
    let document = collection.driver().find_one(doc! { "_id": id.into() }).await?;
    let document = document.ok_or("no such document")?;
    println!("    stored in `{}`: {document}", collection.name());
    Ok(document)
}

/// What is loaded: references are equal if their ids are, but JSON shows the documents, and `Debug`
/// the states.
fn shown(publisher: &Publisher) -> TestResult<(serde_json::Value, String)> {
    Ok((serde_json::to_value(publisher)?, format!("{publisher:?}")))
}

fn publisher(id: &str, name: &str, founded: i32, books: &[i32]) -> Publisher {
    let books = books.iter().map(Ref::new).collect();
    Publisher { id: id.to_owned(), name: name.to_owned(), founded, books }
}

fn book(
    id: i32,
    title: &str,
    pages: i32,
    publisher: &str,
    author: &Author,
    shelf: Option<Ref<Shelf>>,
) -> Book {
    let (title, publisher) = (title.to_owned(), Ref::new(publisher));
    Book { id, title, pages, publisher, authors: vec![Ref::new(author.id)], shelf }
}

fn shelf_id(room: &str, number: i32) -> ShelfId {
    ShelfId { room: room.to_owned(), number }
}

fn ids(books: &[Book]) -> Vec<i32> {
    books.iter().map(|book| book.id).collect()
}
