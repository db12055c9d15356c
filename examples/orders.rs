//! Orders: a field that leads into several collections, references that name their collection, and
//! a catalogue in another database.
//!
//! Run it with `cargo run --example orders`. It starts a MongoDB of its own, shows each step with its
//! result and round trips, and checks itself.

mod support;

use odm::bson::{Bson, doc};
use odm::prelude::*;
use odm::{DbRef, ErrorKind, Lookup, Ref};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};
use support::Steps;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "products")]
struct Product {
    #[serde(rename = "_id")]
    id: String,
    name: String,
    weight: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "services")]
struct Service {
    #[serde(rename = "_id")]
    id: String,
    name: String,
}

/// What a line is about: the tag says in which collection it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Item {
    Product { item: Ref<Product> },
    Service { item: Ref<Service> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    what: Item,
    quantity: i32,
}

/// What a complaint is about: a DBRef says itself in which collection it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(untagged)]
enum Subject {
    Product(DbRef<Product>),
    Service(DbRef<Service>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "customers")]
struct Customer {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders")]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    /// Half of the old orders hold a DBRef, half the plain id.
    customer: DbRef<Customer>,
    lines: Vec<Line>,
    complaint: Option<Subject>,
    /// Wherever it may be.
    source: Option<DbRef>,
}

fn main() -> TestResult {
    odm_testkit::run(orders)
}

async fn orders(kit: Kit) -> TestResult {
    let db = Database::from(kit.database());
    let mut steps = Steps::new(&kit);

    write(&db, &mut steps).await?;
    read_items(&kit, &db, &mut steps).await?;
    read_subjects(&kit, &db, &mut steps).await?;
    read_old_references(&kit, &db, &mut steps).await?;
    follow_any_reference(&kit, &db, &mut steps).await?;
    sort_by_customer(&db, &mut steps).await?;

    steps.finish("orders");
    Ok(())
}

async fn write(db: &Database, steps: &mut Steps) -> TestResult {
    let products = [("bolt", "Bolt, M6", 12), ("nut", "Nut, M6", 4)];
    let products = products.map(|(id, name, weight)| Product {
        id: id.to_owned(),
        name: name.to_owned(),
        weight,
    });
    db.collection::<Product>().insert_many(&products).await?;
    let service = Service { id: "bolt".to_owned(), name: "Bolting on site".to_owned() };
    db.collection::<Service>().insert_one(&service).await?;
    let customers = [(1, "Zoe"), (2, "Ann")];
    let customers = customers.map(|(id, name)| Customer { id, name: name.to_owned() });
    db.collection::<Customer>().insert_many(&customers).await?;

    let orders = db.collection::<Order>();
    let order = Order {
        id: 1,
        customer: DbRef::new(1),
        lines: vec![
            Line { what: Item::Product { item: Ref::new("bolt") }, quantity: 100 },
            Line { what: Item::Service { item: Ref::new("bolt") }, quantity: 1 },
            Line { what: Item::Product { item: Ref::new("nut") }, quantity: 100 },
        ],
        complaint: Some(Subject::Service(DbRef::new("bolt"))),
        source: Some(DbRef::to("leaflets", 7)),
    };
    steps.step("Write an order", orders.insert_one(&order)).await?;
    let expected = doc! {
        "_id": 1,
        "customer": { "$ref": "customers", "$id": 1 },
        "lines": [
            { "what": { "kind": "product", "item": "bolt" }, "quantity": 100 },
            { "what": { "kind": "service", "item": "bolt" }, "quantity": 1 },
            { "what": { "kind": "product", "item": "nut" }, "quantity": 100 },
        ],
        "complaint": { "$ref": "services", "$id": "bolt" },
        "source": { "$ref": "leaflets", "$id": 7 },
    };
    let stored = orders.driver().find_one(doc! { "_id": 1 }).await?;
    steps.check("it holds ids, and DBRefs with their fields in order", stored, Some(expected))?;

    // As another program has stored them.
    let old = [
        doc! { "_id": 2, "customer": 2, "lines": [], "complaint": null, "source": null },
        doc! {
            "_id": 3, "customer": { "$ref": "customers", "$id": 1 }, "lines": [],
            "complaint": { "$ref": "products", "$id": "nut" },
            "source": { "$ref": "campaigns", "$id": "spring", "$db": format!("{}_shop", db.name()) },
        },
    ];
    orders.driver().insert_many(old).await?;
    Ok(())
}

/// One field, two collections, the same id in both.
async fn read_items(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (orders, o) = (db.collection::<Order>(), Order::fields());
    let what = o.lines().what();
    let mut seen = Vec::new();
    for (name, is_joined) in [("$lookup", true), ("batches", false)] {
        let get = orders.get(1).lookup(what.product().item()).lookup(what.service().item());
        let get = if is_joined { get.with_lookup() } else { get.with_batches() };
        let title = format!("An order with its products and services, by {name}");
        let (order, sent) = kit.commands(steps.step(&title, get)).await;
        let order = order?.ok_or("no order")?;
        steps.check("round trips", sent.len(), if is_joined { 1 } else { 3 })?;
        let names: Vec<_> = order.lines.iter().map(|line| name_of(&line.what)).collect();
        seen.push(names);
    }
    let expected = ["Bolt, M6", "Bolting on site", "Nut, M6"].map(|name| Some(name.to_owned()));
    steps.check("each line has its own", &seen[0], &expected.to_vec())?;
    steps.check("by either", &seen[0], &seen[1])
}

fn name_of(item: &Item) -> Option<String> {
    match item {
        Item::Product { item } => item.get().map(|product| product.name.clone()),
        Item::Service { item } => item.get().map(|service| service.name.clone()),
    }
}

async fn read_subjects(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (orders, o) = (db.collection::<Order>(), Order::fields());
    let find = orders
        .find(!o.complaint().is_none())
        .sort(o.id().asc())
        .lookup(o.complaint().product())
        .lookup(o.complaint().service());
    let (found, sent) = kit.commands(steps.step("What the complaints are about", find)).await;
    let subject = |order: Order| match order.complaint? {
        Subject::Product(product) => product.get().map(|product| product.name.clone()),
        Subject::Service(service) => service.get().map(|service| service.name.clone()),
    };
    let subjects: Vec<_> = found?.into_iter().filter_map(subject).collect();
    steps.check("a service and a product", subjects, ["Bolting on site", "Nut, M6"])?;
    steps.check("one find for each collection", sent.names(), ["find", "find", "find"])
}

/// DBRefs and plain ids are read side by side, and written back as they were.
async fn read_old_references(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (orders, o) = (db.collection::<Order>(), Order::fields());
    let find = orders.find(Filter::new()).sort(o.id().asc()).lookup(o.customer());
    let (found, sent) = kit.commands(steps.step("All orders with their customers", find)).await;
    let found = found?;
    let names: Vec<_> =
        found.iter().filter_map(|order| Some(order.customer.get()?.name.as_str())).collect();
    steps.check("each has its customer, however it is stored", names, ["Zoe", "Ann", "Zoe"])?;
    steps.check("in two round trips", sent.len(), 2)?;

    orders.replace_one(o.id().eq(2), &found[1]).await?;
    let stored = orders.driver().find_one(doc! { "_id": 2 }).await?.ok_or("gone")?;
    steps.check("a plain id stays one", stored.get("customer"), Some(&Bson::Int32(2)))?;
    let by_id = orders.count_documents(o.customer().refers_to(1)).await?;
    steps.check("a filter finds either form", by_id, 2)
}

/// A DBRef without a model leads anywhere, also into another database.
async fn follow_any_reference(kit: &Kit, db: &Database, steps: &mut Steps) -> TestResult {
    let (orders, o) = (db.collection::<Order>(), Order::fields());
    let leaflet = doc! { "_id": 7, "title": "Bolts and nuts" };
    db.driver().collection("leaflets").insert_one(leaflet.clone()).await?;
    let shop = kit.client().database(&format!("{}_shop", db.name()));
    let campaign = doc! { "_id": "spring", "discount": 10 };
    shop.collection("campaigns").insert_one(campaign.clone()).await?;

    let find = orders.find(!o.source().is_none()).sort(o.id().asc()).lookup(o.source());
    let found = steps.step("Orders and where they came from", find).await;
    shop.drop().await?;
    let found = found?;
    let sources: Vec<_> = found.iter().filter_map(|order| order.source.as_ref()?.get()).collect();
    steps.check("documents of any form", sources, [&leaflet, &campaign])?;
    let database = found[1].source.as_ref().and_then(DbRef::database);
    steps.check(
        "one of another database",
        database.map(str::to_owned),
        Some(shop.name().to_owned()),
    )
}

async fn sort_by_customer(db: &Database, steps: &mut Steps) -> TestResult {
    let (orders, o, c) = (db.collection::<Order>(), Order::fields(), Customer::fields());
    let by_name = Lookup::new(o.customer()).sort_parents(c.name().asc());
    let find = orders.find(Filter::new()).lookup(by_name).sort(o.id().asc());
    let found = steps.step("Orders by the names of their customers", find).await?;
    let ids: Vec<_> = found.iter().map(|order| order.id).collect();
    steps.check("Ann's come first", ids, [2, 1, 3])?;
    let by_name = Lookup::new(o.customer()).sort_parents(c.name().asc());
    let error = orders.find(Filter::new()).lookup(by_name).with_batches().await;
    let error = error.err().ok_or("sorted")?;
    println!("    {error}");
    steps.check("only the server can sort so", error.kind(), ErrorKind::InvalidArgument)
}
