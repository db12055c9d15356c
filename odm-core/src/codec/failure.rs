//! Finds out where and why a stored document does not fit its model.
//!
//! Decoding does not keep track of paths, since that would slow every read down; a document that
//! failed is decoded once more, for the path only.

use bson::{Bson, Document, RawDocument};
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use crate::error::{Error, ErrorKind};
use crate::model::{Field, Kind, Shape};

/// The `_id` of a stored document, for error messages.
pub(super) fn id_of(raw: &RawDocument) -> Option<Bson> {
    raw.get("_id").ok().flatten().and_then(super::depth::shallow)
}

/// Turns serde's error into ours: path, expected type, found type.
pub(super) fn explain<T: DeserializeOwned>(
    error: bson::error::Error,
    raw: &RawDocument,
    shape: &Shape,
) -> Error {
    let reason = error.message.clone().unwrap_or_else(|| error.kind.to_string());
    let Ok(document) = Document::try_from(raw) else {
        return Error::new(ErrorKind::Decode, reason).with_source(error);
    };
    let failure = by_serde::<T>(&document)
        .or_else(|| by_shape(&document, shape, ""))
        .unwrap_or_else(|| Failure { path: String::new(), reason });
    Error::new(ErrorKind::Decode, failure.reason).with_path(failure.path).with_source(error)
}

struct Failure {
    path: String,
    reason: String,
}

/// The path by serde itself; none inside flattened fields, which serde buffers.
fn by_serde<T: DeserializeOwned>(document: &Document) -> Option<Failure> {
    let deserializer = bson::Deserializer::new(Bson::Document(document.clone()));
    let error = serde_path_to_error::deserialize::<_, T>(deserializer).err()?;
    let mut path = dotted(error.path());
    let message = error.inner().message.clone().unwrap_or_else(|| error.inner().to_string());
    if let Some(missing) = message.strip_prefix("missing field `").and_then(|m| m.split('`').next())
    {
        let path = join(&path, missing);
        return Some(Failure { path, reason: "the field is missing".to_owned() });
    }
    if path.is_empty() {
        path = error.inner().key.clone()?;
    }
    let expected = match message.starts_with("invalid ") {
        true => message.rsplit_once("expected ").map(|(_, expected)| expected),
        false => None,
    };
    if let (Some(expected), Some(found)) = (expected, value_at(document, &path)) {
        let reason = format!("expected {expected}, found {}", describe(found));
        return Some(Failure { path, reason });
    }
    Some(Failure { path, reason: message })
}

/// The first field whose stored value cannot be of the declared type.
fn by_shape(document: &Document, shape: &Shape, prefix: &str) -> Option<Failure> {
    for field in shape.fields {
        let inner = (field.shape)();
        if field.flatten {
            if let Some(failure) = inner.and_then(|inner| by_shape(document, inner, prefix)) {
                return Some(failure);
            }
            continue;
        }
        let Some(value) = document.get(field.name) else {
            continue;
        };
        let path = join(prefix, field.name);
        if !accepts(field, value) {
            let reason = format!("expected {}, found {}", field.kind.alias(), describe(value));
            return Some(Failure { path, reason });
        }
        if let (Some(inner), Bson::Document(nested)) = (inner, value)
            && let Some(failure) = by_shape(nested, inner, &path)
        {
            return Some(failure);
        }
    }
    None
}

fn accepts(field: &Field, value: &Bson) -> bool {
    match field.kind {
        Kind::Any => true,
        Kind::Int | Kind::Long | Kind::Double if is_number(value) => true,
        kind => alias(value) == kind.alias() || (field.optional && *value == Bson::Null),
    }
}

fn is_number(value: &Bson) -> bool {
    matches!(value, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_))
}

fn dotted(path: &serde_path_to_error::Path) -> String {
    let mut dotted = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => dotted = join(&dotted, &index.to_string()),
            Segment::Map { key } => dotted = join(&dotted, key),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    dotted
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

fn value_at<'a>(document: &'a Document, path: &str) -> Option<&'a Bson> {
    let mut segments = path.split('.');
    let mut value = document.get(segments.next()?)?;
    for segment in segments {
        value = match value {
            Bson::Document(inner) => inner.get(segment)?,
            Bson::Array(items) => items.get(segment.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// The manual's name of a value's type, with the value where it is short.
fn describe(value: &Bson) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match value {
        Bson::Document(_) | Bson::Array(_) | Bson::Null => alias(value).to_owned(),
        _ if text.chars().count() > LONGEST => alias(value).to_owned(),
        _ => format!("{} {text}", alias(value)),
    }
}

fn alias(value: &Bson) -> &'static str {
    match value {
        Bson::Double(_) => "double",
        Bson::String(_) => "string",
        Bson::Document(_) => "object",
        Bson::Array(_) => "array",
        Bson::Binary(_) => "binData",
        Bson::ObjectId(_) => "objectId",
        Bson::Boolean(_) => "bool",
        Bson::DateTime(_) => "date",
        Bson::Null => "null",
        Bson::RegularExpression(_) => "regex",
        Bson::DbPointer(_) => "dbPointer",
        Bson::JavaScriptCode(_) => "javascript",
        Bson::Symbol(_) => "symbol",
        Bson::JavaScriptCodeWithScope(_) => "javascriptWithScope",
        Bson::Int32(_) => "int",
        Bson::Timestamp(_) => "timestamp",
        Bson::Int64(_) => "long",
        Bson::Decimal128(_) => "decimal",
        Bson::Undefined => "undefined",
        Bson::MinKey => "minKey",
        Bson::MaxKey => "maxKey",
    }
}
