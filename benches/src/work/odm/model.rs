//! The documents of the tasks: flat ones of 250 bytes, 8 kB and 3 MB, and a nested one of 8 kB.

use bson::Binary;
use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use odm::Ref;
use odm::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::seed::{Seed, object_id};

/// What makes a large flat document one of 3 MB.
pub(super) const IMAGE_BYTES: usize = 3_000_000;

/// The texts are the same in every document, as the specification's are.
const TEXTS: u32 = 12;
/// Where the ids of foreign documents begin.
const FOREIGN: u32 = 1_000_000;

/// A document of a task: as the library's model, or as the bare driver reads it.
pub(super) trait Sample:
    Serialize + DeserializeOwned + Clone + Send + Sync + Unpin + 'static
{
    /// The stored path of a string, and of a number.
    const PATHS: [&'static str; 2];

    /// The document of this number, as the specification has it, apart from `_id` and keys.
    fn numbered(number: u32) -> Self;
    fn set_id(&mut self, id: ObjectId);
    fn set_image(&mut self, _image: &[u8]) {}
    /// A number that changes with what was read.
    fn weight(&self) -> i64;
}

macro_rules! flat {
    (
        $(#[$attribute:meta])*
        $name:ident $(, $key:ident: $type:ty = $value:expr)*;
        strings { $first:ident $($string:ident)* }
        numbers { $start:ident $($number:ident)* }
    ) => {
        $(#[$attribute])*
        pub(super) struct $name {
            #[serde(rename = "_id")]
            id: ObjectId,
            $first: String,
            $($string: String,)*
            $start: i32,
            $($number: i32,)*
            $($key: $type,)*
        }

        impl Sample for $name {
            const PATHS: [&'static str; 2] = [stringify!($first), stringify!($start)];

            fn numbered(number: u32) -> Self {
                let mut seed = Seed::new(TEXTS);
                Self {
                    id: object_id(number),
                    $first: seed.text(10),
                    $($string: seed.text(10),)*
                    $start: seed.below(1_000),
                    $($number: seed.below(1_000),)*
                    $($key: $value(number),)*
                }
            }

            fn set_id(&mut self, id: ObjectId) {
                self.id = id;
            }

            fn weight(&self) -> i64 {
                length(&self.$first) + i64::from(self.$start)
            }
        }
    };
}

with_small_fields! { flat! {
    /// The small flat document.
    #[derive(Clone, Serialize, Deserialize, Document)]
    #[odm(collection = "small")]
    Small;
} }

with_small_fields! { flat! {
    /// The small flat document with a foreign key.
    #[derive(Clone, Serialize, Deserialize, Document)]
    #[odm(collection = "small_fk")]
    SmallFk, field_fk: Ref<Foreign> = |number| Ref::new(foreign_id(number));
} }

with_small_fields! { flat! {
    /// The same, as the bare driver reads it.
    #[derive(Clone, Serialize, Deserialize)]
    SmallFkRow, field_fk: ObjectId = foreign_id;
} }

/// What a foreign key leads to.
#[derive(Serialize, Deserialize, Document)]
#[odm(collection = "foreign")]
pub(super) struct Foreign {
    #[serde(rename = "_id")]
    id: ObjectId,
    name: String,
}

/// The id of the document that the foreign key of this number leads to.
pub(super) fn foreign_id(number: u32) -> ObjectId {
    object_id(FOREIGN + number)
}

macro_rules! large {
    (
        strings { $first:ident $($string:ident)* }
        numbers { $start:ident $($number:ident)* }
    ) => {
        /// The large flat document: 8 kB, or 3 MB with its image.
        #[derive(Clone, Serialize, Deserialize, Document)]
        #[odm(collection = "large")]
        pub(super) struct Large {
            #[serde(rename = "_id")]
            id: ObjectId,
            $first: String,
            $($string: String,)*
            $start: i32,
            $($number: i32,)*
            #[serde(skip_serializing_if = "Option::is_none")]
            image_field: Option<Binary>,
        }

        impl Sample for Large {
            const PATHS: [&'static str; 2] = [stringify!($first), stringify!($start)];

            fn numbered(number: u32) -> Self {
                let mut seed = Seed::new(TEXTS);
                Self {
                    id: object_id(number),
                    $first: seed.text(30),
                    $($string: seed.text(30),)*
                    $start: seed.below(1_000),
                    $($number: seed.below(1_000),)*
                    image_field: None,
                }
            }

            fn set_id(&mut self, id: ObjectId) {
                self.id = id;
            }

            fn set_image(&mut self, image: &[u8]) {
                let image = Binary { subtype: BinarySubtype::Generic, bytes: image.to_vec() };
                self.image_field = Some(image);
            }

            fn weight(&self) -> i64 {
                let image = self.image_field.as_ref().map_or(0, |image| image.bytes.len());
                length(&self.$first) + i64::from(self.$start) + image as i64
            }
        }
    };
}

with_large_fields! { large! {} }

macro_rules! strings {
    ($($field:ident)*) => {
        /// An embedded document of strings.
        #[derive(Clone, Serialize, Deserialize, Embedded)]
        pub(super) struct Strings {
            unique_id: String,
            $($field: String,)*
        }

        impl Strings {
            fn numbered(number: u32, place: u32) -> Self {
                let mut seed = Seed::new(TEXTS + place);
                Self { unique_id: unique_id(number, place), $($field: seed.text(30),)* }
            }
        }
    };
}

macro_rules! numbers {
    ($($field:ident)*) => {
        /// An embedded document of numbers.
        #[derive(Clone, Serialize, Deserialize, Embedded)]
        pub(super) struct Numbers {
            $($field: i32,)*
        }

        impl Numbers {
            fn at(place: u32) -> Self {
                let mut seed = Seed::new(TEXTS + place);
                Self { $($field: seed.below(1_000),)* }
            }
        }
    };
}

with_embedded_fields! { strings! {} }
with_embedded_fields! { numbers! {} }

/// The place of the first element of the array, after those of the five documents.
pub(super) const ARRAY: u32 = 6;

/// What the embedded document at this place is found by.
pub(super) fn unique_id(number: u32, place: u32) -> String {
    format!("{place}-{number:08}")
}

/// The large nested document.
#[derive(Clone, Serialize, Deserialize, Document)]
#[odm(collection = "nested")]
pub(super) struct Nested {
    #[serde(rename = "_id")]
    id: ObjectId,
    embedded_str_doc_1: Strings,
    embedded_str_doc_2: Strings,
    embedded_str_doc_3: Strings,
    embedded_str_doc_4: Strings,
    embedded_str_doc_5: Strings,
    embedded_str_doc_array: Vec<Strings>,
    embedded_int_doc_8: Numbers,
    embedded_int_doc_9: Numbers,
    embedded_int_doc_10: Numbers,
    embedded_int_doc_11: Numbers,
    embedded_int_doc_12: Numbers,
    embedded_int_doc_13: Numbers,
    embedded_int_doc_14: Numbers,
}

impl Sample for Nested {
    const PATHS: [&'static str; 2] = ["embedded_str_doc_1.field1", "embedded_int_doc_8.field1"];

    fn numbered(number: u32) -> Self {
        let strings = |place| Strings::numbered(number, place);
        Self {
            id: object_id(number),
            embedded_str_doc_1: strings(1),
            embedded_str_doc_2: strings(2),
            embedded_str_doc_3: strings(3),
            embedded_str_doc_4: strings(4),
            embedded_str_doc_5: strings(5),
            embedded_str_doc_array: (ARRAY..ARRAY + 5).map(strings).collect(),
            embedded_int_doc_8: Numbers::at(8),
            embedded_int_doc_9: Numbers::at(9),
            embedded_int_doc_10: Numbers::at(10),
            embedded_int_doc_11: Numbers::at(11),
            embedded_int_doc_12: Numbers::at(12),
            embedded_int_doc_13: Numbers::at(13),
            embedded_int_doc_14: Numbers::at(14),
        }
    }

    fn set_id(&mut self, id: ObjectId) {
        self.id = id;
    }

    fn weight(&self) -> i64 {
        length(&self.embedded_str_doc_1.field1) + i64::from(self.embedded_int_doc_8.field1)
    }
}

fn length(text: &str) -> i64 {
    text.len() as i64
}
