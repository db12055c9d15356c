//! Random bytes: a million documents that nobody wrote, or that were damaged on the way.
//!
//! `cargo test` takes a share of them; `ODM_RANDOM_CASES=1000000` takes them all. The cases are the
//! same in each run.

use bson::{Document as BsonDocument, RawDocument, RawDocumentBuf, rawdoc};
use odm::Document as _;
use odm_testkit::TestResult;

use super::mutate::Random;
use super::{
    Attributes, Defaults, Nested, Plain, Strict, Targets, Versioned, agree, attributes, by_serde,
    defaults, nested, plain, strict, targets, versioned,
};

/// How many cases `cargo test` takes.
const SHARE: usize = 10_000;
/// Without optimisation, serde's way through 200 levels of `bson::Document` takes more than the 2 MB
/// of a thread.
const STACK: usize = 16 << 20;
/// The nesting that is read; the server takes less.
const MOST_LEVELS: usize = 200;

fn cases() -> TestResult<usize> {
    match std::env::var("ODM_RANDOM_CASES") {
        Ok(cases) => Ok(cases.parse()?),
        Err(_) => Ok(SHARE),
    }
}

/// No panic, no overflow, and no other answer than serde's, by the reader, by what it leaves to serde
/// and for documents without a model.
#[test]
fn random_bytes_are_read_as_serde_reads_them() -> TestResult {
    let thread = std::thread::Builder::new().stack_size(STACK);
    let read = thread.spawn(|| read_random().map_err(|error| error.to_string()))?;
    read.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(Into::into)
}

fn read_random() -> TestResult {
    let samples = [
        plain().encode()?,
        attributes().encode()?,
        defaults().encode()?,
        strict().encode()?,
        versioned().encode()?,
        nested().encode()?,
        targets().encode()?,
    ];
    let mut random = Random::new(11);
    let mut seen = Seen::default();
    for case in 0..cases()? {
        let sample = &samples[case % samples.len()];
        let bytes = match random.below(10) {
            0 => random.bytes(),
            1 => random.elements(0),
            2 => random.levels(2 * MOST_LEVELS, sample),
            3 => sample.as_bytes()[..random.below(sample.as_bytes().len())].to_vec(),
            _ => random.damage(sample.as_bytes()),
        };
        let Ok(raw) = RawDocument::from_bytes(&bytes) else {
            seen.refused += 1;
            continue;
        };
        match levels(&bytes) > MOST_LEVELS {
            true => {
                seen.deep += 1;
                assert!(BsonDocument::decode(raw).is_err() && Nested::decode(raw).is_err());
            }
            false => seen.read += usize::from(read_by_all(case, raw)),
        }
    }
    // Each kind of case was there.
    assert!(seen.refused > 0 && seen.deep > 0 && seen.read > 0, "{seen:?}");
    Ok(())
}

#[derive(Debug, Default)]
struct Seen {
    refused: usize,
    deep: usize,
    read: usize,
}

/// Reads it as the model that it was damaged from, and without one. Whether either could.
fn read_by_all(case: usize, raw: &RawDocument) -> bool {
    let is_read = match case % 7 {
        0 => same::<Plain>(raw),
        1 => same::<Attributes>(raw),
        2 => same::<Defaults>(raw),
        3 => agree::<Strict>(raw),
        4 => agree::<Versioned>(raw),
        5 => same::<Nested>(raw),
        _ => same::<Targets>(raw),
    };
    let ours = BsonDocument::decode(raw).ok();
    let theirs: Option<BsonDocument> = bson::deserialize_from_slice(raw.as_bytes()).ok();
    if let (Some(ours), Some(theirs)) = (&ours, &theirs) {
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{raw:?}");
    }
    is_read || ours.is_some()
}

/// Whichever way it takes, what comes out is what serde makes of the bytes.
fn same<T: odm::Document + PartialEq + std::fmt::Debug>(raw: &RawDocument) -> bool {
    agree::<T>(raw);
    let (ours, theirs) = (T::decode(raw), by_serde::<T>(raw));
    match (&ours, &theirs) {
        (Ok(ours), Some(theirs)) if ours == theirs => true,
        // NaN is not equal to itself.
        (Ok(ours), Some(theirs)) if format!("{ours:?}") == format!("{theirs:?}") => true,
        (Err(_), None) => false,
        _ => panic!("ours {ours:?}\nserde {theirs:?}\nfrom {raw:?}"),
    }
}

/// How deeply the bytes are nested at most: each level takes an element that is opened.
fn levels(bytes: &[u8]) -> usize {
    let Ok(raw) = RawDocument::from_bytes(bytes) else { return 0 };
    let mut open = vec![raw.iter_elements()];
    let mut most = 0;
    while let Some(level) = open.last_mut() {
        match level.next() {
            Some(Ok(element)) => {
                use bson::RawBsonRef;
                let inner = match element.value() {
                    Ok(RawBsonRef::Document(inner)) => Some(inner),
                    Ok(RawBsonRef::Array(inner)) => RawDocument::from_bytes(inner.as_bytes()).ok(),
                    Ok(RawBsonRef::JavaScriptCodeWithScope(code)) => Some(code.scope),
                    _ => None,
                };
                open.extend(inner.map(RawDocument::iter_elements));
            }
            Some(Err(_)) | None => drop(open.pop()),
        }
        most = most.max(open.len());
    }
    most
}

impl Random {
    /// Bytes that begin like a document and end like one.
    fn bytes(&mut self) -> Vec<u8> {
        let length = 5 + self.below(60);
        let mut bytes: Vec<u8> = (0..length).map(|_| self.next() as u8).collect();
        frame(&mut bytes);
        bytes
    }

    /// Elements of known types, with whatever stands in them.
    fn elements(&mut self, depth: usize) -> Vec<u8> {
        const NAMES: [&str; 8] = ["_id", "string", "list", "tree", "inner", "a", "b", "0"];
        let mut bytes = vec![0; 4];
        for _ in 0..self.below(5) {
            let kind = (1 + self.below(19)) as u8;
            bytes.push(kind);
            bytes.extend(NAMES[self.below(NAMES.len())].bytes());
            bytes.push(0);
            match kind {
                3 | 4 if depth < 20 => bytes.extend(self.elements(depth + 1)),
                2 | 13 | 14 => {
                    let text = self.below(4);
                    bytes.extend(i32::try_from(text + 1).unwrap_or_default().to_le_bytes());
                    bytes.extend((0..text).map(|_| self.next() as u8));
                    bytes.push(0);
                }
                8 => bytes.push(self.below(3) as u8),
                6 | 10 => {}
                16 => bytes.extend((self.next() as i32).to_le_bytes()),
                7 => bytes.extend((0..12).map(|_| self.next() as u8)),
                19 => bytes.extend((0..16).map(|_| self.next() as u8)),
                _ => bytes.extend(self.next().to_le_bytes()),
            }
        }
        bytes.push(0);
        frame(&mut bytes);
        bytes
    }

    /// The sample with a field of so many levels.
    fn levels(&mut self, most: usize, sample: &RawDocumentBuf) -> Vec<u8> {
        let leaf = rawdoc! { "name": "leaf", "inner": null, "children": [] };
        let levels = self.below(most);
        let deep = (0..levels)
            .fold(leaf, |inner, _| rawdoc! { "name": "x", "inner": inner, "children": [] });
        let mut raw = sample.clone();
        raw.append(bson::raw::cstr!("deep"), deep);
        raw.into_bytes()
    }
}

/// A length that fits, and the last byte of a document.
fn frame(bytes: &mut [u8]) {
    let length = i32::try_from(bytes.len()).unwrap_or_default();
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    if let Some(last) = bytes.last_mut() {
        *last = 0;
    }
}
