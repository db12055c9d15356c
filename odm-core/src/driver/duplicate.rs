//! Which index refused a write, and for which value.
//!
//! The server says so in `keyValue` of its reply, which the driver keeps for updates but not for
//! inserts; then the names are read from the message and the values from the document sent.

use bson::{Bson, Document, RawDocument, RawDocumentBuf};

use crate::error::DuplicateKey;

const CODES: [i32; 3] = [11000, 11001, 12582];

/// Reads a refusal; `None` if it was for another reason.
pub(super) fn duplicate_key(
    code: i32,
    message: &str,
    key_value: Option<Document>,
    sent: Option<&RawDocument>,
) -> Option<DuplicateKey> {
    CODES.contains(&code).then(|| DuplicateKey {
        index: index_name(message).unwrap_or("unknown").to_owned(),
        key: key_value.unwrap_or_else(|| key_of_message(message, sent)),
    })
}

pub(super) fn describe(duplicate: &DuplicateKey) -> String {
    match duplicate.key.is_empty() {
        true => format!("the unique index `{}` has the value already", duplicate.index),
        false => format!("the unique index `{}` has {} already", duplicate.index, duplicate.key),
    }
}

/// `keyValue` of a reply: of the command itself, or of the write error with this index.
pub(super) fn key_value(reply: Option<&RawDocumentBuf>, index: Option<usize>) -> Option<Document> {
    let reply = reply?;
    let error: &RawDocument = match index {
        None => reply,
        Some(index) => {
            let index = i32::try_from(index).ok()?;
            let errors = reply.get_array("writeErrors").ok()?;
            let mut errors = errors.into_iter().filter_map(|error| error.ok()?.as_document());
            errors.find(|error| error.get_i32("index").is_ok_and(|found| found == index))?
        }
    };
    Document::try_from(error.get_document("keyValue").ok()?).ok()
}

/// `… index: email_1 dup key: { email: "x" }`
fn index_name(message: &str) -> Option<&str> {
    message.split_once("index: ")?.1.split_whitespace().next()
}

fn key_of_message(message: &str, sent: Option<&RawDocument>) -> Document {
    let key = message.split_once("dup key: {").map_or("", |(_, key)| key);
    let sent = sent.and_then(|sent| Document::try_from(sent).ok()).unwrap_or_default();
    let mut rest = key.trim_start();
    let mut read = Document::new();
    while let Some((name, value)) = rest.split_once(": ") {
        let length = length_of_value(value);
        let (text, after) = value.split_at(length);
        read.insert(name, value_at(&sent, name, text));
        rest = after.trim_start_matches([',', ' ']);
        if rest.starts_with('}') {
            break;
        }
    }
    read
}

/// Where the text of a value ends: at a comma or brace outside of quotes and brackets.
fn length_of_value(text: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            ',' | '}' if depth == 0 => return text[..at].trim_end().len(),
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

/// The value that was sent at the path; the message's text where it went through an array and no
/// element reads so.
fn value_at(sent: &Document, path: &str, text: &str) -> Bson {
    let values = path.split('.').fold(vec![Bson::Document(sent.clone())], |values, name| {
        values
            .iter()
            .flat_map(elements)
            .filter_map(|value| value.as_document()?.get(name).cloned())
            .collect()
    });
    let mut values = values.iter().flat_map(elements);
    match (values.clone().count(), values.next()) {
        (1, Some(value)) => value.clone(),
        (0, _) if text == "null" => Bson::Null,
        _ => values
            .find(|value| value.to_string() == text)
            .cloned()
            .unwrap_or_else(|| Bson::String(text.to_owned())),
    }
}

/// The elements of an array, or the value itself.
fn elements(value: &Bson) -> impl Iterator<Item = &Bson> + Clone {
    let (items, one) = match value {
        Bson::Array(items) => (items.as_slice(), None),
        value => (&[] as &[Bson], Some(value)),
    };
    items.iter().chain(one)
}

#[cfg(test)]
mod tests {
    use bson::{doc, rawdoc};

    use super::*;

    #[test]
    fn names_come_from_the_message_and_values_from_the_document() {
        let sent =
            rawdoc! { "_id": 1, "email": "a, b: }", "address": { "zip": 7 }, "tags": ["x", "y"] };
        for (message, index, key) in [
            (
                r#"E11000 duplicate key error collection: d.c index: email_1 dup key: { email: "a, b: }" }"#,
                "email_1",
                doc! { "email": "a, b: }" },
            ),
            (
                "E11000 … index: x dup key: { address.zip: 7, _id: 1 }",
                "x",
                doc! { "address.zip": 7, "_id": 1 },
            ),
            (r#"E11000 … index: tags_1 dup key: { tags: "y" }"#, "tags_1", doc! { "tags": "y" }),
            (
                "E11000 … index: gone_1 dup key: { gone: null }",
                "gone_1",
                doc! { "gone": Bson::Null },
            ),
            ("E11000 … index: _id_", "_id_", doc! {}),
        ] {
            let found = duplicate_key(11000, message, None, Some(&sent));
            assert_eq!(found.map(|found| (found.index, found.key)), Some((index.to_owned(), key)));
        }
        assert_eq!(duplicate_key(50, "index: a dup key: { a: 1 }", None, None), None);
    }
}
