//! Contacts of two schema versions: old documents are read as the current struct and brought up to
//! date on the way; what cannot be, and what a newer program wrote, stays as it is.
//!
//! Run it with `cargo run --example contacts_v1_v2`. It starts a MongoDB of its own, shows each
//! step with its result and round trips, and checks itself.

mod support;

use std::fmt::Debug;
use std::future::IntoFuture;

use futures::StreamExt;
use odm::ErrorKind;
use odm::bson::{self, Bson, RawDocumentBuf, doc};
use odm::prelude::*;
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};
use support::Steps;

/// A contact as the first program stored it, without a version. It is only read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts")]
struct ContactV1 {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    company: String,
}

/// A contact as this program stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts", schema_version = "2.0", from = ContactV1)]
struct Contact {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    company: String,
    wechat: Option<String>,
}

/// The step from the first version to the second.
impl TryFrom<ContactV1> for Contact {
    type Error = String;

    fn try_from(old: ContactV1) -> Result<Self, String> {
        match old.name.trim() {
            "" => Err("a contact needs a name".to_owned()),
            _ => Ok(Self { id: old.id, name: old.name, company: old.company, wechat: None }),
        }
    }
}

fn main() -> TestResult {
    odm_testkit::run(contacts)
}

async fn contacts(kit: Kit) -> TestResult {
    let contacts = Database::from(kit.database()).collection::<Contact>();
    let mut steps = Steps::new(&kit);

    seed(&contacts, &mut steps).await?;
    read_in_memory(&kit, &contacts, &mut steps).await?;
    read_and_write_back(&kit, &contacts, &mut steps).await?;
    update_old(&kit, &contacts, &mut steps).await?;
    fail_a_step(&contacts, &mut steps).await?;
    meet_a_newer_program(&contacts, &mut steps).await?;

    println!("{:?}", contacts.write_backs());
    let counts = contacts.write_backs();
    steps.check("five documents were brought up to date", counts.written, 5)?;
    steps.check("none was refused", counts.refused, 0)?;
    steps.finish("contacts_v1_v2");
    Ok(())
}

/// Three documents that an old program left, and one of this program.
async fn seed(contacts: &Collection<Contact>, steps: &mut Steps) -> TestResult {
    let old = [
        doc! { "_id": 1, "name": "Ada", "company": "Analytical Engines" },
        doc! { "_id": 2, "name": "Bob", "company": "Widgets", "note": "met in Oslo" },
        doc! { "_id": 3, "name": "Cai", "company": "Widgets", "tags": ["vip"] },
    ];
    steps.step("The old program writes three contacts", contacts.driver().insert_many(old)).await?;
    let new = contact(4, "Dan", "Acme", Some("dan"));
    steps.step("This program writes one", contacts.insert_one(new)).await?;
    let label = stored(contacts, 4).await?.get_str("schema_version")?.to_owned();
    steps.check("its version is stored", label.as_str(), "2.0")?;
    steps.check("the old ones have none", count_old(contacts, steps).await?, 3)
}

/// Reading need not change anything.
async fn read_in_memory(
    kit: &Kit,
    contacts: &Collection<Contact>,
    steps: &mut Steps,
) -> TestResult {
    let before = bytes(contacts, 2).await?;
    let by_id = contacts.find(Filter::new()).sort(Contact::fields().id().asc());
    let find = steps.step("Read all, in memory only", by_id.write_back(false));
    let (found, sent) = kit.commands(find).await;
    steps.check("all are contacts of today", found?, everyone())?;
    steps.check("by one find", sent.names(), ["find"])?;
    steps.check("nothing was changed", bytes(contacts, 2).await?, before)?;
    steps.check("three are still old", count_old(contacts, steps).await?, 3)
}

/// The first read brings up to date what it read, in one command.
async fn read_and_write_back(
    kit: &Kit,
    contacts: &Collection<Contact>,
    steps: &mut Steps,
) -> TestResult {
    let by_id = || contacts.find(Filter::new()).sort(Contact::fields().id().asc());
    let (found, sent) = kit.commands(steps.step("Read all", by_id())).await;
    steps.check("all are contacts of today", found?, everyone())?;
    steps.check("one find, and one update for all", sent.names(), ["find", "update"])?;
    let changes = sent[1].body.get_array("updates")?;
    let changes: Vec<_> =
        changes.iter().filter_map(|change| change.as_document()?.get("u")?.as_document()).collect();
    let only_new = doc! { "$set": { "schema_version": "2.0", "wechat": null } };
    steps.check("each sets what is new, and no more", changes, [&only_new; 3])?;
    steps.check("three were written back", contacts.write_backs().written, 3)?;

    let expected = doc! {
        "_id": 2,
        "name": "Bob",
        "company": "Widgets",
        "note": "met in Oslo",
        "schema_version": "2.0",
        "wechat": null,
    };
    steps.check("the note is still there", stored(contacts, 2).await?, expected)?;
    let tags = stored(contacts, 3).await?.get_array("tags")?.clone();
    steps.check("and so are the tags", tags, [Bson::from("vip")])?;
    steps.check("0 left", count_old(contacts, steps).await?, 0)?;
    let (found, sent) = kit.commands(steps.step("Read all again", by_id())).await;
    steps.check("the contacts are the same", found?, everyone())?;
    steps.check("by one find: nothing is old", sent.names(), ["find"])
}

/// A change by path meets only documents of this version, so an old one is migrated first.
async fn update_old(kit: &Kit, contacts: &Collection<Contact>, steps: &mut Steps) -> TestResult {
    let c = Contact::fields();
    let old = [
        doc! { "_id": 5, "name": "Eve", "company": "Acme", "note": "met in Rome" },
        doc! { "_id": 6, "name": "Fay", "company": "Initech" },
    ];
    steps.step("The old program writes two more", contacts.driver().insert_many(old)).await?;

    let update = |name: &str| contacts.update_one(c.id().eq(5), c.wechat().set(name));
    let (updated, sent) = kit.commands(steps.step("Change an old one", update("eve"))).await;
    steps.check("it is changed", updated?.modified_count, 1)?;
    let expected = ["update", "find", "update", "update"];
    steps.check("not met, read, migrated, changed", sent.names(), expected)?;
    let expected = doc! {
        "_id": 5,
        "name": "Eve",
        "company": "Acme",
        "note": "met in Rome",
        "schema_version": "2.0",
        "wechat": "eve",
    };
    steps.check("it is of this version", stored(contacts, 5).await?, expected)?;
    let (updated, sent) = kit.commands(steps.step("Change it again", update("eve-2"))).await;
    steps.check("it is changed", updated?.modified_count, 1)?;
    steps.check("by one update", sent.names(), ["update"])?;

    let moved = contacts.update_many(c.company().eq("Initech"), c.company().set("Initrode"));
    let (moved, sent) = kit.commands(steps.step("Change all of a company", moved)).await;
    steps.check("one is changed", moved?.modified_count, 1)?;
    let expected = ["find", "update", "find", "update"];
    steps.check("found, migrated, none left, changed", sent.names(), expected)?;
    steps.check("0 left", count_old(contacts, steps).await?, 0)
}

/// An old document that cannot be taken to this version is named, and stays as it is.
async fn fail_a_step(contacts: &Collection<Contact>, steps: &mut Steps) -> TestResult {
    let c = Contact::fields();
    let old = doc! { "_id": 7, "name": " ", "company": "Acme" };
    steps
        .step("The old program writes one without a name", contacts.driver().insert_one(old))
        .await?;
    let before = bytes(contacts, 7).await?;

    let error = refused(steps, "Read it", contacts.get(7)).await?;
    steps.check("the step failed", error.kind(), ErrorKind::Migrate)?;
    steps.check("the document is named", error.id(), Some(&Bson::Int32(7)))?;
    let update = contacts.update_one(c.id().eq(7), c.wechat().set("x"));
    let error = refused(steps, "Change it", update).await?;
    steps.check("the document is named", error.id(), Some(&Bson::Int32(7)))?;

    let mut all = contacts.find(Filter::new()).sort(c.id().asc()).stream().await?;
    let (mut read, mut failed) = (Vec::new(), Vec::new());
    while let Some(contact) = all.next().await {
        match contact {
            Ok(contact) => read.push(contact.id),
            Err(error) => failed.extend(error.id().cloned()),
        }
    }
    println!("Stream all\n    read {read:?}, failed {failed:?}");
    steps.check("the others are read", read, [1, 2, 3, 4, 5, 6])?;
    steps.check("it is the only one that is not", failed, [Bson::Int32(7)])?;
    steps.check("it stays as it is", bytes(contacts, 7).await?, before)?;
    steps.check("1 left", count_old(contacts, steps).await?, 1)
}

/// What a newer program wrote is neither read nor changed, replaced or deleted.
async fn meet_a_newer_program(contacts: &Collection<Contact>, steps: &mut Steps) -> TestResult {
    let c = Contact::fields();
    let newer = doc! { "_id": 8, "schema_version": "3.0", "names": ["Gus"], "employers": ["Acme"] };
    steps.step("A newer program writes one", contacts.driver().insert_one(newer)).await?;
    let before = bytes(contacts, 8).await?;

    let mine = contact(8, "Gus", "Acme", None);
    let update = contacts.update_one(c.id().eq(8), c.wechat().set("gus"));
    let replace = contacts.replace_one(c.id().eq(8), &mine);
    let delete = contacts.delete_one(c.id().eq(8));
    let errors = [
        refused(steps, "Read it", contacts.get(8)).await?,
        refused(steps, "Change it", update).await?,
        refused(steps, "Replace it", replace).await?,
        refused(steps, "Delete it", delete).await?,
        refused(steps, "Delete everything", contacts.delete_many(Filter::new()).all()).await?,
    ];
    // Labels have no order: any that the chain does not have is unknown.
    let kinds = errors.each_ref().map(odm::Error::kind);
    steps.check("the version is not known", kinds, [ErrorKind::UnknownVersion; 5])?;
    let ids = errors.each_ref().map(|error| error.id().cloned());
    steps.check("the document is named", ids, [(); 5].map(|()| Some(Bson::Int32(8))))?;
    steps.check("it stays byte for byte", bytes(contacts, 8).await?, before)?;
    let count = steps.step("Count all", contacts.count_documents(Filter::new())).await?;
    steps.check("nothing was deleted", count, 8)
}

/// How many documents have no version, which is the first one.
async fn count_old(contacts: &Collection<Contact>, steps: &Steps) -> TestResult<u64> {
    let old = Filter::raw(doc! { "schema_version": { "$exists": false } });
    Ok(steps.step("Count the old ones", contacts.count_documents(old)).await?)
}

/// Awaits an action that is to fail, and shows its error.
async fn refused<T, A>(steps: &Steps, title: &str, action: A) -> TestResult<odm::Error>
where
    T: Debug,
    A: IntoFuture<Output = odm::Result<T>>,
{
    let error = steps.step(title, action).await.err().ok_or("it was not refused")?;
    println!("    {error}");
    Ok(error)
}

/// The document as the server has it.
async fn stored(contacts: &Collection<Contact>, id: i32) -> TestResult<bson::Document> {
    let document = contacts.driver().find_one(doc! { "_id": id }).await?.ok_or("no document")?;
    println!("    stored: {document}");
    Ok(document)
}

/// The same, in bytes.
async fn bytes(contacts: &Collection<Contact>, id: i32) -> TestResult<RawDocumentBuf> {
    Ok(contacts.driver_raw().find_one(doc! { "_id": id }).await?.ok_or("no document")?)
}

fn contact(id: i32, name: &str, company: &str, wechat: Option<&str>) -> Contact {
    let wechat = wechat.map(str::to_owned);
    Contact { id, name: name.to_owned(), company: company.to_owned(), wechat }
}

/// What a read gives, whatever version was stored.
fn everyone() -> [Contact; 4] {
    [
        contact(1, "Ada", "Analytical Engines", None),
        contact(2, "Bob", "Widgets", None),
        contact(3, "Cai", "Widgets", None),
        contact(4, "Dan", "Acme", Some("dan")),
    ]
}
