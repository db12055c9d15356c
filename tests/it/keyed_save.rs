//! Saves of lists whose elements have keys: one command finds each element where it is by then.

use bson::{Document as BsonDocument, doc};
use odm::prelude::*;
use odm::{ErrorKind, Tracked};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};

use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Part {
    #[serde(rename = "nr")]
    number: i32,
    count: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    sku: String,
    qty: i64,
    #[odm(embedded(key = "number"))]
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "baskets")]
struct Basket {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(embedded(key = "sku"))]
    lines: Vec<Line>,
}

fn line(sku: &str) -> Line {
    let parts = (1..=2).map(|number| Part { number, count: 1 }).collect();
    Line { sku: sku.into(), qty: 1, parts }
}

fn basket() -> Basket {
    Basket { id: 1, lines: ["a", "b", "c"].map(line).into() }
}

async fn read(baskets: &Collection<Basket>) -> TestResult<Tracked<Basket>> {
    Ok(baskets.get(1).tracked().await?.ok_or("not found")?)
}

/// Saves by one command, after which the database holds what is in memory. The update sent.
async fn saves(
    kit: &Kit,
    baskets: &Collection<Basket>,
    basket: &mut Tracked<Basket>,
) -> TestResult<BsonDocument> {
    let (saved, sent) = kit.commands(baskets.save(basket)).await;
    assert!(saved?);
    assert_eq!(sent.names(), ["update"], "{sent}");
    assert_eq!(baskets.get(1).await?.as_ref(), Some(&**basket), "{sent}");
    let (saved, again) = kit.commands(baskets.save(basket)).await;
    assert!(!saved? && again.names().is_empty(), "{again}");
    let update = sent.named("update").next().and_then(|it| it.body.get_array("updates").ok());
    let update = update.and_then(|updates| updates.first()?.as_document()?.get_document("u").ok());
    Ok(update.cloned().ok_or("no update")?)
}

fn qty(lines: &mut [Line], sku: &str, qty: i64) {
    lines.iter_mut().filter(|line| line.sku == sku).for_each(|line| line.qty = qty);
}

#[test]
fn each_change_of_a_keyed_list_has_its_operator() -> TestResult {
    odm_testkit::run(async |kit| {
        let baskets = database(&kit).collection::<Basket>();
        baskets.insert_one(basket()).await?;
        let mut one = read(&baskets).await?;

        qty(&mut one.lines, "b", 5);
        let sent = saves(&kit, &baskets, &mut one).await?;
        assert_eq!(sent, doc! { "$set": { "lines.$[e0].qty": 5_i64 } });

        one.lines.push(line("d"));
        let sent = saves(&kit, &baskets, &mut one).await?;
        assert_eq!(sent.get_document("$push")?.keys().collect::<Vec<_>>(), ["lines"]);

        one.lines.retain(|line| line.sku != "a" && line.sku != "c");
        let sent = saves(&kit, &baskets, &mut one).await?;
        assert_eq!(sent, doc! { "$pull": { "lines": { "sku": { "$in": ["a", "c"] } } } });

        for line in &mut one.lines {
            line.parts.retain(|part| part.number != 1);
            line.qty += 1;
        }
        let sent = saves(&kit, &baskets, &mut one).await?;
        let gone = doc! { "nr": { "$in": [1] } };
        let pull = doc! { "lines.$[e0].parts": gone.clone(), "lines.$[e1].parts": gone };
        assert_eq!(sent.get_document("$pull")?, &pull);

        let changes: [fn(&mut Basket); 5] = [
            |basket| basket.lines.reverse(),
            |basket| {
                basket.lines.push(line("e"));
                qty(&mut basket.lines, "b", 9);
            },
            |basket| basket.lines = vec![line("x"), line("b")],
            // Not told apart any more, and then again.
            |basket| basket.lines.push(line("x")),
            |basket| drop(basket.lines.pop()),
        ];
        for change in changes {
            change(&mut one);
            let sent = saves(&kit, &baskets, &mut one).await?;
            assert_eq!(sent.get_document("$set")?.keys().collect::<Vec<_>>(), ["lines"]);
        }
        one.lines.clear();
        let sent = saves(&kit, &baskets, &mut one).await?;
        assert!(sent.contains_key("$pull"), "{sent}");
        Ok(())
    })
}

/// MI4033: the element with the key is changed, wherever it is by then.
#[test]
fn an_element_is_found_by_its_key_after_others_came_first() -> TestResult {
    odm_testkit::run(async |kit| {
        let baskets = database(&kit).collection::<Basket>();
        let raw = baskets.driver();
        baskets.insert_one(basket()).await?;
        let mut one = read(&baskets).await?;
        // Another turns the list round, appends, and adds what no struct knows.
        let mut others: Vec<_> = basket().lines.into_iter().rev().collect();
        others.push(line("other"));
        raw.update_one(doc! {}, doc! { "$set": { "lines": bson::serialize_to_bson(&others)? } })
            .await?;
        raw.update_one(doc! {}, doc! { "$set": { "lines.$[].colour": "red" } }).await?;
        one.lines.iter_mut().filter(|line| line.sku == "a").for_each(|line| {
            line.qty = 7;
            line.parts.iter_mut().for_each(|part| part.count += i64::from(part.number));
        });
        assert!(baskets.save(&mut one).await?);
        others.iter_mut().filter(|line| line.sku == "a").for_each(|line| {
            line.qty = 7;
            line.parts.iter_mut().for_each(|part| part.count += i64::from(part.number));
        });
        assert_eq!(baskets.get(1).await?.map(|basket| basket.lines), Some(others));
        assert_eq!(raw.count_documents(doc! { "lines.colour": { "$ne": "red" } }).await?, 0);

        // One that is taken away is gone for whoever has it still; what others added stays.
        let mut one = read(&baskets).await?;
        raw.update_one(
            doc! {},
            doc! { "$push": { "lines": bson::serialize_to_bson(&line("late"))? } },
        )
        .await?;
        one.lines.retain(|line| line.sku == "a");
        assert!(baskets.save(&mut one).await?);
        let left = baskets.get(1).await?.ok_or("gone")?;
        assert_eq!(
            left.lines.iter().map(|line| line.sku.as_str()).collect::<Vec<_>>(),
            ["a", "late"]
        );
        Ok(())
    })
}

/// A change in memory, what another does before it is saved, and the path of the conflict.
type Stale = (fn(&mut Basket), BsonDocument, &'static str);

#[test]
fn what_would_go_wrong_by_now_is_a_conflict() -> TestResult {
    odm_testkit::run(async |kit| {
        let baskets = database(&kit).collection::<Basket>();
        let raw = baskets.driver();
        let gone = |sku: &str| doc! { "$pull": { "lines": { "sku": sku } } };
        let moved_part = doc! { "$pull": { "lines.0.parts": { "nr": 2 } } };
        let new = doc! { "$push": { "lines": bson::serialize_to_bson(&line("d"))? } };
        let touched = doc! { "$inc": { "lines.2.qty": 1 } };
        let cases: [Stale; 5] = [
            (|basket| qty(&mut basket.lines, "b", 5), gone("b"), "lines"),
            // Others have a part of this number; the one that was changed is gone.
            (
                |basket| {
                    let parts = basket.lines.iter_mut().take(1).flat_map(|line| &mut line.parts);
                    parts.filter(|part| part.number == 2).for_each(|part| part.count = 5);
                },
                moved_part,
                "lines.parts",
            ),
            // A key would come twice.
            (|basket| basket.lines.push(line("d")), new, "lines"),
            // The list is set whole, and a change of another would be lost.
            (|basket| basket.lines.reverse(), touched.clone(), "lines"),
            (
                |basket| {
                    basket.lines.push(line("d"));
                    qty(&mut basket.lines, "a", 5);
                },
                touched,
                "lines",
            ),
        ];
        for (change, meanwhile, path) in cases {
            raw.delete_many(doc! {}).await?;
            baskets.insert_one(basket()).await?;
            let mut one = read(&baskets).await?;
            raw.update_one(doc! {}, meanwhile).await?;
            let stored = baskets.get(1).await?;
            change(&mut one);
            let (saved, sent) = kit.commands(baskets.save(&mut one)).await;
            let error = saved.err().ok_or("saved")?;
            assert_eq!((error.kind(), error.path()), (ErrorKind::Conflict, Some(path)), "{error}");
            assert_eq!(sent.names(), ["update", "find"], "{sent}");
            assert_eq!(baskets.get(1).await?, stored);
            // Read again, it is saved.
            let mut one = read(&baskets).await?;
            qty(&mut one.lines, "c", 8);
            saves(&kit, &baskets, &mut one).await?;
        }
        Ok(())
    })
}

crate::support::stored_like_serde!(basket());
