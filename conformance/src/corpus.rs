//! The corpus of the BSON specification: documents through the codec of the dynamic model, to
//! [`bson::Document`] and back to the same bytes.
//!
//! Source: [BSON corpus](https://github.com/mongodb/specifications/blob/master/source/bson-corpus/bson-corpus.md).

use std::path::Path;

use bson::{Document as BsonDocument, RawDocument};
use odm::Document;
use serde_json::Value;

use crate::report::{Outcome, Report};
use crate::{Result, files};

pub(crate) fn run(folder: &Path) -> Result<Report> {
    let mut report = Report::new("bson-corpus");
    for (file, text) in files(folder, "json")? {
        let suite: Value = serde_json::from_str(&text)?;
        for case in cases(&suite, "valid") {
            for (form, outcome) in valid(case) {
                report.add(format!("{file}: {}: {form}", description(case)), outcome);
            }
        }
        for case in cases(&suite, "decodeErrors") {
            report.add(format!("{file}: {}: decode error", description(case)), decode_error(case));
        }
        for case in cases(&suite, "parseErrors") {
            let reason =
                "about refusing text, which the parsers of `serde_json` and `bson` read alone";
            let outcome = Outcome::NotApplicable(reason.to_owned());
            report.add(format!("{file}: {}: parse error", description(case)), outcome);
        }
    }
    Ok(report)
}

fn cases<'a>(suite: &'a Value, kind: &str) -> impl Iterator<Item = &'a Value> {
    suite.get(kind).and_then(Value::as_array).into_iter().flatten()
}

fn description(case: &Value) -> &str {
    case.get("description").and_then(Value::as_str).unwrap_or("without a description")
}

/// The forms of one valid document that are held against its canonical bytes.
fn valid(case: &Value) -> Vec<(&'static str, Outcome)> {
    let Some(canonical) = bytes(case, "canonical_bson") else {
        return vec![("canonical BSON", Outcome::Failed("is not hexadecimal".to_owned()))];
    };
    let mut outcomes = vec![("canonical BSON", Outcome::of(round_trip(&canonical, &canonical)))];
    for (form, name) in
        [("canonical JSON", "canonical_extjson"), ("degenerate JSON", "degenerate_extjson")]
    {
        let is_lossy = case.get("lossy").and_then(Value::as_bool).unwrap_or(false);
        if let (Some(text), false) = (case.get(name).and_then(Value::as_str), is_lossy) {
            outcomes.push((form, Outcome::of(from_json(text, &canonical))));
        }
    }
    if case.get("degenerate_bson").is_some() {
        let result = bytes(case, "degenerate_bson")
            .ok_or_else(|| "is not hexadecimal".to_owned())
            .and_then(|degenerate| round_trip(&degenerate, &canonical));
        outcomes.push(("degenerate BSON", Outcome::of(result)));
    }
    outcomes
}

/// Decodes the bytes, and encodes what they were to the expected ones.
fn round_trip(given: &[u8], expected: &[u8]) -> std::result::Result<(), String> {
    let document = decode(given)?;
    let encoded = document.encode().map_err(|error| error.to_string())?;
    match encoded.as_bytes() == expected {
        true => Ok(()),
        false => Err(format!("encoded as {}", hex(encoded.as_bytes()))),
    }
}

/// Reads extended JSON by serde, and encodes what it was to the expected bytes.
fn from_json(text: &str, expected: &[u8]) -> std::result::Result<(), String> {
    let document: BsonDocument = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let encoded = document.encode().map_err(|error| error.to_string())?;
    match encoded.as_bytes() == expected {
        true => Ok(()),
        false => Err(format!("encoded as {}", hex(encoded.as_bytes()))),
    }
}

fn decode_error(case: &Value) -> Outcome {
    let Some(bytes) = bytes(case, "bson") else {
        return Outcome::Failed("is not hexadecimal".to_owned());
    };
    match decode(&bytes) {
        Err(_) => Outcome::Passed,
        Ok(document) => Outcome::Failed(format!("decoded as {document}")),
    }
}

fn decode(bytes: &[u8]) -> std::result::Result<BsonDocument, String> {
    let raw = RawDocument::from_bytes(bytes).map_err(|error| error.to_string())?;
    BsonDocument::decode(raw).map_err(|error| error.to_string())
}

fn bytes(case: &Value, name: &str) -> Option<Vec<u8>> {
    let text = case.get(name)?.as_str()?;
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(
        digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect(),
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
