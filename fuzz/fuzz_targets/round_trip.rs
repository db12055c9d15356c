//! What was read is written as serde writes it, and is read again.

#![no_main]

mod model;

use bson::RawDocument;
use libfuzzer_sys::fuzz_target;
use model::Item;
use odm::Document as _;

fuzz_target!(|bytes: &[u8]| {
    let Ok(raw) = RawDocument::from_bytes(bytes) else { return };
    if let Ok(document) = bson::Document::decode(raw)
        && let Ok(written) = document.encode()
    {
        let again = bson::Document::decode(&written).map(|again| again.encode());
        assert!(matches!(again, Ok(Ok(again)) if again.as_bytes() == written.as_bytes()));
    }
    if let Ok(item) = Item::decode(raw)
        && let Ok(written) = item.encode()
    {
        let by_serde = bson::serialize_to_raw_document_buf(&item);
        assert!(matches!(by_serde, Ok(by_serde) if by_serde.as_bytes() == written.as_bytes()));
        assert!(Item::decode(&written).is_ok());
    }
});
