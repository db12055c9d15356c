//! Updates of elements: by the filter's match, all of them, and by named conditions.

use bson::doc;
use odm::prelude::*;
use odm::{ErrorKind, Result};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    sku: String,
    qty: i32,
    marks: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders")]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    tags: Vec<String>,
    scores: Vec<i32>,
    lines: Vec<Line>,
}

fn order() -> Order {
    let line = |sku: &str, qty, marks: [i32; 2]| Line { sku: sku.into(), qty, marks: marks.into() };
    Order {
        id: 1,
        tags: ["x", "y", "z"].map(String::from).into(),
        scores: vec![10, 20, 30],
        lines: vec![line("a", 1, [1, 2]), line("b", 2, [3, 4]), line("c", 3, [5, 6])],
    }
}

type Change = fn(&mut Order);

/// Each update, the BSON it becomes, and what it does to [`order`].
fn table() -> Vec<(Update<Order>, &'static str, Change)> {
    let o = Order::fields();
    let big = || o.lines().filtered("big", |line| line.qty().gte(2));
    vec![
        (
            big().qty().set(9),
            r#"{ "$set": { "lines.$[big].qty": 9 } }, array filters [{ "big.qty": { "$gte": 2 } }]"#,
            |o| {
                o.lines[1].qty = 9;
                o.lines[2].qty = 9;
            },
        ),
        (
            big().qty().inc(1) + big().sku().set("z"),
            r#"{ "$inc": { "lines.$[big].qty": 1 }, "$set": { "lines.$[big].sku": "z" } }, array filters [{ "big.qty": { "$gte": 2 } }]"#,
            |o| {
                for line in &mut o.lines[1..] {
                    line.qty += 1;
                    line.sku = "z".into();
                }
            },
        ),
        (
            o.scores().filtered("high", |score| score.gt(10) & score.lt(30)).set(0),
            r#"{ "$set": { "scores.$[high]": 0 } }, array filters [{ "high": { "$gt": 10, "$lt": 30 } }]"#,
            |o| o.scores[1] = 0,
        ),
        (
            o.scores().filtered("ends", |score| score.eq(10) | score.eq(30)).inc(1),
            r#"{ "$inc": { "scores.$[ends]": 1 } }, array filters [{ "$or": [{ "ends": 10 }, { "ends": 30 }] }]"#,
            |o| o.scores = vec![11, 20, 31],
        ),
        (
            o.lines().filtered("l", |l| Filter::nor([l.sku().eq("a"), l.qty().eq(3)])).qty().set(0),
            r#"{ "$set": { "lines.$[l].qty": 0 } }, array filters [{ "$nor": [{ "l.sku": "a" }, { "l.qty": 3 }] }]"#,
            |o| o.lines[1].qty = 0,
        ),
        (
            o.lines().filtered("l", |l| l.sku().eq("a") & l.qty().eq(1)).marks().push(7),
            r#"{ "$push": { "lines.$[l].marks": 7 } }, array filters [{ "l.sku": "a", "l.qty": 1 }]"#,
            |o| o.lines[0].marks.push(7),
        ),
        // Nested: all lines, and of each the marks that meet the condition.
        (
            o.lines().all_elements().marks().filtered("m", |mark| mark.gt(3)).set(0),
            r#"{ "$set": { "lines.$[].marks.$[m]": 0 } }, array filters [{ "m": { "$gt": 3 } }]"#,
            |o| {
                o.lines[1].marks = vec![3, 0];
                o.lines[2].marks = vec![0, 0];
            },
        ),
        (
            big().marks().filtered("m", |mark| mark.lt(5)).mul(10),
            r#"{ "$mul": { "lines.$[big].marks.$[m]": 10 } }, array filters [{ "big.qty": { "$gte": 2 } }, { "m": { "$lt": 5 } }]"#,
            |o| o.lines[1].marks = vec![30, 40],
        ),
        (
            o.lines().matched().marks().all_elements().inc(1),
            r#"{ "$inc": { "lines.$.marks.$[]": 1 } }"#,
            |o| o.lines[1].marks = vec![4, 5],
        ),
        (
            o.lines().filtered("a", |l| l.sku().eq("a")).qty().set(7)
                + o.lines().filtered("c", |l| l.sku().eq("c")).qty().set(8),
            r#"{ "$set": { "lines.$[a].qty": 7, "lines.$[c].qty": 8 } }, array filters [{ "a.sku": "a" }, { "c.sku": "c" }]"#,
            |o| {
                o.lines[0].qty = 7;
                o.lines[2].qty = 8;
            },
        ),
        (
            Update::raw(doc! { "$set": { "lines.$[l].qty": 5 } })
                .array_filters([doc! { "$or": [{ "l.sku": "b" }, { "l.qty": 3 }] }]),
            r#"{ "$set": { "lines.$[l].qty": 5 } }, array filters [{ "$or": [{ "l.sku": "b" }, { "l.qty": 3 }] }]"#,
            |o| {
                o.lines[1].qty = 5;
                o.lines[2].qty = 5;
            },
        ),
    ]
}

#[test]
fn each_update_becomes_the_servers_words() {
    for (update, expected, _) in table() {
        assert_eq!(update.to_string(), expected);
    }
}

#[test]
fn each_update_changes_the_elements_that_it_names() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        let o = Order::fields();
        for (update, text, change) in table() {
            orders.insert_one(order()).await?;
            let result = orders.update_one(o.lines().sku().eq("b"), update.clone()).await?;
            assert_eq!(result.modified_count, 1, "{text}");
            let mut expected = order();
            change(&mut expected);
            assert_eq!(orders.get(1).await?, Some(expected.clone()), "{text}");
            orders.delete_one(o.id().eq(1)).await?;
            // The same through `update_many`.
            orders.insert_one(order()).await?;
            orders.update_many(o.lines().sku().eq("b"), update).await?;
            assert_eq!(orders.get(1).await?, Some(expected), "{text}");
            orders.delete_one(o.id().eq(1)).await?;
        }
        Ok(())
    })
}

#[test]
fn misuse_is_refused_before_anything_is_sent() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        let o = Order::fields();
        let one = || o.id().eq(1);
        let set = |name: &str| o.scores().filtered(name, |score| score.gt(1)).set(0);
        let matched = || o.lines().matched().qty().set(0);
        let several = "several conditions on elements";
        for (filter, update, message) in [
            (one(), set(""), "cannot name an array filter"),
            (one(), set("High"), "cannot name an array filter"),
            (one(), set("a_b"), "cannot name an array filter"),
            (one(), set("a]"), "cannot name an array filter"),
            (one(), set("1"), "cannot name an array filter"),
            (one(), o.scores().filtered("x", |_| Filter::new()).set(0), "has no condition"),
            (
                one(),
                o.scores().filtered("x", |_| Filter::raw(doc! { "$expr": true })).set(0),
                "takes no `$expr`",
            ),
            (
                one(),
                set("x") + o.lines().filtered("x", |line| line.qty().gt(1)).qty().set(0),
                "defined twice",
            ),
            (one(), Update::raw(doc! { "$set": { "lines.$[l].qty": 5 } }), "no array filter `l`"),
            (
                one(),
                Update::raw(doc! { "$set": { "scores.$[]": 5 } })
                    .array_filters([doc! { "l": { "$gt": 1 } }]),
                "no path of the update uses",
            ),
            (one(), set("x") + Update::new().array_filters([doc! {}]), "on one identifier"),
            (
                one(),
                Update::new().array_filters([doc! { "$or": [{ "a": 1 }, { "b": 2 }] }]),
                "on one identifier",
            ),
            (one(), set("x") + o.scores().at(0).set(1), "overlaps"),
            (one(), set("x") + o.scores().all_elements().inc(1), "overlaps"),
            (one(), matched(), "no condition"),
            (one() & o.lines().size(3), matched(), "no condition"),
            (one() & !o.lines().sku().eq("b"), matched(), "no condition"),
            (o.lines().at(1).sku().eq("b"), matched(), "no condition"),
            (o.lines().sku().eq("b") | one(), matched(), "no condition"),
            (o.tags().contains("x"), matched(), "only condition on elements is on `tags`"),
            (o.lines().sku().eq("b") & o.tags().contains("z"), matched(), several),
            (o.lines().sku().eq("b") & o.lines().qty().eq(3), matched(), several),
        ] {
            let (result, sent) = kit.commands(orders.update_one(filter.clone(), update)).await;
            let error = result.err().ok_or(message)?;
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
            assert!(error.to_string().contains(message), "{filter}: {error}");
            assert!(sent.is_empty(), "{sent}");
        }
        Ok(())
    })
}

/// MI4033: whatever its position meanwhile, the element that meets the condition changes.
#[test]
fn an_element_is_found_wherever_it_has_moved() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        let o = Order::fields();
        orders.insert_one(order()).await?;
        let read = orders.get(1).await?.ok_or("gone")?;
        let mut lines = read.lines.clone();
        lines.reverse();
        orders.update_one(o.id().eq(1), o.lines().set(lines)).await?;
        let first = &read.lines[0].sku;
        let change = o.lines().filtered("line", |line| line.sku().eq(first)).qty().set(99);
        orders.update_one(o.id().eq(1), change).await?;
        let quantities = orders.get(1).await?.ok_or("gone")?.lines.into_iter().map(|l| l.qty);
        assert!(quantities.eq([3, 2, 99]));
        Ok(())
    })
}

/// MG9427: an element is set without the list having been read, and the others stay.
#[test]
fn setting_one_element_leaves_the_others() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        let o = Order::fields();
        orders.insert_one(order()).await?;
        orders.update_one(o.id().eq(1), o.lines().at(0).qty().set(7)).await?;
        let stored = orders.get(1).await?.ok_or("gone")?;
        let mut expected = order();
        expected.lines[0].qty = 7;
        assert_eq!(stored, expected);
        Ok(())
    })
}

/// Why a filter with conditions on two arrays is refused: the server takes the position in the one
/// for the position in the other.
#[test]
fn the_server_itself_changes_the_wrong_element() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        orders.insert_one(order()).await?;
        let set = doc! { "$set": { "lines.$.qty": 99 } };
        orders.driver().update_one(doc! { "lines.sku": "b", "tags": "z" }, set).await?;
        let quantities = |order: Order| order.lines.into_iter().map(|line| line.qty);
        let stored = orders.get(1).await?.map(quantities).ok_or("gone")?;
        assert!(stored.eq([1, 2, 99]), "the third line is not the one with `b`");
        Ok(())
    })
}

/// The server accepts just what is taken for free of conflicts.
#[test]
fn conflicts_are_those_of_the_server() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        orders.insert_one(order()).await?;
        let filter = || doc! { "lines.sku": "a" };
        for (a, b, conflict) in [
            ("lines.$[e].qty", "lines.0.sku", true),
            ("lines.$[e].qty", "lines.$.sku", true),
            ("lines.$[].qty", "lines.0.sku", true),
            ("lines.$[e].qty", "lines.$[e].sku", false),
            ("lines.$[e].qty", "lines.$[f].qty", false),
            ("lines.$.qty", "lines.1.qty", false),
            ("lines.0.qty", "lines.1.qty", false),
            ("lines.0.qty", "lines", true),
        ] {
            let (set, unset) = (doc! { a: 5 }, doc! { b: true });
            let update = doc! { "$set": set.clone(), "$unset": unset.clone() };
            let mut filters = vec![];
            for name in ["e", "f"] {
                let sku = if name == "e" { "b" } else { "c" };
                if update.to_string().contains(&format!("$[{name}]")) {
                    filters.push(doc! { format!("{name}.sku"): sku });
                }
            }
            let server = orders.driver().update_one(filter(), update).array_filters(filters).await;
            assert_eq!(server.is_err(), conflict, "{a} and {b}: {server:?}");
            let ours: Result<_> = (Update::<Order>::raw(doc! { "$set": set })
                + Update::raw(doc! { "$unset": unset }))
            .into_document();
            assert_eq!(ours.is_err(), conflict, "{a} and {b}: {ours:?}");
            orders
                .driver()
                .replace_one(doc! { "_id": 1 }, bson::serialize_to_document(&order())?)
                .await?;
        }
        Ok(())
    })
}

stored_like_serde!(order());
