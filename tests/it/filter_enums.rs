//! Enums: filters on tags, on the fields of variants, and tags that no variant has.

use bson::{Document as BsonDocument, doc};
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::filter_table::{Row, assert_found, assert_sent};
use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(rename_all = "lowercase")]
enum Status {
    Open,
    Closed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Payment {
    Card { last: String, fee: i32 },
    Cash,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "bills")]
struct Bill {
    #[serde(rename = "_id")]
    id: i32,
    status: Status,
    past: Vec<Status>,
    payment: Option<Payment>,
    parts: Vec<Payment>,
}

fn table() -> Vec<Row<Bill>> {
    let b = Bill::fields();
    vec![
        (b.status().eq(Status::Open), doc! { "status": "open" }, &[1]),
        (
            b.status().in_([Status::Open, Status::Closed]),
            doc! { "status": { "$in": ["open", "closed"] } },
            &[1, 2],
        ),
        (b.past().contains(Status::Closed), doc! { "past": "closed" }, &[1]),
        (b.payment().kind().eq("card"), doc! { "payment.kind": "card" }, &[1]),
        (b.payment().card().fee().gt(1), doc! { "payment.fee": { "$gt": 1 } }, &[1]),
        (b.payment().eq(Payment::Cash), doc! { "payment": { "$eq": { "kind": "cash" } } }, &[2]),
        (
            b.parts()
                .elem_match(|part| part.kind().eq("card") & part.card().last().starts_with("4")),
            doc! { "parts": { "$elemMatch": { "kind": "card", "last": { "$regex": "^4" } } } },
            &[2],
        ),
    ]
}

fn stored() -> Vec<BsonDocument> {
    let card = |last: &str| doc! { "kind": "card", "last": last, "fee": 2 };
    vec![
        doc! {
            "_id": 1, "status": "open", "past": ["open", "closed"], "payment": card("4"),
            "parts": [{ "kind": "cash" }],
        },
        doc! {
            "_id": 2, "status": "closed", "past": [], "payment": { "kind": "cash" },
            "parts": [card("1"), card("42")],
        },
    ]
}

#[test]
fn each_filter_becomes_the_servers_words() -> TestResult {
    assert_sent(table())
}

#[test]
fn each_filter_finds_what_it_says() -> TestResult {
    odm_testkit::run(async |kit| assert_found(&kit, stored(), table()).await.map(drop))
}

/// MG10082: a tag that no variant has is an error with collection, `_id`, path and the tag.
#[test]
fn an_unknown_tag_is_named_with_its_place() -> TestResult {
    odm_testkit::run(async |kit| {
        let bills = database(&kit).collection::<Bill>();
        let b = Bill::fields();
        for (id, field, value, path) in [
            (7, "status", bson::bson!("lost"), "status"),
            (8, "payment", bson::bson!({ "kind": "lost" }), "payment.kind"),
            (9, "parts", bson::bson!([{ "kind": "cash" }, { "kind": "lost" }]), "parts.1.kind"),
        ] {
            let mut document = stored().swap_remove(0);
            document.insert("_id", id);
            document.insert(field, value);
            bills.driver().insert_one(&document).await?;
            let error = bills.find(b.id().eq(id)).await.err().ok_or("read")?;
            assert_eq!(error.kind(), odm::ErrorKind::Decode);
            assert_eq!(error.id(), Some(&bson::Bson::Int32(id)));
            assert_eq!(error.path(), Some(path));
            let shown = error.to_string();
            assert!(shown.contains("`lost`") && shown.contains("bills"), "{shown}");
        }
        // The others are still found by the tags that there are.
        assert_eq!(bills.count_documents(b.payment().kind().eq("lost")).await?, 1);
        Ok(())
    })
}

stored_like_serde!(Bill {
    id: 1,
    status: Status::Open,
    past: vec![Status::Closed],
    payment: Some(Payment::Card { last: "1".into(), fee: 2 }),
    parts: vec![Payment::Cash],
});
