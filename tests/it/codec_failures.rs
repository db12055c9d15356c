//! Stored documents that do not fit their model: which one, where, expected and found.

use bson::{Bson, DateTime, doc};
use futures::StreamExt;
use odm::ErrorKind;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    product: String,
    qty: u16,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Stamp {
    by: String,
    at: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "orders")]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    lines: Vec<Line>,
    #[serde(flatten)]
    stamp: Stamp,
}

fn stored(id: i32) -> bson::Document {
    doc! {
        "_id": id, "lines": [{ "product": "tea", "qty": 1 }, { "product": "rice", "qty": 2 }],
        "by": "jo", "at": DateTime::from_millis(1),
    }
}

/// PR12096: one bad document among fifty is named by collection, `_id`, path and types, and the
/// stream goes on after it.
#[test]
fn a_bad_document_is_named_and_the_stream_goes_on() -> TestResult {
    odm_testkit::run(async |kit| {
        let orders = database(&kit).collection::<Order>();
        let mut documents: Vec<_> = (0..50).map(stored).collect();
        documents[20] = doc! { "_id": 20, "lines": [{ "product": "tea", "qty": "many" }], "by": "jo", "at": DateTime::now() };
        orders.driver().insert_many(documents).await?;

        let mut stream =
            orders.find(Filter::new()).sort(Order::fields().id().asc()).stream().await?;
        let (mut good, mut bad) = (0, Vec::new());
        while let Some(order) = stream.next().await {
            match order {
                Ok(_) => good += 1,
                Err(error) => bad.push(error),
            }
        }
        assert_eq!((good, bad.len()), (49, 1));
        let error = &bad[0];
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert_eq!((error.model(), error.operation()), (Some("Order"), Some("find")));
        assert_eq!((error.id(), error.path()), (Some(&Bson::Int32(20)), Some("lines.0.qty")));
        assert!(error.namespace().is_some_and(|name| name.ends_with(".orders")), "{error}");
        assert!(error.to_string().contains(r#"expected u16, found string "many""#), "{error}");
        assert!(std::error::Error::source(error).is_some());

        let collected = orders.find(Filter::new()).await;
        assert_eq!(collected.err().map(|error| error.kind()), Some(ErrorKind::Decode));
        Ok(())
    })
}

/// The error for a stored document, with its path and the rest of its message.
fn failure(document: &bson::Document) -> TestResult<(String, String)> {
    let raw = bson::RawDocumentBuf::try_from(document)?;
    let error = Order::decode(&raw).err().ok_or("decoded")?;
    assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
    Ok((error.path().unwrap_or_default().to_owned(), error.to_string()))
}

#[test]
fn the_path_leads_to_the_value() -> TestResult {
    for (path, value, at, message) in [
        ("lines", Bson::Int32(1), "lines", "found int 1"),
        ("lines", Bson::Null, "lines", "found null"),
        (
            "lines",
            Bson::from(vec![doc! { "product": "tea" }]),
            "lines.0.qty",
            "the field is missing",
        ),
        // BR425: a whole double is still not an integer: width and type are the model's.
        (
            "lines",
            Bson::from(vec![doc! { "product": "tea", "qty": 21010.0 }]),
            "lines.0.qty",
            "found double 21010",
        ),
        (
            "lines",
            Bson::from(vec![doc! { "product": "tea", "qty": 70_000 }]),
            "lines.0.qty",
            "70000",
        ),
        // Inside of flattened fields, which serde buffers.
        ("by", Bson::Int32(1), "by", "expected string, found int 1"),
        ("at", Bson::from("yesterday"), "at", r#"expected date, found string "yesterday""#),
    ] {
        let mut document = stored(1);
        document.insert(path, value);
        let (found, text) = failure(&document)?;
        assert_eq!(found, at, "{text}");
        assert!(text.contains(message), "{text}");
        assert!(text.contains("_id 1"), "{text}");
    }
    Ok(())
}

#[test]
fn a_missing_field_is_named() -> TestResult {
    let mut document = stored(1);
    document.remove("lines");
    assert_eq!(failure(&document)?.0, "lines");
    Ok(())
}

/// A document as deep as no server stores it: an error, and the stack survives.
#[test]
fn deep_nesting_is_refused() -> TestResult {
    #[derive(Debug, Serialize, Deserialize, Embedded)]
    struct Tree {
        children: Vec<Tree>,
    }
    #[derive(Debug, Serialize, Deserialize, Document)]
    struct Forest {
        #[serde(rename = "_id")]
        id: i32,
        tree: Tree,
    }
    let nested = |depth: usize| {
        (0..depth).fold(
            bson::rawdoc! { "children": [] },
            |inner, _| bson::rawdoc! { "children": [inner] },
        )
    };
    let decode = |depth| Forest::decode(&bson::rawdoc! { "_id": 7, "tree": nested(depth) });
    assert!(decode(90).is_ok());
    let error = decode(10_000).err().ok_or("decoded")?;
    assert_eq!((error.kind(), error.id()), (ErrorKind::Decode, Some(&Bson::Int32(7))));
    assert!(error.to_string().contains("nested more than 200 levels deep"), "{error}");

    // Nor do the `_id` and the version cost the stack where the error names them.
    assert!(
        Forest::decode(&bson::rawdoc! { "_id": nested(10_000), "tree": { "children": [] } })
            .is_err()
    );
    assert!(
        Versioned::decode(&bson::rawdoc! { "_id": 1, "schema_version": nested(10_000) }).is_err()
    );

    // Unknown fields are not exempt.
    let unknown = bson::rawdoc! { "_id": 7, "tree": { "children": [] }, "other": nested(10_000) };
    assert!(Forest::decode(&unknown).is_err());
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(deny_unknown_fields)]
#[odm(schema_version = 2)]
struct Versioned {
    #[serde(rename = "_id")]
    id: i32,
}

/// The version is checked, and gone before serde looks.
#[test]
fn another_version_is_refused() -> TestResult {
    let decode = |document: bson::Document| {
        bson::RawDocumentBuf::try_from(&document).map(|raw| Versioned::decode(&raw))
    };
    for known in [Bson::Int32(2), Bson::Int64(2), Bson::Double(2.0)] {
        assert_eq!(
            decode(doc! { "_id": 1, "schema_version": known })?.ok(),
            Some(Versioned { id: 1 })
        );
    }
    let error =
        decode(doc! { "_id": 1, "schema_version": 2, "extra": 3 })?.err().ok_or("decoded")?;
    assert_eq!((error.kind(), error.path()), (ErrorKind::Decode, Some("extra")));
    assert!(error.to_string().contains("unknown field `extra`"), "{error}");
    for (unknown, kind, message) in [
        (doc! { "_id": 1, "schema_version": 3 }, ErrorKind::NewerVersion, "found 3, this"),
        (doc! { "_id": 1, "schema_version": 1 }, ErrorKind::UnknownVersion, "found 1, this"),
        (doc! { "_id": 1, "schema_version": "2" }, ErrorKind::UnknownVersion, r#"found "2", this"#),
    ] {
        let error = decode(unknown)?.err().ok_or("decoded")?;
        assert_eq!(error.kind(), kind);
        assert_eq!((error.path(), error.id()), (Some("schema_version"), Some(&Bson::Int32(1))));
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.to_string().contains("program knows 2"), "{error}");
    }
    // Without a version a document is of the first one, which here is the only one.
    assert_eq!(decode(doc! { "_id": 1 })?.ok(), Some(Versioned { id: 1 }));
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "counters")]
struct Counter {
    #[serde(rename = "_id")]
    id: i32,
    total: u64,
    width: u32,
}

/// BR280: a `u64` above `i64::MAX` is an error before anything is sent, in insert, filter and
/// update; `u32::MAX` goes and comes back.
#[test]
fn numbers_that_bson_cannot_hold_are_refused() -> TestResult {
    odm_testkit::run(async |kit| {
        let counters = database(&kit).collection::<Counter>();
        let p = Counter::fields();
        let most = Counter { id: 1, total: i64::MAX as u64, width: u32::MAX };
        counters.insert_one(&most).await?;
        assert_eq!(counters.get(1).await?, Some(most.clone()));
        let found = counters.count_documents(p.width().eq(u32::MAX) & p.total().eq(most.total));
        assert_eq!(found.await?, 1);

        let above = u64::MAX;
        macro_rules! refused {
            ($action:expr) => {{
                let (result, sent) = kit.commands($action).await;
                let error = result.err().ok_or("accepted")?;
                assert_eq!(error.kind(), ErrorKind::Encode, "{error}");
                assert!(error.to_string().contains("18446744073709551615"), "{error}");
                assert!(sent.is_empty(), "{sent}");
                error
            }};
        }
        refused!(counters.insert_one(&Counter { id: 2, total: above, width: 0 }));
        refused!(counters.insert_many([&Counter { id: 2, total: above, width: 0 }]));
        refused!(counters.replace_one(p.id().eq(1), &Counter { id: 1, total: above, width: 0 }));
        assert_eq!(refused!(counters.find(p.total().eq(above))).path(), Some("total"));
        refused!(counters.count_documents(p.total().in_([1, above])));
        refused!(counters.update_one(p.id().eq(1), p.total().set(above)));
        refused!(counters.update_one(p.id().eq(1), p.total().inc(above)));
        assert_eq!(counters.get(1).await?, Some(most));
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "moments")]
struct Moment {
    #[serde(rename = "_id")]
    id: i32,
    bson: DateTime,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    chrono: chrono::DateTime<chrono::Utc>,
}

/// BR257: times are cut to the millisecond by one rule everywhere (towards the past), so that a
/// filter by equality finds what was inserted, before 1970 too.
#[test]
fn nanoseconds_are_cut_alike_in_inserts_and_filters() -> TestResult {
    odm_testkit::run(async |kit| {
        let moments = database(&kit).collection::<Moment>();
        let p = Moment::fields();
        let after = chrono::DateTime::from_timestamp(1_700_000_000, 123_999_999);
        let before = chrono::DateTime::from_timestamp(-1_700_000_000, 123_999_999);
        for (id, time) in [(1, after), (2, before)] {
            let time = time.ok_or("no such time")?;
            let moment = Moment { id, bson: DateTime::from_chrono(time), chrono: time };
            moments.insert_one(&moment).await?;
            let found = moments.find(p.chrono().eq(time) & p.bson().eq(moment.bson)).await?;
            assert_eq!(found.len(), 1, "{time}");
            assert_eq!(found[0].bson, moment.bson);
            assert_eq!(found[0].chrono.timestamp_millis(), time.timestamp_millis());
            assert_eq!(moments.count_documents(p.chrono().lt(time) & p.id().eq(id)).await?, 0);
        }
        Ok(())
    })
}

stored_like_serde!(
    Order {
        id: 1,
        lines: vec![Line { product: "tea".into(), qty: 1 }],
        stamp: Stamp { by: "jo".into(), at: DateTime::from_millis(1) },
    },
    Versioned { id: 1 },
    Counter { id: 1, total: 2, width: 3 },
);
