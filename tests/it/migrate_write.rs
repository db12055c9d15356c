//! Writes on versioned models: never on a document of another version.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bson::doc;
use odm::prelude::*;
use odm::{ErrorKind, Result};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

/// The program that is to be replaced. Only one that declares a version is kept off documents of a
/// newer one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders", schema_version = 1)]
struct OrderV1 {
    #[serde(rename = "_id")]
    id: i32,
    qty: i64,
    price: i64,
    log: Vec<String>,
}

/// Derives `total` and keeps what it is derived from: a write that came between would make it wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders", schema_version = 2, from = OrderV1)]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    qty: i64,
    price: i64,
    total: i64,
    log: Vec<String>,
}

impl From<OrderV1> for Order {
    fn from(old: OrderV1) -> Self {
        Self {
            id: old.id,
            qty: old.qty,
            price: old.price,
            total: old.qty * old.price,
            log: old.log,
        }
    }
}

/// The same collection as the next program will see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders", schema_version = 3, from = Order)]
struct OrderV3 {
    #[serde(rename = "_id")]
    id: i32,
    sum: i64,
    extra: String,
}

impl From<Order> for OrderV3 {
    fn from(old: Order) -> Self {
        Self { id: old.id, sum: old.total, extra: String::new() }
    }
}

fn old(id: i32) -> OrderV1 {
    OrderV1 { id, qty: 2, price: 3, log: vec![] }
}

async fn stored(orders: &odm::Collection<Order>, id: i32) -> TestResult<bson::Document> {
    Ok(orders.driver().find_one(doc! { "_id": id }).await?.ok_or("gone")?)
}

#[test]
fn an_update_migrates_an_old_document_first() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (before, orders) = (db.collection::<OrderV1>(), db.collection::<Order>());
        let o = Order::fields();
        before.insert_many((1..=6).map(old)).await?;

        let update = orders.update_one(o.id().eq(1), o.log().push("x"));
        let (updated, sent) = kit.commands(update).await;
        assert_eq!(updated?.modified_count, 1);
        assert_eq!(sent.names(), ["update", "find", "update", "update"], "{sent}");
        let document = stored(&orders, 1).await?;
        assert_eq!((document.get_i64("total")?, document.get_i32("schema_version")?), (6, 2));

        let (updated, sent) =
            kit.commands(orders.update_one(o.id().eq(1), o.log().push("y"))).await;
        assert_eq!(updated?.modified_count, 1);
        assert_eq!(sent.names(), ["update"], "a current document takes one round trip: {sent}");

        let (updated, sent) =
            kit.commands(orders.update_one(o.qty().eq(2) & o.id().gte(2), o.log().push("z"))).await;
        assert_eq!(updated?.modified_count, 1);
        assert_eq!(sent.names(), ["find", "update", "update"], "{sent}");
        let (updated, sent) =
            kit.commands(orders.update_one(o.id().eq(99), o.log().push("z"))).await;
        assert_eq!((updated?.matched_count, sent.len()), (0, 2), "{sent}");

        let many = orders.update_many(o.id().gte(3), o.price().inc(1));
        assert_eq!(many.await?.modified_count, 4);
        for id in 3..=6 {
            let document = stored(&orders, id).await?;
            assert_eq!((document.get_i64("price")?, document.get_i64("total")?), (4, 6));
        }
        let (updated, sent) =
            kit.commands(orders.update_many(o.id().gte(3), o.price().inc(1))).await;
        assert_eq!(updated?.modified_count, 4);
        assert_eq!(sent.names(), ["find", "update"], "{sent}");
        Ok(())
    })
}

#[test]
fn a_replace_and_a_delete_know_old_documents() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (before, orders) = (db.collection::<OrderV1>(), db.collection::<Order>());
        let o = Order::fields();
        before.insert_many((1..=5).map(old)).await?;
        let new = Order { id: 1, qty: 9, price: 9, total: 81, log: vec![] };
        assert_eq!(orders.replace_one(o.id().eq(1), &new).await?.modified_count, 1);
        assert_eq!(orders.get(1).await?, Some(new));
        let (deleted, sent) = kit.commands(orders.delete_one(o.id().eq(2))).await;
        assert_eq!((deleted?.deleted_count, sent.names()), (1, vec!["delete"]), "{sent}");
        assert_eq!(orders.delete_one(o.qty().eq(2)).await?.deleted_count, 1);
        assert_eq!(orders.delete_one(o.id().eq(77)).await?.deleted_count, 0);
        let (deleted, sent) = kit.commands(orders.delete_many(Filter::new()).all()).await;
        assert_eq!((deleted?.deleted_count, sent.names()), (3, vec!["find", "delete"]), "{sent}");
        Ok(())
    })
}

/// MM57: an old program meets a newer document. Nothing it does changes, lowers or removes it.
#[test]
fn an_old_program_cannot_damage_a_newer_document() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (orders, newer) = (db.collection::<Order>(), db.collection::<OrderV3>());
        let o = Order::fields();
        let document = OrderV3 { id: 1, sum: 5, extra: "new".into() };
        newer.insert_one(&document).await?;
        let mine = Order { id: 1, qty: 1, price: 1, total: 1, log: vec![] };
        macro_rules! refused {
            ($action:expr) => {{
                let error = $action.await.err().ok_or("accepted")?;
                assert_eq!(error.kind(), ErrorKind::NewerVersion, "{error}");
                assert_eq!(newer.find(Filter::new()).await?, std::slice::from_ref(&document));
            }};
        }
        refused!(orders.get(1));
        refused!(orders.update_one(o.id().eq(1), o.qty().set(7)));
        refused!(orders.update_one(o.id().gte(0), o.qty().set(7)));
        refused!(orders.update_many(o.id().eq(1), o.qty().set(7)));
        refused!(orders.update_many(Filter::new(), o.qty().set(7)).all());
        refused!(orders.replace_one(o.id().eq(1), &mine));
        refused!(orders.delete_one(o.id().eq(1)));
        refused!(orders.delete_one(o.id().gte(0)));
        refused!(orders.delete_many(o.id().eq(1)));
        refused!(orders.delete_many(Filter::new()).all());
        let error = orders.insert_one(&mine).await.err().ok_or("accepted")?;
        assert!(error.is_duplicate_key());
        Ok(())
    })
}

/// Without an answer nobody could tell whether an old document is to be migrated first.
#[test]
fn a_guarded_write_needs_an_answer() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        let o = Order::fields();
        let unacknowledged =
            || odm::options::WriteConcern::from(odm::options::Acknowledgment::Nodes(0));
        let mine = Order { id: 1, qty: 1, price: 1, total: 1, log: vec![] };
        macro_rules! refused {
            ($action:expr) => {{
                let (result, sent) = kit.commands($action.write_concern(unacknowledged())).await;
                let error = result.err().ok_or("accepted")?;
                assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
                assert!(sent.is_empty(), "{sent}");
            }};
        }
        refused!(orders.update_one(o.id().eq(1), o.qty().set(1)));
        refused!(orders.update_one(o.qty().eq(1), o.qty().set(2)));
        refused!(orders.replace_one(o.id().eq(1), &mine));
        refused!(orders.delete_one(o.qty().eq(1)));
        refused!(orders.find_one_and_update(o.id().eq(1), o.qty().set(1)));
        refused!(orders.find_one_and_replace(o.id().eq(1), &mine));
        refused!(orders.find_one_and_delete(o.id().eq(1)));
        Ok(())
    })
}

/// Writers of the old program by path and by replace, readers that migrate, writers of the new
/// program, all at once: every acknowledged write is there at the end, and every total is right.
#[test]
fn no_acknowledged_write_is_lost() -> TestResult {
    const DOCUMENTS: i32 = 12;
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (before, after) = (db.collection::<OrderV1>(), db.collection::<Order>());
        let mut acknowledged = Vec::new();
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut round = 0;
        while round < 25 && Instant::now() < deadline {
            let first = round * DOCUMENTS;
            before.insert_many((first..first + DOCUMENTS).map(old)).await?;
            // Half of them are older still: without a version they are of the first one.
            let (half, unset) = (
                doc! { "_id": { "$gte": first + DOCUMENTS / 2 }, "schema_version": 1 },
                doc! { "$unset": { "schema_version": true } },
            );
            before.driver().update_many(half, unset).await?;
            acknowledged.extend(race(&before, &after, first, DOCUMENTS).await?);
            round += 1;
        }
        assert!(
            round >= 3 && acknowledged.len() > 100,
            "{round} rounds, {} writes",
            acknowledged.len()
        );
        let orders = after.find(Filter::new()).await?;
        assert_eq!(orders.len(), usize::try_from(round * DOCUMENTS)?);
        for order in &orders {
            assert_eq!(order.total, order.qty * order.price, "{order:?}");
        }
        for (id, mark) in acknowledged {
            let order = orders.iter().find(|order| order.id == id).ok_or("gone")?;
            assert!(order.log.contains(&mark), "the write {mark} of {id} is lost: {:?}", order.log);
        }
        let raw = after.driver();
        assert_eq!(raw.count_documents(doc! { "schema_version": { "$ne": 2 } }).await?, 0);
        Ok(())
    })
}

/// One round: until a reader has migrated every document. Returns the acknowledged writes.
async fn race(
    before: &odm::Collection<OrderV1>,
    after: &odm::Collection<Order>,
    first: i32,
    count: i32,
) -> TestResult<Vec<(i32, String)>> {
    let marks = Arc::new(AtomicU64::new(0));
    let done = Arc::new(AtomicBool::new(false));
    let mut tasks = Vec::new();
    for writer in 0..4_i32 {
        let (before, after) = (before.clone(), after.clone());
        let (marks, done) = (marks.clone(), done.clone());
        tasks.push(tokio::spawn(async move {
            let mut acknowledged = Vec::new();
            let mut turn = 0;
            while !done.load(Ordering::Relaxed) || turn < 3 {
                turn += 1;
                let id = first + (turn * 5 + writer) % count;
                let mark = format!("{writer}-{}", marks.fetch_add(1, Ordering::Relaxed));
                let written = match writer {
                    0 => old_by_path(&before, id, &mark).await,
                    1 => old_by_replace(&before, id, &mark).await,
                    _ => new_by_path(&after, id, &mark).await,
                };
                match written {
                    Ok(true) => acknowledged.push((id, mark)),
                    Ok(false) => {}
                    Err(error) if error.kind() == ErrorKind::NewerVersion => {}
                    Err(error) => return Err(error),
                }
                if turn > 60 {
                    break;
                }
            }
            Ok::<_, odm::Error>(acknowledged)
        }));
    }
    let (o, raw) = (Order::fields(), after.driver());
    let of_round = || o.id().gte(first) & o.id().lt(first + count);
    for _ in 0..200 {
        after.find(of_round()).await?;
        let old =
            raw.count_documents(doc! { "_id": { "$gte": first }, "schema_version": { "$ne": 2 } });
        if old.await? == 0 {
            break;
        }
    }
    done.store(true, Ordering::Relaxed);
    let mut acknowledged = Vec::new();
    for task in tasks {
        acknowledged.extend(task.await??);
    }
    // What an old writer left old is migrated by the last read.
    after.find(of_round()).await?;
    Ok(acknowledged)
}

async fn old_by_path(orders: &odm::Collection<OrderV1>, id: i32, mark: &str) -> Result<bool> {
    let o = OrderV1::fields();
    let change = o.log().push(mark) + o.qty().inc(1);
    orders.update_one(o.id().eq(id), change).await.map(|result| result.matched_count == 1)
}

/// Replaces only what it has read, so that it cannot lose the writes of others itself.
async fn old_by_replace(orders: &odm::Collection<OrderV1>, id: i32, mark: &str) -> Result<bool> {
    let o = OrderV1::fields();
    let Some(mut order) = orders.get(id).await? else { return Ok(false) };
    let as_read =
        o.id().eq(id) & o.log().eq(&order.log) & o.qty().eq(order.qty) & o.price().eq(order.price);
    order.log.push(mark.to_owned());
    order.price += 1;
    orders.replace_one(as_read, &order).await.map(|result| result.matched_count == 1)
}

/// Keeps the total right in the same update.
async fn new_by_path(orders: &odm::Collection<Order>, id: i32, mark: &str) -> Result<bool> {
    let o = Order::fields();
    orders
        .update_one(o.id().eq(id), o.log().push(mark))
        .await
        .map(|result| result.matched_count == 1)
}

stored_like_serde!(old(1), OrderV3 { id: 1, sum: 2, extra: "e".into() });
