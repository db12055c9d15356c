//! Any bytes: no panic, and what comes out is what serde makes of them.

#![no_main]

mod model;

use bson::RawDocument;
use libfuzzer_sys::fuzz_target;
use model::Item;
use odm::Document as _;

fuzz_target!(|bytes: &[u8]| {
    let Ok(raw) = RawDocument::from_bytes(bytes) else { return };
    let _document = bson::Document::decode(raw);
    if let Ok(item) = Item::decode(raw) {
        match bson::deserialize_from_slice::<Item>(bytes) {
            // NaN is not equal to itself.
            Ok(by_serde) => assert_eq!(format!("{item:?}").len(), format!("{by_serde:?}").len()),
            Err(error) => panic!("serde reads none of {item:?}: {error}"),
        }
    }
});
