//! Every shape of model: the descriptor against serde, the stored bytes against the driver's.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use bson::oid::ObjectId;
use bson::{Binary, Bson, DateTime, Decimal128, Regex, Timestamp, Uuid, doc};
use odm::Document as _;
use odm::model::Kind;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::assert_stored_like_serde;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct EveryType {
    #[serde(rename = "_id")]
    id: ObjectId,
    bool: bool,
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    f32: f32,
    f64: f64,
    char: char,
    string: String,
    date: DateTime,
    decimal: Decimal128,
    uuid: Uuid,
    binary: Binary,
    timestamp: Timestamp,
    regex: Regex,
    document: bson::Document,
    any: Bson,
    some: Option<i32>,
    none: Option<i32>,
    boxed: Box<i32>,
    list: Vec<i32>,
    set: BTreeSet<String>,
    hash_set: HashSet<i32>,
    queue: VecDeque<i32>,
    map: HashMap<String, i32>,
    tree: BTreeMap<String, Vec<String>>,
    #[odm(opaque)]
    opaque: (i32, String),
}

fn every_type() -> TestResult<EveryType> {
    Ok(EveryType {
        id: ObjectId::new(),
        bool: true,
        i8: -8,
        i16: -16,
        i32: i32::MIN,
        i64: i64::MIN,
        u8: u8::MAX,
        u16: u16::MAX,
        u32: u32::MAX,
        u64: i64::MAX as u64,
        f32: 1.5,
        f64: -2.25,
        char: 'ß',
        string: "text".into(),
        date: DateTime::from_millis(-1),
        decimal: "1.50".parse()?,
        uuid: Uuid::from_bytes([7; 16]),
        binary: Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: vec![1, 2] },
        timestamp: Timestamp { time: 7, increment: 1 },
        regex: Regex { pattern: "^a".to_owned().try_into()?, options: "i".to_owned().try_into()? },
        document: doc! { "$ne": null, "a": { "b": 1 } },
        any: Bson::MaxKey,
        some: Some(1),
        none: None,
        boxed: Box::new(5),
        list: vec![1, 2],
        set: ["a".to_owned()].into(),
        hash_set: [3].into(),
        queue: [4].into(),
        map: HashMap::from([("en".to_owned(), 1)]),
        tree: BTreeMap::from([("k".to_owned(), vec!["v".to_owned()])]),
        opaque: (1, "x".into()),
    })
}

#[test]
fn every_field_type_is_stored_as_the_driver_stores_it() -> TestResult {
    odm_testkit::run(async |kit| {
        assert_stored_like_serde(&kit, &[every_type()?]).await?;
        Ok(())
    })
}

/// What filters and updates send must be what inserts store, in value and in BSON type.
#[test]
fn values_are_encoded_as_they_are_stored() -> TestResult {
    let sample = every_type()?;
    let stored = bson::Document::try_from(&sample.encode()?)?;
    let p = EveryType::fields();
    let updates = [
        ("bool", p.bool().set(sample.bool)),
        ("i8", p.i8().set(sample.i8)),
        ("i16", p.i16().set(sample.i16)),
        ("i32", p.i32().set(sample.i32)),
        ("i64", p.i64().set(sample.i64)),
        ("u8", p.u8().set(sample.u8)),
        ("u16", p.u16().set(sample.u16)),
        ("u32", p.u32().set(sample.u32)),
        ("u64", p.u64().set(sample.u64)),
        ("f32", p.f32().set(sample.f32)),
        ("f64", p.f64().set(sample.f64)),
        ("char", p.char().set(sample.char)),
        ("string", p.string().set(&sample.string)),
        ("date", p.date().set(sample.date)),
        ("decimal", p.decimal().set(sample.decimal)),
        ("uuid", p.uuid().set(sample.uuid)),
        ("binary", p.binary().set(&sample.binary)),
        ("timestamp", p.timestamp().set(sample.timestamp)),
        ("regex", p.regex().set(&sample.regex)),
        ("document", p.document().set(&sample.document)),
        ("any", p.any().set(&sample.any)),
        ("some", p.some().set(sample.some)),
        ("none", p.none().set(None)),
        ("boxed", p.boxed().set(*sample.boxed)),
        ("list", p.list().set(&sample.list)),
        ("set", p.set().set(&sample.set)),
        ("hash_set", p.hash_set().set(&sample.hash_set)),
        ("queue", p.queue().set(&sample.queue)),
        ("map", p.map().set(&sample.map)),
        ("tree", p.tree().set(&sample.tree)),
        ("opaque", p.opaque().set(&sample.opaque)),
    ];
    assert_eq!(updates.len() + 1, EveryType::MODEL.shape.fields.len());
    for (name, update) in updates {
        let sent = update.into_document()?;
        assert_eq!(sent.get_document("$set")?.get(name), stored.get(name), "{name}");
        let field = EveryType::MODEL.shape.field(name).ok_or(name)?;
        let expected = stored.get(name).map(kind_of);
        if field.kind != Kind::Any && !field.optional {
            assert_eq!(Some(field.kind), expected, "{name}");
        }
    }
    Ok(())
}

fn kind_of(value: &Bson) -> Kind {
    match value {
        Bson::Double(_) => Kind::Double,
        Bson::String(_) => Kind::String,
        Bson::Document(_) => Kind::Document,
        Bson::Array(_) => Kind::Array,
        Bson::Binary(_) => Kind::Binary,
        Bson::Boolean(_) => Kind::Bool,
        Bson::DateTime(_) => Kind::Date,
        Bson::RegularExpression(_) => Kind::Regex,
        Bson::Int32(_) => Kind::Int,
        Bson::Timestamp(_) => Kind::Timestamp,
        Bson::Int64(_) => Kind::Long,
        Bson::Decimal128(_) => Kind::Decimal,
        _ => Kind::Any,
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Draft,
    InReview,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Event {
    Clicked { at_x: i32, at_y: Option<i32> },
    Said(Note),
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Note {
    text: String,
    replies: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Stamp {
    by: String,
    #[serde(rename = "on")]
    date: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Slug(String);

fn is_zero(number: &i32) -> bool {
    *number == 0
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase")]
#[odm(collection = "shapes", schema_version = "2.0", version_field = "v")]
struct EveryAttribute {
    #[serde(rename = "_id")]
    id: Slug,
    first_name: String,
    #[serde(rename = "sr", alias = "serial")]
    serial_number: i32,
    #[serde(default)]
    with_default: i32,
    #[serde(skip)]
    skipped: i32,
    #[serde(skip_serializing_if = "is_zero", default)]
    sometimes: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    optional: Option<String>,
    #[serde(flatten)]
    stamp: Stamp,
    r#type: Status,
    events: Vec<Event>,
    note: Option<Note>,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    chrono: chrono::DateTime<chrono::Utc>,
    #[serde(with = "bson::serde_helpers::uuid_1::AsBinary")]
    uuid: uuid::Uuid,
}

fn every_attribute() -> EveryAttribute {
    let reply = Note { text: "b".into(), replies: vec![] };
    EveryAttribute {
        id: Slug("one".into()),
        first_name: "Ada".into(),
        serial_number: 3,
        with_default: 4,
        skipped: 0,
        sometimes: 6,
        optional: Some("here".into()),
        stamp: Stamp { by: "jo".into(), date: DateTime::from_millis(5) },
        r#type: Status::InReview,
        events: vec![
            Event::Clicked { at_x: 1, at_y: None },
            Event::Said(Note { text: "a".into(), replies: vec![reply.clone()] }),
            Event::Nothing,
        ],
        note: Some(reply),
        chrono: chrono::DateTime::from_timestamp_millis(7).unwrap_or_default(),
        uuid: uuid::Uuid::from_bytes([9; 16]),
    }
}

#[test]
fn every_serde_attribute_is_followed() -> TestResult {
    odm_testkit::run(async |kit| {
        let full = every_attribute();
        let sparse = EveryAttribute { sometimes: 0, optional: None, note: None, ..full.clone() };
        let sparse = EveryAttribute { id: Slug("two".into()), ..sparse };
        assert_stored_like_serde(&kit, &[full, sparse]).await?;
        Ok(())
    })
}

#[test]
fn the_descriptor_tells_names_documentation_and_versions() {
    let model = EveryAttribute::MODEL;
    assert_eq!(
        model.shape.names(),
        [
            "_id",
            "firstName",
            "sr",
            "withDefault",
            "sometimes",
            "optional",
            "by",
            "on",
            "type",
            "events",
            "note",
            "chrono",
            "uuid",
        ]
    );
    assert_eq!((model.name, model.collection), ("EveryAttribute", "shapes"));
    assert_eq!(
        model.version.map(|version| (version.field, version.label.to_string())),
        Some(("v", "\"2.0\"".into()))
    );
    let serial = model.shape.field("serial").map(|field| (field.rust_name, field.name));
    assert_eq!(serial, Some(("serial_number", "sr")), "an alias leads to its field");
}

#[test]
fn paths_have_the_stored_names() {
    let p = EveryAttribute::fields();
    assert_eq!(p.first_name().as_str(), "firstName");
    assert_eq!(p.serial_number().as_str(), "sr");
    assert_eq!(p.r#type().as_str(), "type");
    assert_eq!(p.stamp().date().as_str(), "on");
    assert_eq!(p.events().kind().as_str(), "events.kind");
    assert_eq!(p.events().clicked().at_x().as_str(), "events.atX");
    assert_eq!(p.events().said().replies().text().as_str(), "events.replies.text");
    assert_eq!(p.note().replies().at(0).replies().text().as_str(), "note.replies.0.replies.text");
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(schema_version = 3)]
struct Numbered {
    name: String,
    #[serde(rename = "_id", skip_serializing_if = "Option::is_none")]
    id: Option<ObjectId>,
}

/// The version comes right after `_id`, also where `_id` is not the first field or is generated.
#[test]
fn the_version_is_the_second_element() -> TestResult {
    odm_testkit::run(async |kit| {
        let known = Numbered { name: "a".into(), id: Some(ObjectId::new()) };
        let generated = Numbered { name: "b".into(), id: None };
        assert_stored_like_serde(&kit, &[known, generated]).await?;
        Ok(())
    })
}

/// RD1238: an optional `_id` that is `None` is generated, each time another.
#[test]
fn an_optional_id_is_generated() -> TestResult {
    odm_testkit::run(async |kit| {
        let items = crate::support::database(&kit).collection::<Numbered>();
        let item = Numbered { name: "a".into(), id: None };
        let first = items.insert_one(&item).await?.inserted_id;
        let second = items.insert_one(&item).await?.inserted_id;
        assert_ne!(first, second);
        let first = first.as_object_id().ok_or("not an ObjectId")?;
        let found = items.get(first).await?.ok_or("not found")?;
        assert_eq!(found.id, Some(first));
        Ok(())
    })
}

/// A struct that a macro writes, where the derive and the fields are named in different places.
macro_rules! written {
    ($(#[$attribute:meta])* $name:ident, $extra:ident) => {
        $(#[$attribute])*
        struct $name {
            #[serde(rename = "_id")]
            id: i32,
            $extra: String,
        }
    };
}

written! {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    Written, title
}

#[test]
fn a_struct_that_a_macro_writes_is_a_model() -> TestResult {
    let written = Written { id: 1, title: "a".into() };
    assert_eq!(odm::Document::id(&written), Some(&1));
    assert_eq!(Written::decode(&written.encode()?)?, written);
    Ok(())
}
