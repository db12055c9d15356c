//! Element operators: `$exists` and `$type`.

use bson::{Bson, Document as BsonDocument, doc};
use odm::filter::BsonType;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::filter_table::{Row, assert_found, assert_sent, with};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "values")]
struct Value {
    #[serde(rename = "_id")]
    id: i32,
    x: Option<Bson>,
}

/// One document for each type, without the field, and with arrays.
fn stored() -> Vec<BsonDocument> {
    let regex =
        bson::Regex { pattern: bson::raw::cstr!("a").into(), options: bson::raw::cstr!("").into() };
    let values: Vec<Bson> = vec![
        1.5.into(),
        "text".into(),
        doc! { "a": 1 }.into(),
        vec![1].into(),
        bson::Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: vec![1] }.into(),
        Bson::Undefined,
        bson::oid::ObjectId::new().into(),
        true.into(),
        bson::DateTime::from_millis(1).into(),
        Bson::Null,
        regex.into(),
        Bson::JavaScriptCode("1".into()),
        Bson::Symbol("a".into()),
        1_i32.into(),
        bson::Timestamp { time: 1, increment: 1 }.into(),
        1_i64.into(),
        bson::Decimal128::from_bytes([0; 16]).into(),
        Bson::MinKey,
        Bson::MaxKey,
    ];
    let mut stored = vec![doc! { "_id": 0 }];
    stored.extend((1..).zip(values).map(|(id, value)| with(id, "x", value)));
    stored
}

fn table() -> Vec<Row<Value>> {
    let x = Value::fields().x();
    let of = |t: BsonType, found: &'static [i32]| {
        (x.is_type(t), doc! { "x": { "$type": t.alias() } }, found)
    };
    vec![
        of(BsonType::Double, &[1]),
        of(BsonType::String, &[2]),
        of(BsonType::Object, &[3]),
        of(BsonType::Array, &[4]),
        of(BsonType::BinData, &[5]),
        of(BsonType::Undefined, &[6]),
        of(BsonType::ObjectId, &[7]),
        of(BsonType::Bool, &[8]),
        of(BsonType::Date, &[9]),
        of(BsonType::Null, &[10]),
        of(BsonType::Regex, &[11]),
        of(BsonType::JavaScript, &[12]),
        of(BsonType::Symbol, &[13]),
        // The element of the array counts too.
        of(BsonType::Int, &[4, 14]),
        of(BsonType::Timestamp, &[15]),
        of(BsonType::Long, &[16]),
        of(BsonType::Decimal, &[17]),
        of(BsonType::MinKey, &[18]),
        of(BsonType::MaxKey, &[19]),
        of(BsonType::Number, &[1, 4, 14, 16, 17]),
        of(BsonType::DbPointer, &[]),
        of(BsonType::JavaScriptWithScope, &[]),
        (
            x.is_type([BsonType::String, BsonType::Null]),
            doc! { "x": { "$type": ["string", "null"] } },
            &[2, 10],
        ),
        (x.is_type([]), doc! { "x": { "$in": [] } }, &[]),
        (
            x.is_type(BsonType::Number) & x.exists(true),
            doc! { "x": { "$type": "number", "$exists": true } },
            &[1, 4, 14, 16, 17],
        ),
        (x.is_missing(), doc! { "x": { "$exists": false } }, &[0]),
        (x.is_null(), doc! { "x": { "$type": "null" } }, &[10]),
    ]
}

#[test]
fn each_filter_becomes_the_servers_words() -> TestResult {
    assert_sent(table())
}

#[test]
fn each_type_is_found_by_its_alias() -> TestResult {
    odm_testkit::run(async |kit| assert_found(&kit, stored(), table()).await.map(drop))
}
