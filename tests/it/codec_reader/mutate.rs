//! Documents that are not quite what a model writes.

use bson::oid::ObjectId;
use bson::raw::CString;
use bson::spec::BinarySubtype;
use bson::{
    Binary, Bson, DateTime, Decimal128, JavaScriptCodeWithScope, RawArrayBuf, RawBson, RawDocument,
    RawDocumentBuf, Regex, Timestamp, doc,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// One change at one place, which is counted through all levels.
#[derive(Debug, Clone)]
pub(crate) struct Mutation {
    place: usize,
    change: Change,
}

#[derive(Debug, Clone)]
enum Change {
    Drop,
    Repeat,
    ToEnd,
    ToFront,
    Rename(String),
    Replace(Bson),
    InsertBefore(String, Bson),
}

pub(crate) fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let change = prop_oneof![
        Just(Change::Drop),
        Just(Change::Repeat),
        Just(Change::ToEnd),
        Just(Change::ToFront),
        names().prop_map(Change::Rename),
        values().prop_map(Change::Replace),
        (names(), values()).prop_map(|(name, value)| Change::InsertBefore(name, value)),
    ];
    vec((any::<usize>(), change).prop_map(|(place, change)| Mutation { place, change }), 0..4)
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("unknown".to_owned()),
        Just("v".to_owned()),
        Just("schema_version".to_owned()),
        Just("no".to_owned()),
        Just("serial".to_owned()),
        Just("onlyRead".to_owned()),
        Just("neverRead".to_owned()),
        Just("c".to_owned()),
        Just("kind".to_owned()),
        Just("$oid".to_owned()),
        Just("$date".to_owned()),
        Just(String::new()),
        "[a-zß]{1,3}",
    ]
}

/// A value of every type, unusual ones among them.
fn values() -> impl Strategy<Value = Bson> {
    let leaf = prop_oneof![
        4 => any::<i32>().prop_map(Bson::Int32),
        2 => (-200_i32..200).prop_map(Bson::Int32),
        3 => any::<i64>().prop_map(Bson::Int64),
        2 => (-200_i64..200).prop_map(Bson::Int64),
        3 => any::<u64>().prop_map(|bits| Bson::Double(f64::from_bits(bits))),
        1 => (-200_i32..200).prop_map(|number| Bson::Double(number.into())),
        3 => "\\PC{0,3}".prop_map(Bson::String),
        1 => prop_oneof![Just("draft"), Just("in-review"), Just("reviewing"), Just("clicked")].prop_map(Bson::from),
        2 => any::<bool>().prop_map(Bson::Boolean),
        3 => Just(Bson::Null),
        1 => any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(ObjectId::from_bytes(bytes))),
        1 => any::<i64>().prop_map(|millis| Bson::DateTime(DateTime::from_millis(millis))),
        1 => any::<[u8; 16]>().prop_map(|bytes| Bson::Decimal128(Decimal128::from_bytes(bytes))),
        2 => (any::<u8>(), vec(any::<u8>(), 0..20)).prop_map(|(subtype, bytes)| {
            Bson::Binary(Binary { subtype: BinarySubtype::from(subtype % 10), bytes })
        }),
        1 => any::<[u8; 16]>().prop_map(|bytes| Bson::from(bson::Uuid::from_bytes(bytes))),
        1 => any::<(u32, u32)>().prop_map(|(time, increment)| Bson::Timestamp(Timestamp { time, increment })),
        1 => ("[a-z]{0,3}", "[imsx]{0,4}").prop_filter_map("a null byte", |(pattern, options)| {
            let (pattern, options) = (pattern.try_into().ok()?, options.try_into().ok()?);
            Some(Bson::RegularExpression(Regex { pattern, options }))
        }),
        1 => prop_oneof![
            Just(Bson::Undefined), Just(Bson::MinKey), Just(Bson::MaxKey),
            Just(Bson::Symbol("symbol".into())), Just(Bson::JavaScriptCode("x".into())),
            Just(Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope {
                code: "x".into(), scope: doc! { "a": 1 },
            })),
        ],
        1 => prop_oneof![
            Just(doc! { "$oid": "010203040506070809101112" }),
            Just(doc! { "$numberLong": "7" }),
            Just(doc! { "$date": { "$numberLong": "7" } }),
            Just(doc! { "$unknown": 7 }),
            Just(doc! { "kind": "nothing" }),
            Just(doc! { "kind": "clicked", "x": 1 }),
            Just(doc! { "a": 1, "b": "c", "x": 1 }),
        ].prop_map(Bson::Document),
    ];
    leaf.prop_recursive(3, 8, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Bson::Array),
            vec((names(), inner), 0..4)
                .prop_map(|fields| Bson::Document(fields.into_iter().collect())),
        ]
    })
}

/// A document whose names may be repeated.
#[derive(Debug, Clone)]
enum Node {
    Leaf(RawBson),
    Document(Vec<(String, Node)>),
    Array(Vec<(String, Node)>),
}

impl Mutation {
    pub(crate) fn apply_all(raw: &RawDocument, mutations: &[Self]) -> RawDocumentBuf {
        let mut root = Node::of_document(raw);
        for mutation in mutations {
            let places = root.len();
            if let Some(mut place) = mutation.place.checked_rem(places) {
                root.apply(&mut place, &mutation.change);
            }
        }
        root.to_document()
    }
}

impl Node {
    fn of_document(raw: &RawDocument) -> Self {
        let fields = raw
            .iter()
            .flatten()
            .map(|(name, value)| (name.as_str().to_owned(), Self::of(value.into())));
        Self::Document(fields.collect())
    }

    fn of(value: RawBson) -> Self {
        match value {
            RawBson::Document(document) => Self::of_document(&document),
            RawBson::Array(array) => {
                let items = array.into_iter().flatten().enumerate();
                let items = items.map(|(at, item)| (at.to_string(), Self::of(item.into())));
                Self::Array(items.collect())
            }
            value => Self::Leaf(value),
        }
    }

    /// How many places there are in the document.
    fn len(&self) -> usize {
        match self {
            Self::Leaf(_) => 0,
            Self::Document(fields) | Self::Array(fields) => {
                fields.iter().map(|(_, value)| 1 + value.len()).sum()
            }
        }
    }

    fn apply(&mut self, place: &mut usize, change: &Change) -> bool {
        let (Self::Document(fields) | Self::Array(fields)) = self else { return false };
        for at in 0..fields.len() {
            if *place == 0 {
                change.apply(fields, at);
                return true;
            }
            *place -= 1;
            if fields[at].1.apply(place, change) {
                return true;
            }
        }
        false
    }

    fn to_document(&self) -> RawDocumentBuf {
        let mut document = RawDocumentBuf::new();
        if let Self::Document(fields) | Self::Array(fields) = self {
            for (name, value) in fields {
                if let Ok(name) = CString::try_from(name.clone()) {
                    document.append(name, value.to_raw());
                }
            }
        }
        document
    }

    fn to_raw(&self) -> RawBson {
        match self {
            Self::Leaf(value) => value.clone(),
            Self::Document(_) => RawBson::Document(self.to_document()),
            Self::Array(items) => {
                let mut array = RawArrayBuf::new();
                items.iter().for_each(|(_, item)| array.push(item.to_raw()));
                RawBson::Array(array)
            }
        }
    }
}

impl Change {
    fn apply(&self, fields: &mut Vec<(String, Node)>, at: usize) {
        let node = |value: &Bson| match RawBson::try_from(value.clone()) {
            Ok(value) => Node::of(value),
            Err(_) => Node::Leaf(RawBson::Null),
        };
        match self {
            Self::Drop => drop(fields.remove(at)),
            Self::Repeat => fields.push(fields[at].clone()),
            Self::ToEnd => {
                let field = fields.remove(at);
                fields.push(field);
            }
            Self::ToFront => {
                let field = fields.remove(at);
                fields.insert(0, field);
            }
            Self::Rename(name) => fields[at].0.clone_from(name),
            Self::Replace(value) => fields[at].1 = node(value),
            Self::InsertBefore(name, value) => fields.insert(at, (name.clone(), node(value))),
        }
    }
}

/// Always the same random numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or_default()
    }

    /// The bytes with a few of them changed, and a length that fits.
    pub(crate) fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        const SMALL: [u8; 8] = [0, 1, 2, 3, 4, 5, 0x7F, 0xFF];
        let mut damaged = bytes.to_vec();
        for _ in 0..=self.below(3) {
            let at = 4 + self.below(damaged.len() - 5);
            damaged[at] = match self.below(3) {
                0 => self.next() as u8,
                1 => SMALL[self.below(SMALL.len())],
                _ => damaged[at] ^ (1 << self.below(8)),
            };
        }
        if self.below(8) == 0 {
            damaged.truncate(5 + self.below(damaged.len() - 5));
            let length = i32::try_from(damaged.len()).unwrap_or_default();
            damaged[..4].copy_from_slice(&length.to_le_bytes());
            if let Some(last) = damaged.last_mut() {
                *last = 0;
            }
        }
        damaged
    }
}
