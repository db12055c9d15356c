//! `verify` counts references that lead nowhere, and `repair` takes them away where it can.

use std::collections::BTreeMap;

use bson::{Bson, Document as BsonDocument, doc};
use odm::integrity::{Check, Drift, Report};
use odm::prelude::*;
use odm::{DbRef, Ref};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(unique)]
    code: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "places")]
struct Place {
    #[serde(rename = "_id")]
    id: i32,
}

/// References into two collections in one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(untagged)]
enum Subject {
    User(DbRef<User>),
    Place(DbRef<Place>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Part {
    maker: Option<Ref<User>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    seller: Option<Ref<User>>,
    tags: Vec<Ref<User>>,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Reply {
    by: Ref<User>,
    replies: Vec<Reply>,
}

/// References of every place, and more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "things")]
struct Thing {
    #[serde(rename = "_id")]
    id: i32,
    owner: Ref<User>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<Ref<User>>,
    #[odm(references(code))]
    friends: Vec<Ref<User, String>>,
    peers: Vec<DbRef<User>>,
    pair: Option<[Ref<User>; 2]>,
    by_name: BTreeMap<String, Ref<User>>,
    lines: Vec<Line>,
    desks: BTreeMap<String, Line>,
    about: Vec<Subject>,
    replies: Vec<Reply>,
}

fn user(id: i32) -> User {
    User { id, code: format!("u{id}") }
}

fn thing(id: i32) -> Thing {
    Thing {
        id,
        owner: Ref::new(1),
        agent: None,
        friends: vec![],
        peers: vec![],
        pair: None,
        by_name: BTreeMap::new(),
        lines: vec![],
        desks: BTreeMap::new(),
        about: vec![],
        replies: vec![],
    }
}

fn line(seller: Option<i32>, tags: &[i32], makers: &[Option<i32>]) -> Line {
    Line {
        seller: seller.map(Ref::new),
        tags: tags.iter().map(Ref::new).collect(),
        parts: makers.iter().map(|maker| Part { maker: maker.map(Ref::new) }).collect(),
    }
}

/// A thing with references to user 1, who is there, and 9, who is not.
fn broken(id: i32) -> Thing {
    Thing {
        owner: Ref::new(9),
        agent: Some(Ref::new(9)),
        friends: ["u1", "u9", "u8"].map(Ref::new).into(),
        peers: vec![DbRef::new(1), DbRef::new(9)],
        pair: Some([Ref::new(1), Ref::new(9)]),
        by_name: [("a", 1), ("b", 9)].map(|(name, id)| (name.into(), Ref::new(id))).into(),
        lines: vec![
            line(Some(1), &[1, 9], &[None, Some(9)]),
            line(Some(9), &[], &[]),
            line(None, &[9, 9], &[Some(1), Some(9)]),
        ],
        desks: [("x".to_owned(), line(Some(9), &[9], &[Some(9)]))].into(),
        about: vec![
            Subject::User(DbRef::new(9)),
            Subject::Place(DbRef::new(1)),
            Subject::Place(DbRef::new(9)),
        ],
        replies: vec![],
        ..thing(id)
    }
}

stored_like_serde!(user(1), Place { id: 1 }, broken(1));

/// Users and places of number 1, a sound thing, two broken ones; DBRefs beside a bare id, and into
/// another database.
async fn prepare(kit: &Kit) -> odm::Result<Database> {
    let db = database(kit);
    db.collection::<User>().insert_one(user(1)).await?;
    db.collection::<Place>().insert_one(Place { id: 1 }).await?;
    let things = db.collection::<Thing>();
    things.insert_many([thing(1), broken(2), broken(3)]).await?;
    let bare = DbRef::<User>::new(9).in_database("elsewhere");
    let t = Thing::fields();
    things.update_one(t.id().eq(2), t.peers().push(bare)).await?;
    let more = Update::raw(doc! { "$push": { "peers": { "$each": [9, 1] } } });
    things.update_one(t.id().eq(3), more).await?;
    Ok(db)
}

/// A document as the server has it.
async fn stored<T: odm::Document>(
    collection: &Collection<T>,
    id: i32,
) -> TestResult<Option<BsonDocument>> {
    Ok(collection.driver().find_one(doc! { "_id": id }).await?)
}

fn counts<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Vec<(String, &'a str, u64)> {
    checks.into_iter().map(|check| (check.path.clone(), check.target, check.count)).collect()
}

const DANGLING: [(&str, &str, u64); 15] = [
    ("owner", "User", 2),
    ("agent", "User", 2),
    ("friends", "User", 4),
    ("peers", "User", 3),
    ("pair", "User", 2),
    ("by_name", "User", 2),
    ("lines.seller", "User", 2),
    ("lines.tags", "User", 6),
    ("lines.parts.maker", "User", 4),
    ("desks.$*.seller", "User", 2),
    ("desks.$*.tags", "User", 2),
    ("desks.$*.parts.maker", "User", 2),
    ("about", "User", 2),
    ("about", "Place", 2),
    ("replies.by", "User", 0),
];

fn owned(expected: &[(&'static str, &'static str, u64)]) -> Vec<(String, &'static str, u64)> {
    expected.iter().map(|(path, target, count)| ((*path).to_owned(), *target, *count)).collect()
}

#[test]
fn dangling_references_are_counted_by_one_aggregation_a_field() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = prepare(&kit).await?;
        let (report, sent) = kit.commands(db.verify(odm::models![User, Place, Thing])).await;
        let report = report?;
        assert_eq!(counts(&report), owned(&DANGLING));
        assert_eq!(sent.names(), vec!["aggregate"; DANGLING.len()], "{sent}");
        let owner = report.checks().first().ok_or("no check")?;
        assert_eq!(owner.examples, [2, 3].map(Bson::Int32));
        assert_eq!((owner.model, owner.drift), ("Thing", Drift::Dangling));
        assert!(!report.is_ok());
        assert_eq!(report.findings().count(), DANGLING.len() - 1);
        // An embedded document that holds itself has no end.
        let unchecked: Vec<_> = report.unchecked().iter().map(|u| u.path.as_deref()).collect();
        assert_eq!(unchecked, [Some("replies.replies")]);
        let text = report.to_string();
        assert!(text.contains("Thing.owner: 2 dangling references to User, as in 2"), "{text}");

        let report = db.verify(odm::models![User]).await?;
        assert!(report.is_ok() && report.checks().is_empty(), "{report}");
        Ok(())
    })
}

/// The number of examples has a bound, whatever there is.
#[test]
fn examples_are_few() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let things = db.collection::<Thing>();
        things.insert_many((0..50).map(|id| Thing { owner: Ref::new(9), ..thing(id) })).await?;
        let report: Report = db.verify(odm::models![Thing]).await?;
        let owner = report.findings().next().ok_or("nothing found")?;
        assert_eq!(owner.count, 50);
        assert_eq!(owner.examples, [0, 1, 2, 3, 4].map(Bson::Int32));
        Ok(())
    })
}

#[test]
fn what_can_be_taken_away_is_taken_away_when_asked() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = prepare(&kit).await?;
        let models = odm::models![User, Place, Thing];
        let things = db.collection::<Thing>();
        let t = Thing::fields();

        // Without being asked nothing is written.
        let (report, sent) = kit.commands(db.repair(models)).await;
        let report = report?;
        assert_eq!(counts(report.fields().iter().map(|field| &field.check)), owned(&DANGLING));
        assert_eq!((report.documents(), sent.count("update")), (0, 0));
        assert!(
            report
                .to_string()
                .contains("Thing.agent: 2 dangling references to User, as in 2: can be mended"),
            "{report}"
        );

        let report = db.repair(models).unlink().await?;
        assert_eq!(counts(report.fields().iter().map(|field| &field.check)), owned(&DANGLING));
        let left: Vec<_> = report.left().map(|field| field.check.path.as_str()).collect();
        let stay = [
            "owner",
            "pair",
            "by_name",
            "desks.$*.seller",
            "desks.$*.tags",
            "desks.$*.parts.maker",
        ];
        assert_eq!(left, stay);
        assert!(report.left().all(|field| !field.can_mend));

        let first = things.get(2).await?.ok_or("gone")?;
        let expected = Thing {
            agent: None,
            friends: vec![Ref::new("u1")],
            peers: vec![DbRef::new(1), DbRef::new(9).in_database("elsewhere")],
            lines: vec![
                line(Some(1), &[1], &[None, None]),
                line(None, &[], &[]),
                line(None, &[], &[Some(1), None]),
            ],
            about: vec![Subject::Place(DbRef::new(1))],
            ..broken(2)
        };
        assert_eq!(first, expected);
        let second = things.driver().find_one(doc! { "_id": 3 }).await?.ok_or("gone")?;
        let peers = [Bson::from(doc! { "$ref": "users", "$id": 1 }), Bson::Int32(1)];
        assert_eq!(second.get_array("peers")?, &peers);
        assert_eq!(things.get(1).await?, Some(thing(1)));

        // A second time there is nothing left to do.
        let (report, sent) = kit.commands(db.repair(models).unlink()).await;
        assert_eq!((report?.documents(), sent.count("update")), (0, 0));
        let found = db.verify(models).await?;
        let found: Vec<_> = found.findings().map(|check| check.path.as_str()).collect();
        assert_eq!(found, stay);

        // A target that is there again ends it.
        db.collection::<User>().insert_one(user(9)).await?;
        assert!(db.verify(models).await?.is_ok());
        assert_eq!(things.count_documents(t.owner().eq(9)).await?, 2);
        Ok(())
    })
}

/// More keys than one command is asked for.
#[test]
fn keys_are_repaired_in_chunks() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let things = db.collection::<Thing>();
        let many = (0..2_500).map(|id| Thing { agent: Some(Ref::new(id + 10)), ..thing(id) });
        things.insert_many(many).await?;
        db.collection::<User>().insert_many((1..110).map(user)).await?;
        let (report, sent) = kit.commands(db.repair(odm::models![Thing]).unlink()).await;
        assert_eq!(report?.documents(), 2_400);
        assert_eq!(sent.count("update"), 3, "{sent}");
        let without = things.driver().count_documents(doc! { "agent": null }).await?;
        assert_eq!(without, 2_400);
        Ok(())
    })
}

mod elsewhere {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    #[odm(collection = "stamps", database = "odm_integrity_elsewhere")]
    pub(super) struct Stamp {
        #[serde(rename = "_id")]
        pub(super) id: i32,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    #[odm(collection = "letters")]
    pub(super) struct Letter {
        #[serde(rename = "_id")]
        pub(super) id: i32,
        pub(super) stamp: Option<Ref<Stamp>>,
    }
}

/// The server does not join another database: the keys are asked for.
#[test]
fn references_into_another_database_are_checked() -> TestResult {
    odm_testkit::run(async |kit| {
        use elsewhere::{Letter, Stamp};
        let db = database(&kit);
        let (letters, stamps) = (db.collection::<Letter>(), db.collection::<Stamp>());
        stamps.delete_many(Filter::new()).all().await?;
        stamps.insert_one(Stamp { id: 1 }).await?;
        let letter = |id: i32| Letter { id, stamp: Some(Ref::new(id % 3)) };
        letters.insert_many((0..9).map(letter)).await?;
        let (report, sent) = kit.commands(db.verify(odm::models![Letter])).await;
        assert_eq!(counts(&report?), [("stamp".to_owned(), "Stamp", 6)]);
        assert_eq!(sent.names(), ["aggregate", "find"]);
        let report = db.repair(odm::models![Letter]).unlink().await?;
        assert_eq!(report.documents(), 6);
        assert!(db.verify(odm::models![Letter]).await?.is_ok());
        stamps.delete_many(Filter::new()).all().await?;
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "notes")]
struct NoteV1 {
    #[serde(rename = "_id")]
    id: i32,
    user: Option<Ref<User>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "notes", schema_version = 2, from = NoteV1)]
struct Note {
    #[serde(rename = "_id")]
    id: i32,
    users: Vec<Ref<User>>,
}

impl From<NoteV1> for Note {
    fn from(old: NoteV1) -> Self {
        Self { id: old.id, users: old.user.into_iter().collect() }
    }
}

/// Only documents of the current version have the model's fields; the others are told.
#[test]
fn other_versions_are_told_and_left_alone() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let notes = db.collection::<Note>();
        notes.insert_one(Note { id: 1, users: vec![Ref::new(9)] }).await?;
        let old = doc! { "_id": 2, "user": 9, "users": [9] };
        let newer = doc! { "_id": 3, "schema_version": 3, "users": [9] };
        notes.driver().insert_many([&old, &newer]).await?;
        let report = db.verify(odm::models![Note]).await?;
        assert_eq!(counts(&report), [("users".to_owned(), "User", 1)]);
        let told: Vec<_> = report.unchecked().iter().map(|u| (u.model, u.documents)).collect();
        assert_eq!(told, [("Note", 2)]);
        assert_eq!(db.repair(odm::models![Note]).unlink().await?.documents(), 1);
        assert_eq!((stored(&notes, 2).await?, stored(&notes, 3).await?), (Some(old), Some(newer)));
        Ok(())
    })
}

/// Many to one, one to one, many to many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "shops")]
struct Shop {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(inverse = shop)]
    clerks: Vec<Ref<Clerk>>,
    #[odm(inverse = leads)]
    leader: Option<Ref<Clerk>>,
    #[odm(inverse = visits)]
    guests: Vec<Ref<Clerk>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "clerks")]
struct Clerk {
    #[serde(rename = "_id")]
    id: i32,
    shop: Option<Ref<Shop>>,
    leads: Option<Ref<Shop>>,
    visits: Vec<Ref<Shop>>,
}

fn shop(id: i32, clerks: &[i32], leader: Option<i32>, guests: &[i32]) -> BsonDocument {
    doc! { "_id": id, "clerks": clerks.to_vec(), "leader": leader, "guests": guests.to_vec() }
}

fn clerk(id: i32, shop: Option<i32>, leads: Option<i32>, visits: &[i32]) -> BsonDocument {
    doc! { "_id": id, "shop": shop, "leads": leads, "visits": visits.to_vec() }
}

#[test]
fn one_sided_links_are_counted_and_mended() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (shops, clerks) = (db.collection::<Shop>(), db.collection::<Clerk>());
        // Clerk 1 is of shop 1, which lacks it, and shop 2 lists it. Shop 1 has a leader who does
        // not know, shop 2 one who leads another. One visit is known to each side alone.
        let of_shops = [shop(1, &[2], Some(1), &[1]), shop(2, &[1], Some(2), &[])];
        shops.driver().insert_many(of_shops).await?;
        let of_clerks = [clerk(1, Some(1), None, &[]), clerk(2, Some(1), Some(3), &[2])];
        clerks.driver().insert_many(of_clerks).await?;
        let models = odm::models![Shop, Clerk];
        let one_sided = |report: &Report| -> Vec<_> {
            let of = |check: &Check| (check.model, check.path.clone(), check.count);
            report.findings().filter(|c| c.drift == Drift::OneSided).map(of).collect()
        };
        let found = |model, path: &str, count| (model, path.to_owned(), count);
        let report = db.verify(models).await?;
        let expected = [
            found("Shop", "clerks", 1),
            found("Clerk", "shop", 1),
            found("Shop", "leader", 2),
            found("Shop", "guests", 1),
            found("Clerk", "visits", 1),
        ];
        assert_eq!(one_sided(&report), expected);

        // By default nothing is changed; a list is completed or corrected by what a single
        // reference says; a leader is never taken from another shop.
        assert_eq!(db.repair(models).await?.documents(), 0);
        let report = db.repair(odm::models![Shop]).link().await?;
        assert_eq!(report.documents(), 4, "{report}");
        let report = db.verify(models).await?;
        assert_eq!(one_sided(&report), [found("Shop", "clerks", 1), found("Shop", "leader", 1)]);
        let report = db.repair(odm::models![Shop]).unlink().await?;
        assert_eq!(report.documents(), 1, "{report}");
        let report = db.verify(models).await?;
        assert_eq!(one_sided(&report), [found("Shop", "leader", 1)]);
        assert_eq!(stored(&shops, 1).await?, Some(shop(1, &[2, 1], Some(1), &[1])));
        assert_eq!(stored(&shops, 2).await?, Some(shop(2, &[], Some(2), &[2])));
        assert_eq!(stored(&clerks, 1).await?, Some(clerk(1, Some(1), Some(1), &[1])));
        assert_eq!(stored(&clerks, 2).await?, Some(clerk(2, Some(1), Some(3), &[2])));
        Ok(())
    })
}
