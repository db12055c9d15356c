//! Pages over values of every type: in both directions they are exactly the order of one find.

use bson::raw::cstr;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, Document, RawDocumentBuf, Regex, Timestamp, doc};
use odm::prelude::*;
use odm::{PageToken, Sort};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "values")]
struct Value {
    #[serde(rename = "_id")]
    id: Bson,
    #[serde(default)]
    a: Bson,
    #[serde(default)]
    b: Bson,
}

/// Some values of each type, in no order; `None` is a missing field.
fn values() -> Vec<Option<Bson>> {
    let binary = |bytes: &[u8], subtype| Binary { subtype, bytes: bytes.to_vec() }.into();
    let regex = |pattern: &str, options: &str| {
        Bson::RegularExpression(Regex { pattern: cstring(pattern), options: cstring(options) })
    };
    let code = |code: &str, scope: Document| {
        let code = code.to_owned();
        Bson::JavaScriptCodeWithScope(bson::JavaScriptCodeWithScope { code, scope })
    };
    let decimal = |text: &str| Bson::Decimal128(text.parse().unwrap_or_else(|e| panic!("{e}")));
    let oid = |last| {
        Bson::ObjectId(bson::oid::ObjectId::from_bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]))
    };
    let date = |millis| Bson::DateTime(bson::DateTime::from_millis(millis));
    let time = |time, increment| Bson::Timestamp(Timestamp { time, increment });
    let mut values: Vec<Option<Bson>> = vec![None, None, None];
    values.extend(
        [
            Bson::MaxKey,
            Bson::MinKey,
            Bson::MaxKey,
            Bson::Null,
            Bson::MinKey,
            Bson::Undefined,
            Bson::Null,
            Bson::Undefined,
            Bson::Double(f64::NAN),
            Bson::Double(-f64::NAN),
            decimal("NaN"),
            decimal("-NaN"),
            Bson::Double(f64::INFINITY),
            Bson::Double(f64::NEG_INFINITY),
            decimal("Infinity"),
            decimal("-Infinity"),
            Bson::Double(-0.0),
            Bson::Double(0.0),
            Bson::Int32(0),
            Bson::Int32(1),
            Bson::Int64(1),
            Bson::Double(1.0),
            decimal("1"),
            decimal("1.000"),
            decimal("0.1"),
            Bson::Double(0.1),
            Bson::Int32(-5),
            Bson::Int64(i64::MAX),
            Bson::Int64(i64::MIN),
            Bson::Double(i64::MAX as f64),
            decimal("9.999999999999999999999999999999999E+6144"),
            Bson::from(""),
            Bson::from("a"),
            Bson::from("b"),
            Bson::from("$ne"),
            Bson::from("ü"),
            Bson::from("a\0b"),
            Bson::Symbol("a".into()),
            Bson::Symbol("aa".into()),
            doc! {}.into(),
            doc! { "$gt": "" }.into(),
            doc! { "a": 1 }.into(),
            doc! { "a": 2 }.into(),
            doc! { "a": "1", "b": null }.into(),
            binary(&[], BinarySubtype::Generic),
            binary(&[1, 2], BinarySubtype::Generic),
            binary(&[1, 2], BinarySubtype::UserDefined(0x80)),
            binary(&[9], BinarySubtype::Generic),
            oid(0),
            oid(1),
            oid(255),
            true.into(),
            false.into(),
            true.into(),
            date(i64::MIN),
            date(-1),
            date(0),
            date(i64::MAX),
            time(0, 1),
            time(1, 0),
            time(u32::MAX, u32::MAX),
            regex("a", ""),
            regex("a", "i"),
            regex("b", ""),
            regex("", ""),
            Bson::JavaScriptCode(String::new()),
            Bson::JavaScriptCode("a".into()),
            Bson::JavaScriptCode("b".into()),
            code("", doc! {}),
            code("a", doc! { "x": 1 }),
            code("a", doc! { "x": 2 }),
            pointer("a", 1),
            pointer("a", 2),
            pointer("bb", 1),
        ]
        .map(Some),
    );
    values
}

fn cstring(text: &str) -> bson::raw::CString {
    text.try_into().unwrap_or_else(|_| panic!("{text:?} holds a zero"))
}

/// A DBPointer: the type has no constructor, so it is taken out of bytes.
fn pointer(namespace: &str, id: u8) -> Bson {
    let mut element = vec![0x0C, b'v', 0];
    element.extend((namespace.len() as u32 + 1).to_le_bytes());
    element.extend(namespace.as_bytes());
    element.push(0);
    element.extend([id; 12]);
    let mut bytes = (element.len() as u32 + 5).to_le_bytes().to_vec();
    bytes.extend(element);
    bytes.push(0);
    let raw = RawDocumentBuf::from_bytes(bytes).unwrap_or_else(|e| panic!("{e}"));
    let value = raw.get("v").ok().flatten().and_then(|value| Bson::try_from(value).ok());
    value.unwrap_or(Bson::Null)
}

/// A document as it is stored, with these fields where they are not missing.
fn stored(id: i32, a: Option<Bson>, b: Option<Bson>) -> RawDocumentBuf {
    let mut raw = RawDocumentBuf::new();
    raw.append(cstr!("_id"), id);
    for (name, value) in [(cstr!("a"), a), (cstr!("b"), b)] {
        if let Some(value) = value.and_then(|value| bson::RawBson::try_from(value).ok()) {
            raw.append(name, value);
        }
    }
    raw
}

/// Walks all pages forward, then all backward from the end, and holds both against one find.
async fn assert_walks(values: &Collection<Value>, sort: &Sort<Value>, size: u32) -> TestResult {
    let all: Vec<_> = values.find(Filter::new()).sort(whole(sort)).await?;
    let all: Vec<_> = all.into_iter().map(|value| value.id).collect();
    let page = |after: Option<PageToken>, before: Option<PageToken>| {
        values.find(Filter::new()).sort(sort.clone()).page(size).after(after).before(before)
    };

    let (mut walked, mut token) = (Vec::new(), None);
    let mut end = None;
    loop {
        let found = page(token.clone(), None).await?;
        assert_eq!(found.previous.is_some(), token.is_some());
        assert!(found.items.len() == size as usize || found.next.is_none());
        walked.extend(found.items.into_iter().map(|value| value.id));
        let Some(next) = found.next else { break };
        assert!(walked.len() < all.len(), "{sort}: {walked:?}");
        let text = next.to_string();
        (token, end) = (Some(text.parse()?), Some(next));
    }
    assert_eq!(walked, all, "{sort}, forward by {size}");

    // Back from the last page's beginning, and on to the end again.
    let Some(end) = end else { return Ok(()) };
    let (mut walked, mut token) = (Vec::new(), end.clone());
    loop {
        let found = page(None, Some(token)).await?;
        assert!(found.next.is_some());
        walked.extend(found.items.into_iter().rev().map(|value| value.id));
        let Some(previous) = found.previous else { break };
        assert!(walked.len() < all.len(), "{sort}: {walked:?}");
        token = previous;
    }
    let last = page(end.into(), None).await?;
    walked.reverse();
    let place = walked.len();
    // The document at the place itself is the one that `before` leaves out.
    walked.push(all[place].clone());
    walked.extend(last.items.into_iter().map(|value| value.id));
    assert_eq!(walked, all, "{sort}, backward by {size}");
    Ok(())
}

/// The sort with the key that the pages add.
fn whole(sort: &Sort<Value>) -> Sort<Value> {
    let id = Value::fields().id();
    let document = sort.clone().into_document().unwrap_or_default();
    match document.values().last() {
        _ if document.contains_key("_id") => sort.clone(),
        Some(Bson::Int32(-1)) => sort.clone() + id.desc(),
        _ => sort.clone() + id.asc(),
    }
}

#[test]
fn every_type_in_one_field() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Value>();
        let mut ids: Vec<i32> = (0..values().len() as i32).collect();
        // Ids in another order than the values.
        ids.reverse();
        ids.rotate_left(17);
        let documents = values().into_iter().zip(ids).map(|(value, id)| stored(id, value, None));
        collection.driver_raw().insert_many(documents).await?;
        let a = Value::fields().a();
        for indexed in [false, true] {
            if indexed {
                let keys = doc! { "a": 1, "_id": 1 };
                let index = mongodb::IndexModel::builder().keys(keys).build();
                collection.driver().create_index(index).await?;
            }
            for sort in [a.asc(), a.desc()] {
                for size in [1, 2, 7] {
                    assert_walks(&collection, &sort, size).await?;
                }
            }
        }
        Ok(())
    })
}

#[test]
fn every_type_as_the_id() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Value>();
        for id in values().into_iter().flatten() {
            // What the server takes for no id, or for one that is there, is left out.
            let document = doc! { "_id": id };
            drop(collection.driver().insert_one(document).await);
        }
        assert!(collection.count_documents(Filter::new()).await? > 45);
        let v = Value::fields();
        for sort in [v.id().asc(), v.id().desc()] {
            for size in [1, 7] {
                let all = collection.find(Filter::new()).sort(sort.clone()).await?;
                let mut walked = Vec::new();
                let mut token = None;
                loop {
                    let find = collection.find(Filter::new()).sort(sort.clone());
                    let page = find.page(size).after(token).await?;
                    walked.extend(page.items);
                    token = page.next;
                    if token.is_none() {
                        break;
                    }
                    assert!(walked.len() < all.len());
                }
                let ids = |values: Vec<Value>| -> Vec<_> {
                    values.into_iter().map(|value| value.id.to_string()).collect()
                };
                assert_eq!(ids(walked), ids(all), "{sort}");
            }
        }
        Ok(())
    })
}

#[test]
fn every_type_in_two_fields() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Value>();
        let values = values();
        // Every fifth value of one with every seventh of the other, so that both have ties.
        let first: Vec<_> = values.iter().step_by(5).collect();
        let second: Vec<_> = values.iter().skip(1).step_by(7).collect();
        let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (a, b)));
        let documents = pairs
            .zip((0..).map(|id| id * 31 % 997))
            .map(|((&a, &b), id)| stored(id, a.clone(), b.clone()));
        collection.driver_raw().insert_many(documents).await?;
        let v = Value::fields();
        let (a, b) = (v.a(), v.b());
        let sorts =
            [a.asc() + b.asc(), a.asc() + b.desc(), a.desc() + b.asc(), a.desc() + b.desc()];
        for (sort, sizes) in sorts.into_iter().zip([[1, 7], [2, 7], [2, 7], [1, 7]]) {
            for size in sizes {
                assert_walks(&collection, &sort, size).await?;
            }
        }
        Ok(())
    })
}

/// Random documents with many ties, and random sorts.
#[test]
fn random_documents_and_sorts() -> TestResult {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let pool = values();
    let value = || proptest::sample::select(pool.clone());
    let few = |values: Vec<Option<Bson>>| proptest::sample::select(values);
    let case = (
        proptest::collection::vec(value(), 1..6),
        proptest::collection::vec(value(), 1..6),
        0..40_usize,
        any::<[bool; 3]>(),
        0..5_u8,
        1..9_u32,
    );
    let case = case.prop_flat_map(move |(a, b, count, directions, form, size)| {
        let documents = proptest::collection::vec((few(a), few(b)), count);
        (documents, Just(directions), Just(form), Just(size))
    });
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Value>();
        let mut runner = TestRunner::deterministic();
        let v = Value::fields();
        for _ in 0..40 {
            let (documents, [a, b, id], form, size) =
                case.new_tree(&mut runner).map_err(|reason| reason.to_string())?.current();
            collection.delete_many(Filter::new()).all().await?;
            let ids = (0..).map(|id| id * 13 % 41);
            let documents: Vec<_> =
                ids.zip(documents).map(|(id, (a, b))| stored(id, a, b)).collect();
            if !documents.is_empty() {
                collection.driver_raw().insert_many(documents).await?;
            }
            let a = if a { v.a().desc() } else { v.a().asc() };
            let b = if b { v.b().desc() } else { v.b().asc() };
            let id = if id { v.id().desc() } else { v.id().asc() };
            let sort = match form {
                0 => a,
                1 => a + b,
                2 => b + a,
                3 => b + id + a,
                _ => id,
            };
            assert_walks(&collection, &sort, size).await?;
        }
        Ok(())
    })
}

stored_like_serde!(Value { id: Bson::Int32(1), a: Bson::Int32(1), b: Bson::from("x") });
