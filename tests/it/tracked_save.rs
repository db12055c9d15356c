//! Tracked documents: a save sends what has changed, and nothing else.

use std::collections::BTreeMap;

use bson::doc;
use odm::prelude::*;
use odm::{ErrorKind, Tracked};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};

use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    sku: String,
    qty: i64,
    parts: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Profile {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    nick: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "carts")]
struct Cart {
    #[serde(rename = "_id")]
    id: i32,
    total: f64,
    profile: Option<Profile>,
    tags: Vec<String>,
    lines: Vec<Line>,
    by_name: BTreeMap<String, i64>,
    #[serde(alias = "remark", default)]
    note: String,
}

fn line(sku: &str, qty: i64) -> Line {
    Line { sku: sku.into(), qty, parts: vec![1, 2] }
}

fn cart(id: i32) -> Cart {
    Cart {
        id,
        total: 1.0,
        profile: Some(Profile { name: "ann".into(), nick: None }),
        tags: vec!["a".into(), "b".into(), "c".into()],
        lines: vec![line("x", 1), line("y", 2)],
        by_name: BTreeMap::from([("0".into(), 1), ("b".into(), 2)]),
        note: String::new(),
    }
}

async fn read(carts: &Collection<Cart>, id: i32) -> TestResult<Tracked<Cart>> {
    Ok(carts.get(id).tracked().await?.ok_or("not found")?)
}

/// Saves by one command, after which the database holds what is in memory, and a second save sends
/// nothing.
async fn saves(kit: &Kit, carts: &Collection<Cart>, cart: &mut Tracked<Cart>) -> TestResult {
    let (saved, sent) = kit.commands(carts.save(cart)).await;
    assert!(saved?);
    assert_eq!(sent.names(), ["update"], "{sent}");
    assert_eq!(carts.get(cart.id).await?.as_ref(), Some(&**cart), "{sent}");
    let (saved, sent) = kit.commands(carts.save(cart)).await;
    assert!(!saved? && sent.names().is_empty(), "{sent}");
    Ok(())
}

/// DO1955, DO503, DO1133, LV821, OD65, ME2858, OD272, BE286, BE429.
#[test]
fn one_save_of_many_changes_is_one_update() -> TestResult {
    odm_testkit::run(async |kit| {
        let carts = database(&kit).collection::<Cart>();
        carts.insert_one(cart(1)).await?;
        let changes: [fn(&mut Cart); 14] = [
            |cart| {
                cart.total = 2.0;
                if let Some(profile) = &mut cart.profile {
                    profile.name = "bob".into();
                }
                cart.tags.push("d".into());
            },
            |cart| {
                cart.lines.iter_mut().take(1).for_each(|line| line.qty = 7);
                cart.lines.insert(0, line("new", 1));
            },
            |cart| {
                cart.lines.iter_mut().for_each(|line| line.qty += 1);
                cart.tags.truncate(1);
            },
            |cart| cart.lines.iter_mut().for_each(|line| line.parts.push(3)),
            |cart| cart.lines.reverse(),
            |cart| cart.tags.clear(),
            |cart| cart.tags = vec!["z".into()],
            |cart| cart.profile = None,
            |cart| cart.profile = Some(Profile { name: "c".into(), nick: Some("n".into()) }),
            |cart| {
                if let Some(profile) = &mut cart.profile {
                    profile.nick = None;
                }
            },
            |cart| {
                cart.by_name.insert("0".into(), 5);
                cart.by_name.remove("b");
            },
            |cart| {
                cart.by_name.insert("a.b".into(), 5);
                cart.by_name.insert("$c".into(), 6);
            },
            |cart| cart.by_name.retain(|name, _| name != "$c"),
            |cart| cart.total = -0.0,
        ];
        let mut tracked = read(&carts, 1).await?;
        for change in changes {
            change(&mut tracked);
            saves(&kit, &carts, &mut tracked).await?;
        }
        let mut tracked = read(&carts, 1).await?;
        tracked.note = String::new();
        let (saved, sent) = kit.commands(carts.save(&mut tracked)).await;
        assert!(!saved? && sent.names().is_empty(), "{sent}");
        Ok(())
    })
}

#[test]
fn what_no_struct_knows_survives() -> TestResult {
    odm_testkit::run(async |kit| {
        let carts = database(&kit).collection::<Cart>();
        let stored = doc! {
            "_id": 1, "total": 1, "extra": 1, "remark": "old",
            "profile": { "name": "ann", "age": 9 },
            "tags": [], "by_name": {},
            "lines": [
                { "sku": "x", "qty": 1, "parts": [], "colour": "red" },
                { "sku": "y", "qty": 2, "parts": [], "colour": "blue" },
            ],
        };
        carts.driver().insert_one(stored).await?;
        let mut tracked = read(&carts, 1).await?;
        tracked.lines.iter_mut().for_each(|line| line.qty += 1);
        tracked.note = "new".into();
        if let Some(profile) = &mut tracked.profile {
            profile.name = "bob".into();
        }
        saves(&kit, &carts, &mut tracked).await?;
        tracked.lines.insert(0, line("z", 1));
        saves(&kit, &carts, &mut tracked).await?;
        let stored = carts.driver().find_one(doc! {}).await?.ok_or("gone")?;
        let mut expected = doc! {
            "_id": 1, "total": 1, "extra": 1,
            "profile": { "name": "bob", "age": 9 },
            "tags": [], "by_name": {},
            "lines": [
                { "sku": "z", "qty": 1_i64, "parts": [1, 2] },
                { "sku": "x", "qty": 2_i64, "parts": [], "colour": "red" },
                { "sku": "y", "qty": 3_i64, "parts": [], "colour": "blue" },
            ],
        };
        expected.insert("note", "new");
        assert_eq!(stored, expected);
        Ok(())
    })
}

/// MG10974; and others' changes of other fields stay.
#[test]
fn a_save_meets_others() -> TestResult {
    odm_testkit::run(async |kit| {
        let carts = database(&kit).collection::<Cart>();
        carts.insert_many([cart(1), cart(2)]).await?;
        let (mut one, mut other) = (read(&carts, 1).await?, read(&carts, 1).await?);
        one.total = 5.0;
        one.tags.push("one".into());
        other.note = "other".into();
        other.tags.push("other".into());
        assert!(carts.save(&mut one).await? && carts.save(&mut other).await?);
        let stored = carts.get(1).await?.ok_or("gone")?;
        assert_eq!((stored.total, stored.note.as_str()), (5.0, "other"));
        assert_eq!(stored.tags, ["a", "b", "c", "one", "other"]);

        let mut gone = read(&carts, 2).await?;
        carts.delete_one(Cart::fields().id().eq(2)).await?;
        gone.total = 9.0;
        let error = carts.save(&mut gone).await.err().ok_or("saved")?;
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        one.id = 3;
        let error = carts.save(&mut one).await.err().ok_or("saved")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::InvalidArgument, Some("_id")));
        Ok(())
    })
}

#[test]
fn an_aborted_save_is_sent_again() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let carts = db.collection::<Cart>();
        carts.insert_one(cart(1)).await?;
        let mut tracked = read(&carts, 1).await?;
        let session = db.start_session().await?;
        session.start_transaction().await?;
        tracked.tags.push("d".into());
        assert!(carts.save(&mut tracked).session(&session).await?);
        let error = carts.save(&mut tracked).await.err().ok_or("saved")?;
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        session.abort_transaction().await?;
        saves(&kit, &carts, &mut tracked).await?;

        session.start_transaction().await?;
        tracked.tags.push("e".into());
        assert!(carts.save(&mut tracked).session(&session).await?);
        tracked.total = 8.0;
        assert!(carts.save(&mut tracked).session(&session).await?);
        session.commit_transaction().await?;
        assert!(!carts.save(&mut tracked).await?);
        assert_eq!(carts.get(1).await?.as_ref(), Some(&*tracked));
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders", schema_version = 1)]
struct OrderV1 {
    #[serde(rename = "_id")]
    id: i32,
    qty: i64,
    price: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders", schema_version = 2, from = OrderV1)]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    qty: i64,
    price: i64,
    total: i64,
    note: String,
}

impl From<OrderV1> for Order {
    fn from(OrderV1 { id, qty, price }: OrderV1) -> Self {
        Self { id, qty, price, total: qty * price, note: String::new() }
    }
}

/// By one command where it is as it was read; else others come first, and nothing is lost.
#[test]
fn an_old_document_is_saved_at_the_current_version() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (before, orders) = (db.collection::<OrderV1>(), db.collection::<Order>());
        before.insert_many((1..=3).map(|id| OrderV1 { id, qty: 2, price: 3 })).await?;
        let o = Order::fields();
        let mut all = orders.find(Filter::new()).sort(o.id().asc()).tracked().await?;
        // The second is written back meanwhile, the third is changed by an old program.
        orders.get(2).await?;
        before.update_one(OrderV1::fields().id().eq(3), OrderV1::fields().qty().set(5)).await?;
        let mut counts = Vec::new();
        for order in &mut all {
            order.note = "new".into();
            let (saved, sent) = kit.commands(orders.save(order)).await;
            assert!(saved?);
            counts.push(sent.len());
        }
        assert_eq!(counts, [1, 3, 5]);
        let found = orders.find(Filter::new()).sort(o.id().asc()).await?;
        let found: Vec<_> = found.iter().map(|o| (o.qty, o.total, o.note.as_str())).collect();
        assert_eq!(found, [(2, 6, "new"), (2, 6, "new"), (5, 15, "new")]);
        assert_eq!(before.count_documents(OrderV1::fields().qty().gt(0)).await?, 3);
        let old = orders.driver().count_documents(doc! { "schema_version": 1 }).await?;
        assert_eq!(old, 0);
        Ok(())
    })
}
