//! Documents read without serde: what comes out is what serde makes of the same bytes, or nothing.

pub(crate) mod models;
pub(crate) mod mutate;
mod random;

use bson::raw::cstr;
use bson::{RawDocument, RawDocumentBuf, rawdoc};
use odm::__private::RawValue;
use odm::Document as _;
use odm_testkit::TestResult;
use proptest::prelude::*;

use models::{
    Attributes, ByHand, Defaults, Nested, Plain, Strict, Targets, Versioned, attributes, by_hand,
    defaults, nested, plain, strict, targets, versioned,
};
use mutate::{Mutation, Random, mutations};

/// What is read without serde.
fn read<T: odm::Document>(raw: &RawDocument) -> Option<T> {
    T::read_raw(RawValue::of_document(raw))
}

/// The document as serde is shown it: without a version that it would refuse.
fn by_serde<T: odm::Document>(raw: &RawDocument) -> Option<T> {
    let mut shown = RawDocumentBuf::new();
    let version = T::MODEL.version.filter(|_| T::MODEL.shape.strict);
    let mut is_cut = false;
    for element in raw.iter_elements() {
        let element = element.ok()?;
        if !is_cut && version.is_some_and(|version| version.field == element.key().as_str()) {
            // The first one; a second is a field that is not declared.
            is_cut = true;
            continue;
        }
        shown.append(element.key(), element.value().ok()?);
    }
    let bytes = if is_cut { shown.as_bytes() } else { raw.as_bytes() };
    bson::deserialize_from_slice(bytes).ok()
}

/// Holds both against each other. Whether the document was read without serde.
fn agree<T: odm::Document + PartialEq + std::fmt::Debug>(raw: &RawDocument) -> bool {
    let Some(read) = read::<T>(raw) else { return false };
    match by_serde::<T>(raw) {
        // NaN is not equal to itself.
        Some(expected) if read == expected || format!("{read:?}") == format!("{expected:?}") => {
            true
        }
        expected => panic!("read {read:?}\nserde {expected:?}\nfrom {raw:?}"),
    }
}

macro_rules! models {
    ($($test:ident: $model:ident, $sample:expr;)+) => {$(
        mod $test {
            use super::*;

            /// The direct reader does not give up on what the model itself writes.
            #[test]
            fn ordinary_documents_are_read_without_serde() -> TestResult {
                let sample: $model = $sample;
                let raw = sample.encode()?;
                assert!(agree::<$model>(&raw));
                assert_eq!(read(&raw), Some(sample));
                Ok(())
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(1_500))]

                /// Fields dropped, repeated, moved, of other types, unknown: no other result than
                /// serde's.
                #[test]
                fn changed_documents_are_read_as_serde_reads_them(changes in mutations()) {
                    let sample: $model = $sample;
                    let raw = sample.encode().map_err(|e| TestCaseError::fail(e.to_string()))?;
                    let changed = Mutation::apply_all(&raw, &changes);
                    agree::<$model>(&changed);
                }
            }

            /// Malformed bytes are never a panic, and no other value than serde's.
            #[test]
            fn damaged_bytes_are_read_as_serde_reads_them() -> TestResult {
                let sample: $model = $sample;
                let raw = sample.encode()?;
                let mut random = Random::new(7);
                for _ in 0..20_000 {
                    let damaged = random.damage(raw.as_bytes());
                    if let Ok(damaged) = RawDocument::from_bytes(&damaged) {
                        agree::<$model>(damaged);
                    }
                }
                Ok(())
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

/// What is implemented by hand may check or change values: nobody passes it by.
#[test]
fn types_that_are_read_by_hand_are_read_by_hand() -> TestResult {
    let sample: ByHand = by_hand();
    let raw = sample.encode()?;
    assert_eq!(read::<ByHand>(&raw), None, "the whole document is left to serde");
    assert_eq!(ByHand::decode(&raw)?, sample);
    let refused =
        rawdoc! { "_id": 1, "email": "no address", "size": 1, "span": { "from": 1, "to": 2 } };
    assert_eq!(read::<ByHand>(&refused), None);
    assert!(ByHand::decode(&refused).is_err());
    let reversed = rawdoc! { "_id": 1, "email": "a@b", "size": 1, "span": { "from": 2, "to": 1 } };
    assert_eq!(read::<ByHand>(&reversed), None);
    assert!(ByHand::decode(&reversed).is_err());
    Ok(())
}

/// Recursive models cannot be nested so deeply that reading them exhausts the stack.
#[test]
fn deep_documents_are_left_to_serde() -> TestResult {
    let deep = |levels: usize| {
        let leaf = rawdoc! { "name": "leaf", "inner": null, "children": [] };
        let tree = (0..levels)
            .fold(leaf, |inner, _| rawdoc! { "name": "x", "inner": inner, "children": [] });
        let mut raw = nested().encode()?;
        raw.append(cstr!("deep"), tree);
        TestResult::Ok(raw)
    };
    assert!(agree::<Nested>(&deep(40)?));
    assert_eq!(read::<Nested>(&deep(80)?), None);
    assert!(Nested::decode(&deep(80)?).is_ok());
    assert_eq!(read::<Nested>(&deep(5_000)?), None);
    assert!(Nested::decode(&deep(5_000)?).is_err());
    Ok(())
}
