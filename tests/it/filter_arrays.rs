//! Arrays: elements, positions, nulls in them, and lists of lists and maps.

use std::collections::BTreeMap;

use bson::{Document as BsonDocument, doc};
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::filter_table::{Row, assert_found, assert_sent};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Stock {
    size: String,
    num: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "products")]
struct Product {
    #[serde(rename = "_id")]
    id: i32,
    qty: Vec<Stock>,
    notes: Vec<Option<String>>,
    grid: Vec<Vec<i32>>,
    labels: Vec<BTreeMap<String, i32>>,
    pair: [i32; 2],
}

fn stock(size: &str, num: i32) -> Stock {
    Stock { size: size.into(), num }
}

fn table() -> Vec<Row<Product>> {
    let p = Product::fields();
    let m_and_100 = p
        .qty()
        .all_elem_match(|item| [item.size().eq("M") & item.num().gt(50), item.num().eq(100)]);
    vec![
        (
            m_and_100,
            doc! { "qty": { "$all": [
                { "$elemMatch": { "size": "M", "num": { "$gt": 50 } } },
                { "$elemMatch": { "num": 100 } },
            ] } },
            &[1],
        ),
        (p.qty().all_elem_match(|_| []), doc! { "qty": { "$all": [] } }, &[]),
        (
            p.notes().all_elem_match(|note| [note.is_null(), note.starts_with("a")]),
            doc! { "notes": { "$all": [
                { "$elemMatch": { "$type": "null" } }, { "$elemMatch": { "$regex": "^a" } },
            ] } },
            &[1],
        ),
        // An element that is null is not a list that is missing.
        (p.notes().contains(None), doc! { "notes": { "$elemMatch": { "$eq": null } } }, &[1]),
        (p.notes().contains("a"), doc! { "notes": "a" }, &[1, 2]),
        (
            p.notes().all([Some("a".to_owned()), None]),
            doc! { "notes": { "$all": [
                { "$elemMatch": { "$eq": "a" } }, { "$elemMatch": { "$eq": null } },
            ] } },
            &[1],
        ),
        (p.notes().any().eq(None), doc! { "notes": null }, &[1, 3, 4]),
        (p.notes().is_null(), doc! { "notes": { "$type": "null" } }, &[1, 4]),
        (p.notes().size(0), doc! { "notes": { "$size": 0_i64 } }, &[5]),
        // Empty, null and missing alike.
        (p.notes().at(0).is_missing(), doc! { "notes.0": { "$exists": false } }, &[3, 4, 5]),
        (p.qty().at(1).num().gte(100), doc! { "qty.1.num": { "$gte": 100 } }, &[1]),
        (
            p.qty().contains(stock("S", 1)),
            doc! { "qty": { "$eq": { "size": "S", "num": 1 } } },
            &[2],
        ),
        (p.qty().eq([stock("S", 1)]), doc! { "qty": [{ "size": "S", "num": 1 }] }, &[2]),
        (
            p.qty().in_([vec![stock("S", 1)]]),
            doc! { "qty": { "$in": [[{ "size": "S", "num": 1 }]] } },
            &[2],
        ),
        (p.grid().at(1).at(0).eq(3), doc! { "grid.1.0": 3 }, &[1]),
        (p.grid().contains([1, 2]), doc! { "grid": [1, 2] }, &[1]),
        (
            p.grid().elem_match(|row| row.contains(3)),
            doc! { "grid": { "$elemMatch": { "$elemMatch": { "$eq": 3 } } } },
            &[1],
        ),
        (
            p.grid().elem_match(|row| row.elem_match(|cell| cell.gt(3))),
            doc! { "grid": { "$elemMatch": { "$elemMatch": { "$gt": 3 } } } },
            &[1],
        ),
        (
            p.grid().elem_match(|row| row.all([3, 4])),
            doc! { "grid": { "$elemMatch": { "$all": [
                { "$elemMatch": { "$eq": 3 } }, { "$elemMatch": { "$eq": 4 } },
            ] } } },
            &[1],
        ),
        (
            p.grid().elem_match(|row| row.modulo(5, 4)),
            doc! { "grid": { "$elemMatch": { "$elemMatch": { "$mod": [5_i64, 4_i64] } } } },
            &[1],
        ),
        (
            p.grid().elem_match(|row| row.bits_all_set(4) & row.size(2)),
            doc! { "grid": { "$elemMatch": {
                "$elemMatch": { "$bitsAllSet": 4_i64 }, "$size": 2_i64,
            } } },
            &[1],
        ),
        (
            p.grid().elem_match(|row| row.at(0).eq(3)),
            doc! { "grid": { "$elemMatch": { "0": 3 } } },
            &[1],
        ),
        (
            p.labels().elem_match(|label| label.key("en").gt(1) & label.key("de").eq(1)),
            doc! { "labels": { "$elemMatch": { "en": { "$gt": 1 }, "de": 1 } } },
            &[2],
        ),
        (p.labels().any().key("en").gt(1), doc! { "labels.en": { "$gt": 1 } }, &[1, 2]),
        (p.pair().eq([1, 2]), doc! { "pair": [1, 2] }, &[1]),
    ]
}

fn stored() -> Vec<BsonDocument> {
    vec![
        doc! {
            "_id": 1, "qty": [{ "size": "M", "num": 60 }, { "size": "L", "num": 100 }],
            "notes": ["a", null], "grid": [[1, 2], [3, 4]],
            "labels": [{ "en": 2 }, { "de": 1 }], "pair": [1, 2],
        },
        doc! {
            "_id": 2, "qty": [{ "size": "S", "num": 1 }], "notes": ["a"], "grid": [[1]],
            "labels": [{ "en": 2, "de": 1 }], "pair": [2, 1],
        },
        doc! { "_id": 3 },
        doc! { "_id": 4, "notes": null },
        doc! { "_id": 5, "notes": [] },
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

#[test]
fn an_element_that_is_a_list_is_looked_into_by_elem_match_alone() {
    let filter = Product::fields().grid().elem_match(|row| row.any().gt(3));
    let error = filter.into_document().err().map(|error| error.to_string());
    assert!(error.is_some_and(|message| message.contains("`elem_match` instead of `any`")));
}
