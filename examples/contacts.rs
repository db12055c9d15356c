//! Contacts in groups, and their portraits: many to many by a business key, and a large part that is
//! rarely read in a collection of its own.
//!
//! Run it with `cargo run --example contacts`. It starts a MongoDB of its own, shows each step with
//! its result and round trips, and checks itself.

mod support;

use odm::bson::spec::BinarySubtype;
use odm::bson::{self, Binary, Bson, doc};
use odm::prelude::*;
use odm::{Lookup, Many, One, Ref};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};
use support::Steps;

/// A group. Contacts refer to it by its number, which people know, and not by its `_id`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "groups")]
struct Group {
    #[serde(rename = "_id")]
    id: bson::oid::ObjectId,
    #[odm(unique)]
    group_id: i32,
    name: String,
    /// Who is in it: the contacts say so, however many there are.
    #[serde(skip)]
    #[odm(inverse = groups)]
    contacts: Many<Contact>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts")]
struct Contact {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(rename = "group_ids")]
    #[odm(references(group_id))]
    groups: Vec<Ref<Group, i32>>,
    /// Megabytes, read once in ten times.
    #[serde(skip)]
    #[odm(inverse = contact)]
    portrait: One<Portrait>,
}

/// The large part of a contact, in a collection of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "portraits")]
struct Portrait {
    #[serde(rename = "_id")]
    id: bson::oid::ObjectId,
    #[odm(unique)]
    contact: Ref<Contact>,
    image: Binary,
}

/// What a list shows of a contact.
#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Contact)]
struct Name {
    name: String,
}

const GROUPS: i32 = 50;
const CONTACTS: i32 = 5_000;
const IMAGE_SIZE: usize = 5_000_000;

fn main() -> TestResult {
    odm_testkit::run(contacts)
}

async fn contacts(kit: Kit) -> TestResult {
    let db = Database::from(kit.database());
    let mut steps = Steps::new(&kit);

    write(&db, &mut steps).await?;
    read_contacts_with_groups(&kit, &db, &mut steps).await?;
    read_groups_with_contacts(&kit, &db, &mut steps).await?;
    find_by_group(&db, &mut steps).await?;
    rename_a_group(&kit, &db, &mut steps).await?;
    read_the_portrait_when_asked(&kit, &db, &mut steps).await?;

    steps.finish("contacts");
    Ok(())
}

async fn write(db: &Database, steps: &mut Steps) -> TestResult {
    let plan = db.plan(odm::models![Group, Contact, Portrait]).await?;
    print!("{plan}");
    steps.step("Apply the plan", plan.apply()).await?;

    let groups = (1..=GROUPS).map(|number| Group {
        id: bson::oid::ObjectId::new(),
        group_id: number,
        name: format!("group {number}"),
        contacts: Many::default(),
    });
    db.collection::<Group>().insert_many(groups).await?;
    let contacts = db.collection::<Contact>();
    contacts.insert_many((0..CONTACTS).map(contact)).await?;

    let stored = contacts.driver().find_one(doc! { "_id": 7 }).await?;
    let expected = doc! { "_id": 7, "name": "contact 7", "group_ids": [8, 25] };
    steps.check(
        "a contact holds the numbers of its groups, and no portrait",
        stored,
        Some(expected),
    )
}

/// A contact in two groups.
fn contact(number: i32) -> Contact {
    let groups = [number % GROUPS + 1, (number * 7 + 25) % GROUPS + 1];
    let groups = match number {
        7 => vec![Ref::new(8), Ref::new(25)],
        _ => groups.into_iter().map(Ref::new).collect(),
    };
    Contact { id: number, name: format!("contact {number}"), groups, portrait: One::default() }
}

async fn read_contacts_with_groups(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (contacts, c) = (db.collection::<Contact>(), Contact::fields());
    let page = contacts.find(Filter::new()).sort(c.id().asc()).lookup(c.groups()).page(100);
    let (page, sent) = kit.commands(page).await;
    let page = page?;
    println!("A page of 100 contacts with their groups");
    steps.check("takes two round trips", sent.names(), ["find", "find"])?;
    let names: Vec<_> =
        page.items[7].groups.iter().filter_map(|group| Some(group.get()?.name.as_str())).collect();
    steps.check("the groups are in the contact's order", names, ["group 8", "group 25"])?;

    let get = contacts.get(7).lookup(c.groups());
    let (contact, sent) = kit.commands(steps.step("One contact with its groups", get)).await;
    steps.check("takes one round trip", sent.names(), ["aggregate"])?;
    let contact = contact?.ok_or("no contact")?;
    steps.check("and has both", contact.groups.iter().filter(|g| g.is_loaded()).count(), 2)
}

async fn read_groups_with_contacts(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (groups, g, c) = (db.collection::<Group>(), Group::fields(), Contact::fields());

    let counted = groups.find(Filter::new()).sort(g.group_id().asc());
    let counted = counted.lookup(Lookup::new(g.contacts()).count());
    let (counted, sent) = kit.commands(counted).await;
    let counts: Vec<_> = counted?.iter().filter_map(|group| group.contacts.count()).collect();
    println!("Every group, and how many contacts are in it: {counts:?}");
    steps.check("takes two round trips", sent.names(), ["find", "aggregate"])?;
    steps.check("all were counted", counts.len(), GROUPS as usize)?;

    let last = Lookup::new(g.contacts()).sort(c.id().desc()).limit(3).project::<Name>();
    let find = groups.find(g.group_id().lte(2)).sort(g.group_id().asc()).lookup(last);
    let found = steps.step("The last three contacts of two groups, by name", find).await?;
    let names: Vec<Vec<&str>> = found
        .iter()
        .map(|group| group.contacts.views::<Name>().into_iter().flatten())
        .map(|views| views.map(|view| view.name.as_str()).collect())
        .collect();
    println!("    {names:?}");
    steps.check("three of each", names.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3])?;
    steps.check("the newest first", names[0][0] > names[0][2], true)?;
    let first = &found[0];
    steps.check("and not as whole contacts", first.contacts.get().is_none(), true)
}

/// A filter takes the key; a name of a group is a field of another collection.
async fn find_by_group(db: &Database, steps: &mut Steps) -> TestResult {
    let (contacts, c, g) = (db.collection::<Contact>(), Contact::fields(), Group::fields());
    let count = contacts.count_documents(c.groups().contains(8));
    let by_key = steps.step("How many are in group 8?", count).await?;
    let in_group = Lookup::new(c.groups()).filter(g.name().eq("group 8")).required();
    let by_name = contacts.find(Filter::new()).lookup(in_group).count();
    let by_name = steps.step("And by the name of the group?", by_name).await?;
    steps.check("the same", by_name, by_key)
}

async fn rename_a_group(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (groups, contacts) = (db.collection::<Group>(), db.collection::<Contact>());
    let (g, c) = (Group::fields(), Contact::fields());
    let rename = groups.update_one(g.group_id().eq(8), g.name().set("friends"));
    let (renamed, sent) = kit.commands(steps.step("Rename a group", rename)).await;
    renamed?;
    steps.check("is one write, however many are in it", sent.names(), ["update"])?;
    let find = contacts.find(c.groups().contains(8)).lookup(c.groups());
    let found = find.await?;
    let renamed = found.iter().flat_map(|contact| &contact.groups);
    let renamed = renamed.filter(|group| group.get().is_some_and(|group| group.name == "friends"));
    steps.check("and all its contacts see it", renamed.count(), found.len())
}

async fn read_the_portrait_when_asked(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (contacts, portraits) = (db.collection::<Contact>(), db.collection::<Portrait>());
    let c = Contact::fields();
    let image = Binary { subtype: BinarySubtype::Generic, bytes: vec![7; IMAGE_SIZE] };
    let portrait = Portrait { id: bson::oid::ObjectId::new(), contact: Ref::new(7), image };
    portraits.insert_one(&portrait).await?;

    let (contact, sent) = kit.commands(contacts.get(7)).await;
    let contact = contact?.ok_or("no contact")?;
    println!("A contact, nine times in ten: {contact:?}");
    steps.check("the portrait is not read", sent.names(), ["find"])?;
    steps.check("nor taken for absent", contact.portrait.is_missing(), false)?;

    let get = contacts.get(7).lookup(c.portrait());
    let (contact, sent) = kit.commands(get).await;
    let contact = contact?.ok_or("no contact")?;
    println!("The contact with its portrait");
    steps.check("comes in one round trip", sent.names(), ["aggregate"])?;
    let size = contact.portrait.get().map(|portrait| portrait.image.bytes.len());
    steps.check("with all its bytes", size, Some(IMAGE_SIZE))?;

    let without = contacts.get(8).lookup(c.portrait()).await?.ok_or("no contact")?;
    steps.check("another has none", without.portrait.is_missing(), true)?;
    let twice = Portrait { id: bson::oid::ObjectId::new(), ..portrait };
    let error = portraits.insert_one(twice).await.err().ok_or("inserted")?;
    println!("    {error}");
    let value = error.duplicate_key().and_then(|duplicate| duplicate.key.get("contact").cloned());
    steps.check("a second portrait is refused", value, Some(Bson::Int32(7)))
}
