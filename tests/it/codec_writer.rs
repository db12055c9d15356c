//! Documents written without serde: byte for byte what bson's serde writes, or nothing.

mod by_hand;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use bson::oid::ObjectId;
use bson::{Bson, DateTime, RawDocument, RawDocumentBuf, doc};
use odm::__private::{ElementType, RawBuffer};
use odm::prelude::*;
use odm::{ErrorKind, Nullable};
use odm_testkit::TestResult;
use proptest::collection::{btree_map, hash_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::codec_reader::models::{
    Attributes, Defaults, Nested, Plain, Strict, Targets, Versioned, attributes, defaults, nested,
    plain, strict, targets, versioned,
};
use crate::codec_reader::mutate::{Mutation, mutations};

/// Whether the document is written without serde.
pub(crate) fn is_written<T: odm::Document>(document: &T) -> bool {
    let written = document.write_raw(&mut RawBuffer::default());
    assert!(written.is_none_or(|written| written == ElementType::EmbeddedDocument));
    written.is_some()
}

/// What the driver would store, with the version right after `_id`.
fn by_serde<T: odm::Document>(document: &T) -> Result<RawDocumentBuf, bson::error::Error> {
    let raw = bson::serialize_to_raw_document_buf(document)?;
    let Some(version) = T::MODEL.version else { return Ok(raw) };
    let name: bson::raw::CString = version.field.try_into()?;
    let value = version.label.to_bson().try_into()?;
    let mut with_version = RawDocumentBuf::new();
    let mut value: Option<bson::RawBson> = Some(value);
    for (position, element) in raw.iter_elements().enumerate() {
        let element = element?;
        let is_id = position == 0 && element.key().as_str() == "_id";
        if let Some(value) = value.take_if(|_| !is_id) {
            with_version.append(&name, value);
        }
        with_version.append(element.key(), element.value()?);
    }
    if let Some(value) = value {
        with_version.append(&name, value);
    }
    Ok(with_version)
}

/// Holds both against each other: the same bytes, or both an error.
pub(crate) fn assert_same<T: odm::Document + Debug>(document: &T) {
    match (document.encode(), by_serde(document)) {
        (Ok(written), Ok(expected)) => assert_eq!(written, expected, "{document:?}"),
        (Err(error), Err(_)) => assert_eq!(error.kind(), ErrorKind::Encode, "{document:?}"),
        (written, expected) => panic!("written {written:?}\nserde {expected:?}\nof {document:?}"),
    }
}

/// What serde makes of a document, if anything.
fn read<T: odm::Document>(raw: &RawDocument) -> Option<T> {
    bson::deserialize_from_slice(raw.as_bytes()).ok()
}

macro_rules! models {
    ($($test:ident: $model:ident, $sample:expr;)+) => {$(
        mod $test {
            use super::*;

            #[test]
            fn ordinary_documents_are_written_without_serde() {
                let sample: $model = $sample;
                assert!(is_written(&sample));
                assert_same(&sample);
                // Also when the type is known, and the length of the last one.
                assert_same(&sample);
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(1_000))]

                /// Whatever value serde makes of a document that was changed.
                #[test]
                fn any_value_is_written_as_serde_writes_it(changes in mutations()) {
                    let sample: $model = $sample;
                    let raw = sample.encode().map_err(|e| TestCaseError::fail(e.to_string()))?;
                    let changed = Mutation::apply_all(&raw, &changes);
                    if let Some(value) = read::<$model>(&changed) {
                        assert_same(&value);
                    }
                }
            }
        }
    )+};
}

models! {
    plain_fields: Plain, plain();
    attributes_of_serde: Attributes, attributes();
    default_of_the_struct: Defaults, defaults();
    unknown_fields_refused: Strict, strict();
    a_schema_version: Versioned, versioned();
    nested_documents: Nested, nested();
    references: Targets, targets();
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "values")]
struct Values {
    #[serde(rename = "_id")]
    id: u64,
    lists: Vec<Vec<i64>>,
    texts: Vec<String>,
    sorted: BTreeMap<String, Option<f64>>,
    hashed: HashMap<String, Leaf>,
    leaves: Vec<Option<Leaf>>,
    any: Bson,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Leaf {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Nullable::is_missing")]
    number: Nullable<u32>,
    boxed: Box<char>,
    date: Option<DateTime>,
}

fn leaves() -> impl Strategy<Value = Leaf> {
    let number = prop_oneof![
        Just(Nullable::Missing),
        Just(Nullable::Null),
        any::<u32>().prop_map(Nullable::Value),
    ];
    let text = option::of("\\PC{0,40}");
    (text, number, any::<char>(), option::of(any::<i64>())).prop_map(|(text, number, c, millis)| {
        Leaf { text, number, boxed: Box::new(c), date: millis.map(DateTime::from_millis) }
    })
}

/// Keys of maps; one with a null byte has no form in BSON.
fn keys() -> impl Strategy<Value = String> {
    prop_oneof![30 => "[a-z0-9ß.$]{0,12}", 1 => Just("a\0b".to_owned())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    /// Lists of more than ten and more than a hundred, maps, what is left out, what has no form.
    #[test]
    fn values_are_written_as_serde_writes_them(
        id in prop_oneof![9 => 0..i64::MAX as u64, 1 => any::<u64>()],
        lists in vec(vec(any::<i64>(), 0..14), 0..4),
        texts in prop_oneof![vec("\\PC{0,9}", 0..14), vec("[a-z]", 0..1_200)],
        sorted in btree_map(keys(), option::of(any::<f64>()), 0..5),
        hashed in hash_map(keys(), leaves(), 0..5),
        leaves in vec(option::of(leaves()), 0..14),
        number in any::<u64>(),
    ) {
        let any = Bson::Double(f64::from_bits(number));
        let values = Values { id, lists, texts, sorted, hashed, leaves, any };
        assert_same(&values);
        let has_form = i64::try_from(id).is_ok()
            && values.sorted.keys().chain(values.hashed.keys()).all(|key| !key.contains('\0'));
        assert_eq!(is_written(&values), has_form);
    }
}

#[derive(Debug, Serialize, Deserialize, Document)]
struct Nothing {
    #[serde(rename = "_id", skip_serializing_if = "Option::is_none")]
    id: Option<ObjectId>,
    none: Empty,
}

#[derive(Debug, Serialize, Deserialize, Embedded)]
struct Empty {}

#[test]
fn empty_documents_are_written() {
    let nothing = Nothing { id: None, none: Empty {} };
    assert!(is_written(&nothing));
    assert_same(&nothing);
}

/// The message is serde's, and the path names the field.
#[test]
fn what_has_no_form_is_reported_by_serde() -> TestResult {
    let mut sample = versioned_strangely();
    sample.counts.insert("a".into(), u64::MAX);
    assert!(!is_written(&sample));
    let error = sample.encode().err().ok_or("was written")?;
    assert_eq!(error.kind(), ErrorKind::Encode);
    assert!(error.to_string().contains("is above 9223372036854775807"), "{error}");

    let missing = Lost { id: 1, lost: vec![Nullable::Missing] };
    assert!(!is_written(&missing));
    let error = missing.encode().err().ok_or("was written")?;
    assert!(error.to_string().contains("skip_serializing_if"), "{error}");
    Ok(())
}

#[derive(Debug, Serialize, Deserialize, Document)]
struct Lost {
    #[serde(rename = "_id")]
    id: i32,
    lost: Vec<Nullable<i32>>,
}

/// `_id` is neither first nor always there.
#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(schema_version = "2.0", version_field = "v")]
struct Strange {
    counts: BTreeMap<String, u64>,
    #[serde(rename = "_id", skip_serializing_if = "Option::is_none")]
    id: Option<ObjectId>,
}

fn versioned_strangely() -> Strange {
    Strange { counts: BTreeMap::from([("b".to_owned(), 1)]), id: Some(ObjectId::new()) }
}

/// The only field before `_id` may be left out, so that only its bytes say where the version goes.
#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(schema_version = 3)]
struct Stranger {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(rename = "_id")]
    id: i32,
}

#[test]
fn the_version_is_written_after_the_id() -> TestResult {
    let strange = versioned_strangely();
    assert!(is_written(&strange));
    assert_same(&strange);
    assert_same(&Strange { id: None, ..strange });
    for name in [None, Some("n".to_owned())] {
        assert_same(&Stranger { name, id: 1 });
    }
    let raw = Stranger { name: None, id: 1 }.encode()?;
    assert_eq!(bson::Document::try_from(&raw)?, doc! { "_id": 1, "schema_version": 3 });
    Ok(())
}

/// Serde's name for a struct has a meaning to bson.
#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(collection = "dates")]
struct Dated {
    #[serde(rename = "_id")]
    id: i32,
    date: NamedDate,
}

#[derive(Debug, Serialize, Deserialize, Embedded)]
#[serde(rename = "$date")]
struct NamedDate {
    millis: i64,
}

#[test]
fn names_with_a_meaning_to_bson_are_left_to_it() {
    assert_same(&Dated { id: 1, date: NamedDate { millis: 7 } });
}
