//! Bitwise operators, on integers and binary data.

use bson::spec::BinarySubtype;
use bson::{Binary, Document as BsonDocument, doc};
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::filter_table::{Row, assert_found, assert_sent, refused};
use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "files")]
struct File {
    #[serde(rename = "_id")]
    id: i32,
    mode: u32,
    flags: Binary,
    history: Vec<i32>,
}

fn binary(bytes: &[u8]) -> Binary {
    Binary { subtype: BinarySubtype::Generic, bytes: bytes.into() }
}

fn table() -> Vec<Row<File>> {
    let (mode, flags, history) =
        (File::fields().mode(), File::fields().flags(), File::fields().history());
    let positions = [0_u32, 2];
    vec![
        (mode.bits_all_set(0b101), doc! { "mode": { "$bitsAllSet": 5_i64 } }, &[2, 3]),
        (mode.bits_any_set(0b101_u32), doc! { "mode": { "$bitsAnySet": 5_i64 } }, &[1, 2, 3]),
        (mode.bits_all_clear(0b101_i64), doc! { "mode": { "$bitsAllClear": 5_i64 } }, &[4]),
        (mode.bits_any_clear(5), doc! { "mode": { "$bitsAnyClear": 5_i64 } }, &[1, 4]),
        (mode.bits_all_set([0, 2]), doc! { "mode": { "$bitsAllSet": [0, 2] } }, &[2, 3]),
        (mode.bits_any_set(vec![1]), doc! { "mode": { "$bitsAnySet": [1] } }, &[3, 4]),
        (mode.bits_all_clear(&positions[..]), doc! { "mode": { "$bitsAllClear": [0, 2] } }, &[4]),
        (mode.bits_any_clear([0]), doc! { "mode": { "$bitsAnyClear": [0] } }, &[4]),
        (
            mode.bits_all_set([0]) & mode.bits_all_clear([1]),
            doc! { "mode": { "$bitsAllSet": [0], "$bitsAllClear": [1] } },
            &[1, 2],
        ),
        (flags.bits_all_set([9]), doc! { "flags": { "$bitsAllSet": [9] } }, &[2]),
        (
            flags.bits_any_set(binary(&[1, 2])),
            doc! { "flags": { "$bitsAnySet": binary(&[1, 2]) } },
            &[1, 2],
        ),
        (flags.bits_all_clear(1), doc! { "flags": { "$bitsAllClear": 1_i64 } }, &[2]),
        (history.bits_all_set(6), doc! { "history": { "$bitsAllSet": 6_i64 } }, &[1]),
        (
            history.elem_match(|mode| mode.bits_any_set(6) & mode.lt(6)),
            doc! { "history": { "$elemMatch": { "$bitsAnySet": 6_i64, "$lt": 6 } } },
            &[2],
        ),
    ]
}

fn stored() -> Vec<BsonDocument> {
    vec![
        doc! { "_id": 1, "mode": 0b001_i64, "flags": binary(&[1]), "history": [1, 6] },
        doc! { "_id": 2, "mode": 0b101_i64, "flags": binary(&[0, 2]), "history": [2, 4] },
        doc! { "_id": 3, "mode": 0b111_i64 },
        doc! { "_id": 4, "mode": 0b010_i64 },
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
fn impossible_masks_are_refused() -> TestResult {
    odm_testkit::run(async |kit| {
        let files = database(&kit).collection::<File>();
        let mode = File::fields().mode();
        let error = refused(&kit, &files, mode.bits_all_set(-1)).await?;
        assert!(error.contains("negative"), "{error}");
        let error = refused(&kit, &files, mode.bits_any_clear([u32::MAX])).await?;
        assert!(error.contains("too large"), "{error}");
        Ok(())
    })
}
