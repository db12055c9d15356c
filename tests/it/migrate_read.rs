//! Reading old documents: every read upgrades them, and what was upgraded is written back.

use bson::{Bson, doc};
use futures::TryStreamExt;
use odm::prelude::*;
use odm::{ErrorKind, LookupStrategy, Ref};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

/// The first version had no version field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts")]
struct ContactV1 {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(alias = "firm")]
    company: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts", schema_version = 2, from = ContactV1)]
struct ContactV2 {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    company: String,
    wechat: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts", schema_version = 3, from = ContactV2)]
struct Contact {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    employers: Vec<String>,
    wechat: Option<String>,
}

impl From<ContactV1> for ContactV2 {
    fn from(old: ContactV1) -> Self {
        Self { id: old.id, name: old.name, company: old.company, wechat: None }
    }
}

impl TryFrom<ContactV2> for Contact {
    type Error = String;

    fn try_from(old: ContactV2) -> Result<Self, String> {
        match old.company.as_str() {
            "unknown" => Err("the company is not known".to_owned()),
            _ => Ok(Self {
                id: old.id,
                name: old.name,
                employers: vec![old.company],
                wechat: old.wechat,
            }),
        }
    }
}

fn contact(id: i32, employer: &str) -> Contact {
    Contact { id, name: format!("n{id}"), employers: vec![employer.into()], wechat: None }
}

/// One document of each version, and one by an alias, with a field that no struct knows.
async fn seed(kit: &Kit) -> TestResult<odm::Collection<Contact>> {
    let contacts = database(kit).collection::<Contact>();
    contacts
        .driver()
        .insert_many([
            doc! { "_id": 1, "name": "n1", "company": "a", "note": "kept" },
            doc! { "_id": 2, "schema_version": 2, "name": "n2", "company": "b", "wechat": null },
            doc! { "_id": 3, "schema_version": 3_i64, "name": "n3", "employers": ["c"], "wechat": null },
            doc! { "_id": 4, "name": "n4", "firm": "d" },
        ])
        .await?;
    Ok(contacts)
}

fn expected() -> Vec<Contact> {
    [(1, "a"), (2, "b"), (3, "c"), (4, "d")].map(|(id, employer)| contact(id, employer)).into()
}

async fn raw(contacts: &odm::Collection<Contact>, id: i32) -> TestResult<bson::Document> {
    Ok(contacts.driver().find_one(doc! { "_id": id }).await?.ok_or("gone")?)
}

#[test]
fn a_find_upgrades_and_writes_back_once() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = seed(&kit).await?;
        let by_id = || contacts.find(Filter::new()).sort(Contact::fields().id().asc());
        let (found, sent) = kit.commands(by_id()).await;
        assert_eq!(found?, expected());
        assert_eq!(sent.names(), ["find", "update"], "{sent}");
        let counts = contacts.write_backs();
        assert_eq!(
            (counts.written, counts.lost_race, counts.refused, counts.not_sent),
            (3, 0, 0, 0)
        );

        let current = |id: i32, employer: &str| doc! { "_id": id, "name": format!("n{id}"), "employers": [employer], "wechat": null, "schema_version": 3 };
        let mut first = current(1, "a");
        first.insert("note", "kept");
        let stored = raw(&contacts, 1).await?;
        assert_eq!(
            stored.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
            first.into_iter().collect()
        );
        let stored = raw(&contacts, 4).await?;
        assert_eq!(
            stored.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
            current(4, "d").into_iter().collect()
        );

        let (found, sent) = kit.commands(by_id()).await;
        assert_eq!(found?, expected());
        assert_eq!(sent.names(), ["find"], "nothing is old any more: {sent}");
        Ok(())
    })
}

/// Every read action that exists, each on its own copy of the data.
#[test]
fn every_read_upgrades() -> TestResult {
    odm_testkit::run(async |kit| {
        let c = Contact::fields();
        let reset = async |contacts: &odm::Collection<Contact>| {
            contacts.driver().delete_many(doc! {}).await?;
            seed(&kit).await
        };
        let contacts = seed(&kit).await?;
        let (found, sent) = kit.commands(contacts.get(1)).await;
        assert_eq!(found?, Some(contact(1, "a")));
        assert_eq!(sent.names(), ["find", "update"], "{sent}");
        let contacts = reset(&contacts).await?;
        let (found, sent) = kit.commands(contacts.find_one(c.name().eq("n2"))).await;
        assert_eq!(found?, Some(contact(2, "b")));
        assert_eq!(sent.names(), ["find", "update"], "{sent}");
        let contacts = reset(&contacts).await?;
        let (found, sent) =
            kit.commands(contacts.find(c.id().lte(2)).sort(c.id().asc()).first()).await;
        assert_eq!(found?, Some(contact(1, "a")));
        assert_eq!(sent.names(), ["find", "update"], "{sent}");
        let contacts = reset(&contacts).await?;
        let stream = contacts.find(Filter::new()).sort(c.id().asc()).batch_size(2).stream();
        let (found, sent) =
            kit.commands(async { stream.await?.try_collect::<Vec<_>>().await }).await;
        assert_eq!(found?, expected());
        assert_eq!((sent.count("update"), contacts.write_backs().written), (1, 3), "{sent}");
        let contacts = reset(&contacts).await?;
        let (found, sent) = kit.commands(contacts.find(Filter::new()).write_back(false)).await;
        assert_eq!(found?.len(), 4);
        assert_eq!(sent.names(), ["find"]);
        assert!(!raw(&contacts, 1).await?.contains_key("schema_version"));
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "cards")]
struct Card {
    #[serde(rename = "_id")]
    id: i32,
    of: Vec<Ref<Contact>>,
}

/// Targets of lookups are upgraded and written back too, by either strategy.
#[test]
fn lookups_upgrade_their_targets() -> TestResult {
    odm_testkit::run(async |kit| {
        for (strategy, commands) in [
            (LookupStrategy::Lookup, &["aggregate", "update"][..]),
            (LookupStrategy::Batches, &["find", "find", "update"]),
        ] {
            let contacts = seed(&kit).await?;
            let cards = database(&kit).collection::<Card>();
            cards.insert_one(Card { id: 1, of: [4, 1, 3, 1].map(Ref::new).into() }).await?;
            let find = cards.find(Filter::new()).lookup(Card::fields().of()).strategy(strategy);
            let (found, sent) = kit.commands(find).await;
            let found = found?;
            let targets: Vec<_> = found[0].of.iter().filter_map(Ref::get).cloned().collect();
            let all = expected();
            assert_eq!(targets, [3, 0, 2, 0].map(|at: usize| all[at].clone()), "{strategy:?}");
            assert_eq!(sent.names(), commands, "{sent}");
            assert_eq!(raw(&contacts, 4).await?.get_i32("schema_version")?, 3);
            contacts.driver().drop().await?;
            cards.delete_many(Filter::new()).all().await?;
        }
        Ok(())
    })
}

mod moved {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    #[odm(collection = "cards")]
    pub(super) struct OldCard {
        #[serde(rename = "_id")]
        pub(super) id: i32,
        pub(super) owner: i32,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    #[odm(collection = "cards", schema_version = "b", from = OldCard)]
    pub(super) struct NewCard {
        #[serde(rename = "_id")]
        pub(super) id: i32,
        pub(super) holder: Ref<Contact>,
    }

    impl From<OldCard> for NewCard {
        fn from(old: OldCard) -> Self {
            Self { id: old.id, holder: Ref::new(old.owner) }
        }
    }
}

/// A reference that an old parent held under another name is looked for under its id all the same.
#[test]
fn a_reference_that_was_moved_is_found() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let contacts = seed(&kit).await?;
        let cards = db.collection::<moved::NewCard>();
        cards.driver().insert_one(doc! { "_id": 1, "owner": 3 }).await?;
        cards.insert_one(moved::NewCard { id: 2, holder: Ref::new(3) }).await?;
        cards.insert_one(moved::NewCard { id: 3, holder: Ref::new(99) }).await?;
        let c = moved::NewCard::fields();
        for strategy in [LookupStrategy::Lookup, LookupStrategy::Batches] {
            let find = cards.find(Filter::new()).sort(c.id().asc()).write_back(false);
            let found = find.lookup(c.holder()).strategy(strategy).await?;
            let holders: Vec<_> =
                found.iter().map(|card| card.holder.get().map(|c| c.id)).collect();
            assert_eq!(holders, [Some(3), Some(3), None], "{strategy:?}");
            assert!(found[2].holder.is_missing());
        }
        assert!(contacts.get(3).await?.is_some());
        Ok(())
    })
}

/// A failing step names model, `_id` and step; the document keeps its version, and the others of
/// the find are read.
#[test]
fn a_failing_step_leaves_the_document_as_it_is() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = seed(&kit).await?;
        contacts.driver().insert_one(doc! { "_id": 5, "name": "n5", "company": "unknown" }).await?;
        let error = contacts.get(5).await.err().ok_or("read")?;
        assert_eq!((error.kind(), error.model()), (ErrorKind::Migrate, Some("Contact")));
        assert_eq!(error.id(), Some(&Bson::Int32(5)));
        let message = error.to_string();
        assert!(
            message.contains(
                "the step from `ContactV2` to `Contact` failed: the company is not known"
            ),
            "{message}"
        );
        assert!(std::error::Error::source(&error).is_some());
        assert!(!raw(&contacts, 5).await?.contains_key("schema_version"));

        let c = Contact::fields();
        let all = contacts.find(Filter::new()).sort(c.id().asc()).await;
        assert_eq!(all.err().map(|error| error.kind()), Some(ErrorKind::Migrate));
        assert_eq!(contacts.write_backs().written, 3, "what was read before the error is kept");
        let change = contacts.update_one(c.id().eq(5), c.name().set("x")).await;
        assert_eq!(change.err().map(|error| error.kind()), Some(ErrorKind::Migrate));
        assert_eq!(raw(&contacts, 5).await?.get_str("name")?, "n5");
        Ok(())
    })
}

/// A write-back that a unique index refuses is counted and does not fail the read.
#[test]
fn a_refused_write_back_does_not_fail_the_read() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = seed(&kit).await?;
        let index = doc! { "key": { "employers": 1 }, "name": "e", "unique": true };
        let command = doc! { "createIndexes": "contacts", "indexes": [index] };
        contacts.driver().delete_many(doc! { "_id": { "$in": [2, 4] } }).await?;
        contacts.driver().insert_one(doc! { "_id": 7, "name": "n7", "company": "c" }).await?;
        database(&kit).driver().run_command(command).await.ok();
        contacts.driver().delete_one(doc! { "_id": 1 }).await?;
        let command = doc! { "createIndexes": "contacts", "indexes": [{ "key": { "employers": 1 }, "name": "e", "unique": true }] };
        database(&kit).driver().run_command(command).await?;
        let found = contacts.find(Filter::new()).await?;
        assert_eq!(found.len(), 2);
        assert_eq!((contacts.write_backs().written, contacts.write_backs().refused), (0, 1));
        Ok(())
    })
}

/// In a transaction old documents are upgraded in memory only.
#[test]
fn a_transaction_reads_in_memory_only() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = seed(&kit).await?;
        let session = database(&kit).start_session().await?;
        session.start_transaction().await?;
        let (found, sent) = kit.commands(contacts.find(Filter::new()).session(&session)).await;
        assert_eq!(found?.len(), 4);
        assert_eq!(sent.names(), ["find"], "{sent}");
        session.commit_transaction().await?;
        assert!(!raw(&contacts, 1).await?.contains_key("schema_version"));
        Ok(())
    })
}

/// MM57, MM1: a newer document is an error, in reads; labels that are in no chain are unknown.
#[test]
fn newer_and_unknown_documents_are_refused() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = seed(&kit).await?;
        for (id, version, kind) in [
            (8, Bson::Int32(4), ErrorKind::NewerVersion),
            (9, Bson::Int32(1), ErrorKind::UnknownVersion),
            (10, Bson::from("2.0"), ErrorKind::UnknownVersion),
        ] {
            contacts
                .driver()
                .insert_one(doc! { "_id": id, "schema_version": version, "name": "x" })
                .await?;
            let error = contacts.get(id).await.err().ok_or("read")?;
            assert_eq!((error.kind(), error.path()), (kind, Some("schema_version")), "{error}");
            assert_eq!(error.id(), Some(&Bson::Int32(id)));
        }
        Ok(())
    })
}

/// MM1: a filter names fields as they are stored, so a new field is not found in an old document
/// until it was read once; and a document takes only the steps after its own version.
#[test]
fn a_new_field_is_found_once_the_document_was_read() -> TestResult {
    odm_testkit::run(async |kit| {
        let contacts = seed(&kit).await?;
        let by_employer = || contacts.find(Contact::fields().employers().contains("a"));
        assert!(by_employer().await?.is_empty());
        contacts.get(1).await?;
        assert_eq!(by_employer().await?, [contact(1, "a")]);
        // The first struct would not read what the second stored.
        let second =
            doc! { "_id": 6, "schema_version": 2, "name": "n6", "company": "f", "wechat": "w" };
        contacts.driver().insert_one(second).await?;
        let expected = Contact { wechat: Some("w".into()), ..contact(6, "f") };
        assert_eq!(contacts.get(6).await?, Some(expected));
        Ok(())
    })
}

mod kept {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
    pub(super) struct Address {
        pub(super) city: String,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    #[odm(collection = "people", schema_version = 1)]
    pub(super) struct PersonV1 {
        #[serde(rename = "_id")]
        pub(super) id: i32,
        pub(super) address: Address,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        pub(super) nick: Option<String>,
        pub(super) count: i64,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    #[odm(collection = "people", schema_version = 2, from = PersonV1)]
    pub(super) struct Person {
        #[serde(rename = "_id")]
        pub(super) id: i32,
        pub(super) address: Address,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        pub(super) nick: Option<String>,
        pub(super) count: i64,
        pub(super) email: Option<String>,
    }

    impl From<PersonV1> for Person {
        fn from(old: PersonV1) -> Self {
            let PersonV1 { id, address, nick, count } = old;
            Self { id, address, nick, count, email: None }
        }
    }
}

/// What a step does not touch is left as it was stored: unknown fields inside of embedded
/// documents, numbers of another width, a null that the struct would leave out.
#[test]
fn a_write_back_changes_only_what_the_steps_changed() -> TestResult {
    odm_testkit::run(async |kit| {
        let people = database(&kit).collection::<kept::Person>();
        let raw = people.driver();
        let old =
            doc! { "_id": 1, "address": { "city": "x", "geo": [1, 2] }, "nick": null, "count": 3 };
        raw.insert_one(&old).await?;
        assert_eq!(people.get(1).await?.map(|person| person.count), Some(3));
        let mut expected = old;
        expected.insert("email", Bson::Null);
        expected.insert("schema_version", 2);
        assert_eq!(raw.find_one(doc! {}).await?, Some(expected));
        Ok(())
    })
}

/// A field that is new to the struct and stored already is not overwritten: such a document is
/// upgraded in memory only.
#[test]
fn a_stored_field_that_is_new_is_not_overwritten() -> TestResult {
    odm_testkit::run(async |kit| {
        let people = database(&kit).collection::<kept::Person>();
        let raw = people.driver();
        let old = doc! { "_id": 1, "address": { "city": "x" }, "count": 3_i64, "email": "a@x" };
        raw.insert_one(&old).await?;
        let (found, sent) = kit.commands(people.get(1)).await;
        assert_eq!(found?.map(|person| person.id), Some(1));
        assert_eq!(sent.names(), ["find"], "{sent}");
        assert_eq!(raw.find_one(doc! {}).await?, Some(old));
        let p = kept::Person::fields();
        let error =
            people.update_one(p.id().eq(1), p.count().inc(1)).await.err().ok_or("written")?;
        assert_eq!(
            (error.kind(), error.id()),
            (ErrorKind::Migrate, Some(&Bson::Int32(1))),
            "{error}"
        );
        Ok(())
    })
}

stored_like_serde!(
    contact(1, "a"),
    ContactV1 { id: 1, name: "n".into(), company: "c".into() },
    Card { id: 1, of: vec![Ref::new(1)] }
);
