//! Models with everything that the direct reader knows, and what it must leave alone.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use bson::oid::ObjectId;
use bson::raw::cstr;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Decimal128, Regex, Timestamp, Uuid, doc};
use odm::prelude::*;
use odm::{Nullable, Ref};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
pub(crate) struct Plain {
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
    anything: Vec<Bson>,
    some: Option<i32>,
    boxed: Box<i32>,
    maybe_boxed: Box<Option<String>>,
    list: Vec<String>,
    numbers: Vec<f64>,
    set: BTreeSet<String>,
    hash_set: HashSet<i32>,
    queue: VecDeque<i64>,
    map: HashMap<String, i32>,
    tree: BTreeMap<String, Vec<String>>,
    array: [i32; 3],
    place: odm::geo::Point,
    #[serde(default, skip_serializing_if = "Nullable::is_missing")]
    nullable: Nullable<i32>,
    #[serde(default, deserialize_with = "odm::null_as_empty")]
    null_as_empty: Vec<String>,
    #[odm(opaque)]
    opaque: Option<(i32, String)>,
}

pub(crate) fn plain() -> Plain {
    let regex = Regex { pattern: cstr!("^a").into(), options: cstr!("i").into() };
    Plain {
        id: ObjectId::from_bytes([5; 12]),
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
        string: "text\0ü".into(),
        date: DateTime::from_millis(i64::MIN),
        decimal: Decimal128::from_bytes([9; 16]),
        uuid: Uuid::from_bytes([7; 16]),
        binary: Binary { subtype: BinarySubtype::UserDefined(0x81), bytes: vec![1, 2] },
        timestamp: Timestamp { time: 7, increment: 1 },
        regex,
        document: doc! { "a": { "b": 1, "c": [true, null, 1.5] }, "d": DateTime::from_millis(3) },
        any: Bson::MaxKey,
        anything: vec![Bson::Int32(1), Bson::from("x"), Bson::from(doc! { "y": 1_i64 })],
        some: Some(1),
        boxed: Box::new(5),
        maybe_boxed: Box::new(Some("b".into())),
        list: (0..12).map(|n| n.to_string()).collect(),
        numbers: vec![0.5, 1.0],
        set: ["a".to_owned(), "b".to_owned()].into(),
        hash_set: [3].into(),
        queue: [4, 5].into(),
        map: HashMap::from([("en".to_owned(), 1)]),
        tree: BTreeMap::from([("k".to_owned(), vec!["v".to_owned()])]),
        array: [1, 2, 3],
        place: odm::geo::Point::new(1.5, 2.5),
        nullable: Nullable::Null,
        null_as_empty: vec!["x".into()],
        opaque: Some((1, "x".into())),
    }
}

fn seven() -> i32 {
    7
}

fn upper_case<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text.to_uppercase())
}

fn lower_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(String::deserialize(deserializer)?.to_lowercase())
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(rename_all = "camelCase", rename = "Other")]
#[odm(collection = "attributes")]
pub(crate) struct Attributes {
    #[serde(rename = "_id")]
    id: i32,
    first_name: String,
    #[serde(rename = "sr", alias = "serial", alias = "no")]
    serial_number: i32,
    #[serde(default)]
    with_default: Vec<String>,
    #[serde(default = "seven")]
    with_path: i32,
    #[serde(skip)]
    skipped: Option<String>,
    #[serde(skip_deserializing)]
    never_read: i32,
    #[serde(skip_deserializing, default = "seven")]
    never_read_either: i32,
    #[serde(skip_serializing, default)]
    only_read: (u8, u8),
    #[serde(skip_serializing_if = "Option::is_none")]
    optional: Option<String>,
    twice_optional: Option<Option<i32>>,
    r#type: Status,
    slug: Slug,
    maybe_slug: Option<Slug>,
    transparent: Transparent,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    chrono: chrono::DateTime<chrono::Utc>,
    #[serde(deserialize_with = "lower_case")]
    lower: String,
    #[serde(deserialize_with = "lower_case", default)]
    lower_or_nothing: String,
    #[serde(serialize_with = "upper_case")]
    upper: String,
    #[odm(opaque)]
    opaque: Opaque,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Draft,
    #[serde(alias = "reviewing")]
    InReview,
    #[serde(skip)]
    #[allow(dead_code, reason = "serde neither writes nor reads it")]
    Internal,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Slug(String);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(transparent)]
struct Transparent(Option<String>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Opaque {
    One(i32),
    Two { text: String },
}

pub(crate) fn attributes() -> Attributes {
    Attributes {
        id: 1,
        first_name: "Ada".into(),
        serial_number: 3,
        with_default: vec!["x".into()],
        with_path: 5,
        skipped: None,
        never_read: 0,
        never_read_either: 7,
        only_read: (0, 0),
        optional: None,
        twice_optional: Some(Some(1)),
        r#type: Status::InReview,
        slug: Slug("one".into()),
        maybe_slug: None,
        transparent: Transparent(Some("seen".into())),
        chrono: chrono::DateTime::from_timestamp_millis(7).unwrap_or_default(),
        lower: "lower".into(),
        lower_or_nothing: String::new(),
        upper: "UPPER".into(),
        opaque: Opaque::Two { text: "two".into() },
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(default)]
pub(crate) struct Defaults {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(default = "seven")]
    number: i32,
    optional: Option<i32>,
    inner: Inner,
}

impl Default for Defaults {
    fn default() -> Self {
        let inner = Inner { a: 5, b: "inner".into() };
        Self { id: -1, name: "nobody".into(), number: 1, optional: Some(3), inner }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(default = "inner")]
struct Inner {
    a: i32,
    b: String,
}

fn inner() -> Inner {
    Inner { a: 8, b: "by a path".into() }
}

pub(crate) fn defaults() -> Defaults {
    Defaults { id: 2, name: "Jo".into(), number: 4, optional: None, inner: inner() }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(deny_unknown_fields)]
#[odm(schema_version = "1.0", version_field = "v")]
pub(crate) struct Strict {
    #[serde(rename = "_id")]
    id: i32,
    part: StrictPart,
    parts: Vec<StrictPart>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(deny_unknown_fields)]
struct StrictPart {
    a: Option<i32>,
    #[serde(alias = "c")]
    b: bool,
}

pub(crate) fn strict() -> Strict {
    let part = StrictPart { a: None, b: true };
    Strict { id: 1, part: part.clone(), parts: vec![part.clone(), part] }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(schema_version = 1)]
pub(crate) struct Versioned {
    #[serde(rename = "_id")]
    id: String,
    name: String,
}

pub(crate) fn versioned() -> Versioned {
    Versioned { id: "x".into(), name: "y".into() }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
pub(crate) struct Nested {
    #[serde(rename = "_id")]
    id: Key,
    tree: Tree,
    trees: Vec<Tree>,
    by_name: HashMap<String, Tree>,
    events: Vec<Event>,
    open: Open,
    #[serde(skip_serializing_if = "Option::is_none")]
    deep: Option<Tree>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
pub(crate) struct Key {
    a: i32,
    b: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
pub(crate) struct Tree {
    name: String,
    inner: Option<Box<Tree>>,
    children: Vec<Tree>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Event {
    Clicked { x: i32, y: Option<i32> },
    Said(Key),
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Open {
    a: i32,
    #[serde(flatten)]
    rest: BTreeMap<String, String>,
}

pub(crate) fn nested() -> Nested {
    let leaf = Tree { name: "leaf".into(), inner: None, children: vec![] };
    let tree = Tree {
        name: "root".into(),
        inner: Some(Box::new(leaf.clone())),
        children: vec![leaf.clone(), leaf.clone()],
    };
    let key = Key { a: 1, b: "k".into() };
    Nested {
        id: key.clone(),
        tree: tree.clone(),
        trees: vec![tree, leaf.clone()],
        by_name: HashMap::from([("l".to_owned(), leaf)]),
        events: vec![Event::Clicked { x: 1, y: None }, Event::Said(key), Event::Nothing],
        open: Open { a: 1, rest: BTreeMap::from([("b".to_owned(), "c".to_owned())]) },
        deep: None,
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
pub(crate) struct Targets {
    #[serde(rename = "_id")]
    id: i64,
    one: Ref<Versioned>,
    maybe: Option<Ref<Nested>>,
    many: Vec<Ref<Plain>>,
}

pub(crate) fn targets() -> Targets {
    Targets {
        id: 1,
        one: Ref::new("x"),
        maybe: Some(Ref::new(Key { a: 1, b: "k".into() })),
        many: vec![
            Ref::new(ObjectId::from_bytes([1; 12])),
            Ref::new(ObjectId::from_bytes([2; 12])),
        ],
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
pub(crate) struct ByHand {
    #[serde(rename = "_id")]
    id: i32,
    email: Email,
    size: Size,
    span: Span,
}

/// A newtype that checks what it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Embedded)]
struct Email(String);

impl<'de> Deserialize<'de> for Email {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.contains('@') {
            true => Ok(Self(text)),
            false => Err(serde::de::Error::custom("no address")),
        }
    }
}

/// An enum that takes numbers.
#[derive(Debug, Clone, PartialEq, Embedded)]
enum Size {
    Small,
    Large,
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i32(match self {
            Self::Small => 1,
            Self::Large => 2,
        })
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match i32::deserialize(deserializer)? {
            1 => Ok(Self::Small),
            _ => Ok(Self::Large),
        }
    }
}

/// A struct that checks its fields, read by way of another.
#[derive(Debug, Clone, PartialEq, Serialize, Embedded)]
struct Span {
    from: i32,
    to: i32,
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Unchecked {
            from: i32,
            to: i32,
        }
        let Unchecked { from, to } = Unchecked::deserialize(deserializer)?;
        if from > to {
            return Err(serde::de::Error::custom("reversed"));
        }
        Ok(Self { from, to })
    }
}

pub(crate) fn by_hand() -> ByHand {
    ByHand { id: 1, email: Email("a@b".into()), size: Size::Large, span: Span { from: 1, to: 2 } }
}
