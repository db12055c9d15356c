//! What users of other mappers reported about references, by either strategy; round trips of many
//! parents.

use odm::bson::oid::ObjectId;
use odm::bson::{Bson, doc};
use odm::prelude::*;
use odm::{DbRef, Lookup, LookupStrategy, Many, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

const BOTH: [LookupStrategy; 2] = [LookupStrategy::Lookup, LookupStrategy::Batches];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "products")]
struct Product {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    product: Ref<Product>,
    quantity: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders")]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    first: Ref<Product>,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "people")]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    aliases: Vec<Ref<Alias>>,
    #[serde(default)]
    friend: Option<DbRef<Person>>,
    #[serde(default)]
    seen: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "aliases")]
struct Alias {
    #[serde(rename = "_id")]
    id: String,
    #[serde(skip)]
    #[odm(inverse = aliases)]
    people: Many<Person>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "groups")]
struct Group {
    #[serde(rename = "_id")]
    id: ObjectId,
    #[odm(unique)]
    group_id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts")]
struct Contact {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(references(group_id))]
    groups: Vec<Ref<Group, i32>>,
}

fn product(id: i32, name: &str) -> Product {
    Product { id, name: name.into() }
}

fn order(id: i32, products: &[(i32, i32)]) -> Order {
    let line = |&(product, quantity)| Line { product: Ref::new(product), quantity };
    let first = Ref::new(products.first().map_or(0, |(product, _)| *product));
    Order { id, first, lines: products.iter().map(line).collect() }
}

fn person(id: i32, aliases: &[&str]) -> Person {
    let aliases = aliases.iter().map(|alias| Ref::new(*alias)).collect();
    Person { id, aliases, friend: None, seen: 0 }
}

/// MG2202: orders sorted by the name of a product keep each quantity with its product. BE496: a find
/// that asks for something of the product agrees with its count.
#[test]
fn lines_stay_with_their_products_in_any_order() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let orders = db.collection::<Order>();
        let products = [product(1, "nut"), product(2, "bolt"), product(3, "awl")];
        db.collection::<Product>().insert_many(products).await?;
        let stored = [order(1, &[(1, 10), (2, 20), (1, 11)]), order(2, &[(3, 30), (1, 12)])];
        orders.insert_many(stored).await?;
        let (o, p) = (Order::fields(), Product::fields());
        let pairs = |order: &Order| -> Vec<(String, i32)> {
            let name = |line: &Line| line.product.get().map(|product| product.name.clone());
            order.lines.iter().filter_map(|line| Some((name(line)?, line.quantity))).collect()
        };
        let by_name = Lookup::new(o.first()).sort_parents(p.name().asc());
        let sorted = orders.find(Filter::new()).lookup(by_name).lookup(o.lines().product()).await?;
        let ids: Vec<_> = sorted.iter().map(|order| order.id).collect();
        assert_eq!(ids, [2, 1]);
        let of =
            |names: [(&str, i32); 3]| names.map(|(name, quantity)| (name.to_owned(), quantity));
        assert_eq!(pairs(&sorted[1]), of([("nut", 10), ("bolt", 20), ("nut", 11)]));
        for strategy in BOTH {
            let bolts = Lookup::new(o.lines().product()).filter(p.name().eq("bolt")).required();
            let find = || orders.find(Filter::new()).lookup(bolts.clone()).strategy(strategy);
            let found = find().await?;
            assert_eq!(found.iter().map(|order| order.id).collect::<Vec<_>>(), [1]);
            assert_eq!(find().count().await?, 1, "{strategy:?}");
            assert_eq!(pairs(&found[0]), [("bolt".to_owned(), 20)]);
        }
        Ok(())
    })
}

/// MG10117: who holds an alias twice is found once.
#[test]
fn a_document_that_refers_twice_is_loaded_once() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let aliases = db.collection::<Alias>();
        aliases.insert_one(Alias { id: "x".into(), people: Many::default() }).await?;
        db.collection::<Person>().insert_one(person(1, &["x", "y", "x"])).await?;
        let a = Alias::fields();
        for strategy in BOTH {
            let get = aliases.get("x").lookup(a.people()).strategy(strategy);
            let alias = get.await?.ok_or("gone")?;
            assert_eq!(alias.people.count(), Some(1), "{strategy:?}");
            let count = Lookup::new(a.people()).count();
            let get = aliases.get("x").lookup(count).strategy(strategy);
            assert_eq!(get.await?.ok_or("gone")?.people.count(), Some(1), "{strategy:?}");
        }
        Ok(())
    })
}

/// MO1500: DBRefs and plain ids are read side by side; an update of something else leaves both as
/// they are, and so does writing back what was read.
#[test]
fn db_refs_and_plain_ids_stand_side_by_side() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let people = db.collection::<Person>();
        let stored = [
            doc! { "_id": 1, "aliases": [], "friend": { "$ref": "people", "$id": 2 }, "seen": 0 },
            doc! { "_id": 2, "aliases": [], "friend": 1, "seen": 0 },
        ];
        people.driver().insert_many(&stored).await?;
        let p = Person::fields();
        for strategy in BOTH {
            let find = people.find(Filter::new()).sort(p.id().asc()).lookup(p.friend());
            let found = find.strategy(strategy).await?;
            let friends: Vec<_> =
                found.iter().filter_map(|person| Some(person.friend.as_ref()?.get()?.id)).collect();
            assert_eq!(friends, [2, 1], "{strategy:?}");
            people.update_many(Filter::new(), p.seen().inc(1)).all().await?;
            for mut person in found {
                person.seen = 0;
                people.replace_one(p.id().eq(person.id), &person).await?;
            }
            for expected in &stored {
                let id = expected.get_i32("_id")?;
                let found = people.driver().find_one(doc! { "_id": id }).await?;
                assert_eq!(found.as_ref(), Some(expected), "{strategy:?}");
            }
        }
        Ok(())
    })
}

/// SD1209: a reference is stored in the type of its target's `_id`.
#[test]
fn a_reference_has_the_type_of_the_id() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.collection::<Person>().insert_one(person(1, &["x"])).await?;
        db.collection::<Order>().insert_one(order(1, &[(7, 1)])).await?;
        let person = db.driver().collection::<odm::bson::Document>("people");
        let person = person.find_one(doc! {}).await?.ok_or("gone")?;
        assert_eq!(person.get_array("aliases")?, &[Bson::from("x")]);
        let order = db.driver().collection::<odm::bson::Document>("orders");
        let order = order.find_one(doc! {}).await?.ok_or("gone")?;
        assert_eq!(order.get("first"), Some(&Bson::Int32(7)));
        Ok(())
    })
}

/// As many round trips for ten thousand parents as for one: one for each level, and those of the
/// batches that do not fit into one.
#[test]
fn round_trips_are_those_of_the_levels() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let orders = db.collection::<Order>();
        let products = (0..1_000).map(|id| product(id, "a product"));
        db.collection::<Product>().insert_many(products).await?;
        orders.insert_many((0..10_000).map(|id| order(id, &[(id % 1_000, 1)]))).await?;
        let o = Order::fields();
        let (found, sent) = kit.commands(orders.find(Filter::new()).lookup(o.first())).await;
        let found = found?;
        assert!(found.len() == 10_000 && found.iter().all(|order| order.first.is_loaded()));
        assert_eq!(sent.count("find"), 2, "{sent}");
        assert_eq!(sent.len() - sent.count("getMore"), 2, "{sent}");
        let find = orders.find(Filter::new()).lookup(o.first()).lookup(o.lines().product());
        let (found, sent) = kit.commands(find).await;
        assert_eq!(found?.len(), 10_000);
        assert_eq!(sent.len() - sent.count("getMore"), 3, "{sent}");
        Ok(())
    })
}

/// A hundred thousand contacts in fifty groups: the name of a group is in one place.
#[test]
fn a_group_is_renamed_by_one_write() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (groups, contacts) = (db.collection::<Group>(), db.collection::<Contact>());
        let group = |number| Group { id: ObjectId::new(), group_id: number, name: "old".into() };
        groups.insert_many((0..50).map(group)).await?;
        let contact = |id| Contact { id, groups: vec![Ref::new(id % 50), Ref::new((id + 7) % 50)] };
        contacts.insert_many((0..100_000).map(contact)).await?;
        let (g, c) = (Group::fields(), Contact::fields());

        let rename = groups.update_one(g.group_id().eq(7), g.name().set("new"));
        let renamed = kit.expect_commands(1, rename).await?;
        assert_eq!(renamed.modified_count, 1);
        for strategy in BOTH {
            let find = contacts.find(Filter::new()).sort(c.id().asc()).lookup(c.groups());
            let page = kit.expect_commands(..=2, find.strategy(strategy).page(100)).await?;
            assert_eq!(page.items.len(), 100);
            let names: Vec<_> = page.items[0]
                .groups
                .iter()
                .filter_map(|group| Some(group.get()?.name.as_str()))
                .collect();
            assert_eq!(names, ["old", "new"], "{strategy:?}");
        }
        Ok(())
    })
}

stored_like_serde!(
    order(1, &[(1, 2)]),
    person(1, &["x"]),
    Contact { id: 1, groups: vec![Ref::new(2)] }
);
