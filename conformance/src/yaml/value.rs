//! What Ruby stores of a node, as BSON.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{
    Binary, Bson, DateTime, Decimal128, Document, JavaScriptCodeWithScope, Regex, Timestamp,
};

use super::{Content, Node};

/// The value as BSON.
///
/// # Errors
/// Why it has no form in BSON.
pub(crate) fn to_bson(node: &Node) -> Result<Bson, String> {
    match (&node.tag, &node.content) {
        (Some(tag), _) => tagged(tag, node),
        (None, Content::Plain(text)) => Ok(plain(text)),
        (None, Content::Quoted(text)) => Ok(Bson::String(text.clone())),
        (None, Content::List(items)) => {
            items.iter().map(to_bson).collect::<Result<_, _>>().map(Bson::Array)
        }
        (None, Content::Map(entries)) => {
            let entries = entries.iter().map(|(name, node)| Ok((name.clone(), to_bson(node)?)));
            entries.collect::<Result<Document, String>>().map(Bson::Document)
        }
    }
}

/// A text without quotes.
fn plain(text: &str) -> Bson {
    match text {
        "~" | "null" | "" => return Bson::Null,
        "true" => return Bson::Boolean(true),
        "false" => return Bson::Boolean(false),
        _ => {}
    }
    if let Ok(number) = text.parse::<i32>() {
        return Bson::Int32(number);
    }
    if let Ok(number) = text.parse::<i64>() {
        return Bson::Int64(number);
    }
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    if let (true, Ok(number)) = (is_number, text.parse::<f64>()) {
        return Bson::Double(number);
    }
    match date(text) {
        Some(date) => Bson::DateTime(date),
        None => match text.strip_prefix(':') {
            Some(symbol) => Bson::Symbol(symbol.to_owned()),
            None => Bson::String(text.to_owned()),
        },
    }
}

/// `2020-11-19` or `2020-11-19 00:00:00`.
fn date(text: &str) -> Option<DateTime> {
    let rfc3339 = match text.split_once(' ') {
        Some((day, time)) => format!("{day}T{time}Z"),
        None => format!("{text}T00:00:00Z"),
    };
    DateTime::parse_rfc3339_str(rfc3339).ok()
}

fn tagged(tag: &str, node: &Node) -> Result<Bson, String> {
    let name =
        tag.trim_start_matches('!').trim_start_matches("ruby/").trim_start_matches("object:");
    let value = match name {
        "BSON::Binary" => field(node, "data")
            .and_then(binary)
            .map(|bytes| Binary { subtype: BinarySubtype::Generic, bytes }.into()),
        "binary" => {
            binary(node).map(|bytes| Binary { subtype: BinarySubtype::Generic, bytes }.into())
        }
        "BSON::ObjectId" => object_id(node).map(Bson::ObjectId),
        "BSON::Code" => text(node, "javascript").map(Bson::JavaScriptCode),
        "BSON::CodeWithScope" => text(node, "javascript").and_then(|code| {
            let scope = to_bson(field(node, "scope")?).ok()?.as_document()?.clone();
            Some(JavaScriptCodeWithScope { code, scope }.into())
        }),
        "BSON::Symbol::Raw" => text(node, "symbol").map(Bson::Symbol),
        "BSON::MinKey" => Some(Bson::MinKey),
        "BSON::MaxKey" => Some(Bson::MaxKey),
        "BSON::Undefined" => Some(Bson::Undefined),
        "BSON::Int32" => number(node, "value").map(Bson::Int32),
        "BSON::Int64" => number(node, "value").map(Bson::Int64),
        "BSON::Timestamp" => number(node, "seconds").and_then(|time| {
            let increment = number(node, "increment")?;
            Some(Timestamp { time, increment }.into())
        }),
        "BSON::Decimal128" => number::<u64>(node, "low").and_then(|low| {
            let number = u128::from(number::<u64>(node, "high")?) << 64 | u128::from(low);
            Some(Decimal128::from_bytes(number.to_le_bytes()).into())
        }),
        "BSON::DbPointer" => text(node, "ref").and_then(|namespace| {
            let id = object_id(field(node, "id")?)?;
            let json = serde_json::json!({
                "$dbPointer": { "$ref": namespace, "$id": { "$oid": id.to_hex() } }
            });
            serde_json::from_value(json).ok()
        }),
        "BSON::Regexp::Raw" => text(node, "pattern").and_then(|pattern| {
            let options = text(node, "options")?;
            regex(&pattern, &options)
        }),
        "regexp" => node.text().and_then(|text| {
            let (pattern, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
            // In Ruby, `^` and `$` match at each line, and `m` is for what `.` matches.
            regex(pattern, &format!("m{}", flags.replace('m', "s")))
        }),
        _ => return Err(format!("`{name}` is a type of Ruby without a form in BSON")),
    };
    value.ok_or_else(|| format!("a malformed `{name}`"))
}

/// `None` where a text holds a null character.
pub(crate) fn regex(pattern: &str, options: &str) -> Option<Bson> {
    let (pattern, options) = (pattern.try_into().ok()?, options.try_into().ok()?);
    Some(Bson::RegularExpression(Regex { pattern, options }))
}

fn field<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    node.get(name)
}

fn text(node: &Node, name: &str) -> Option<String> {
    field(node, name)?.text().map(str::to_owned)
}

fn number<T: std::str::FromStr>(node: &Node, name: &str) -> Option<T> {
    field(node, name)?.text()?.parse().ok()
}

fn object_id(node: &Node) -> Option<ObjectId> {
    let bytes = binary(field(node, "raw_data")?)?;
    bytes.try_into().ok().map(ObjectId::from_bytes)
}

/// Some texts end with bits that stand for nothing, which Ruby passes over.
fn binary(node: &Node) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let text: String = node.text()?.split_whitespace().collect();
    GeneralPurpose::new(&STANDARD, config).decode(text).ok()
}
