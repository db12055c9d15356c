//! Updates by a pipeline: values computed by the server.

use bson::{Bson, doc};
use odm::prelude::*;
use odm::{ErrorKind, Expr};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders")]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    qty: i32,
    price: i32,
    total: i64,
    note: Option<String>,
    data: Option<Bson>,
    scores: Vec<i32>,
}

fn order() -> Order {
    Order { id: 1, qty: 2, price: 3, total: 0, note: None, data: None, scores: vec![1, 2] }
}

type Change = fn(&mut Order);

fn table() -> Vec<(Update<Order>, &'static str, Change)> {
    let o = Order::fields();
    vec![
        (
            Update::pipeline(|u| u.set(&o.total(), (o.qty() * o.price()).to_long())),
            r#"[{ "$set": { "total": { "$toLong": { "$multiply": ["$qty", "$price"] } } } }]"#,
            |o| o.total = 6,
        ),
        // Each stage sees what the one before has set.
        (
            Update::pipeline(|u| u.set(&o.qty(), 10).set(&o.price(), o.qty() + 1)),
            r#"[{ "$set": { "qty": { "$literal": 10 } } }, { "$set": { "price": { "$add": ["$qty", { "$literal": 1 }] } } }]"#,
            |o| (o.qty, o.price) = (10, 11),
        ),
        (
            Update::pipeline(|u| {
                u.set_together(|u| u.set(&o.qty(), o.price()).set(&o.price(), o.qty()))
            }),
            r#"[{ "$set": { "qty": "$price", "price": "$qty" } }]"#,
            |o| (o.qty, o.price) = (3, 2),
        ),
        // A value is that value, whatever it looks like.
        (
            Update::pipeline(|u| u.set(&o.note(), "$qty")),
            r#"[{ "$set": { "note": { "$literal": "$qty" } } }]"#,
            |o| o.note = Some("$qty".into()),
        ),
        (
            Update::pipeline(|u| u.set(&o.data(), doc! { "$add": ["$qty", 1], "a": "$$ROOT" })),
            r#"[{ "$set": { "data": { "$literal": { "$add": ["$qty", 1], "a": "$$ROOT" } } } }]"#,
            |o| o.data = Some(doc! { "$add": ["$qty", 1], "a": "$$ROOT" }.into()),
        ),
        (
            Update::pipeline(|u| u.set(&o.note(), "x").unset(&o.note())),
            r#"[{ "$set": { "note": { "$literal": "x" } } }, { "$unset": ["note"] }]"#,
            |_| {},
        ),
        (
            Update::pipeline(|u| {
                u.replace_with(Expr::raw(doc! { "$mergeObjects": ["$$ROOT", { "qty": 7 }] }))
            }),
            r#"[{ "$replaceWith": { "$mergeObjects": ["$$ROOT", { "qty": 7 }] } }]"#,
            |o| o.qty = 7,
        ),
        (
            Update::pipeline(|u| u.set(&o.qty(), 5))
                + Update::raw_pipeline([doc! { "$unset": "note" }]),
            r#"[{ "$set": { "qty": { "$literal": 5 } } }, { "$unset": "note" }]"#,
            |o| o.qty = 5,
        ),
    ]
}

#[test]
fn each_pipeline_becomes_the_servers_words() {
    for (update, expected, _) in table() {
        assert_eq!(update.to_string(), expected);
    }
}

#[test]
fn each_pipeline_does_what_it_says() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        let o = Order::fields();
        for (update, text, change) in table() {
            orders.insert_one(order()).await?;
            orders.update_one(o.id().eq(1), update.clone()).await?;
            let mut expected = order();
            change(&mut expected);
            assert_eq!(orders.get(1).await?.as_ref(), Some(&expected), "{text}");
            orders.replace_one(o.id().eq(1), order()).await?;
            orders.update_many(o.id().eq(1), update).await?;
            assert_eq!(orders.get(1).await?, Some(expected), "{text}");
            orders.delete_one(o.id().eq(1)).await?;
        }
        Ok(())
    })
}

#[test]
fn mistakes_are_refused_before_anything_is_sent() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        let o = Order::fields();
        let operators = || o.qty().inc(1);
        for (update, message) in [
            (Update::pipeline(|u| u.set(&o.id(), 2)), "`_id` of a document never changes"),
            (Update::pipeline(|u| u.set(&o.qty(), 2)) + operators(), "no mixture"),
            (operators() + Update::pipeline(|u| u.set(&o.qty(), 2)), "no mixture"),
            (Update::pipeline(|u| u), "the update is empty"),
            (Update::pipeline(|u| u.set(&o.scores().at(0), 2)), "by its position"),
            (
                Update::pipeline(|u| u.set_together(|u| u.set(&o.qty(), 1).set(&o.qty(), 2))),
                "changes the path twice",
            ),
            (Update::pipeline(|u| u.set_together(|u| u.unset(&o.note()))), "only `set`"),
        ] {
            let (result, sent) = kit.commands(orders.update_one(o.id().eq(1), update)).await;
            let error = result.err().ok_or(message)?;
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
            assert!(error.to_string().contains(message), "{error}");
            assert!(sent.is_empty(), "{sent}");
        }
        Ok(())
    })
}

stored_like_serde!(order());
