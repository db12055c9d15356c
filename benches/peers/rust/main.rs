//! The tasks by OxiMod: started by `odm-bench`, told one task a line, answers one line for each.

#[macro_use]
#[path = "../../src/work/odm/fields.rs"]
mod fields;

use std::env;
use std::error::Error;
use std::fs;
use std::io;
use std::time::Instant;

use mongodb::bson::oid::ObjectId;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, doc};
use oximod::{Model, OxiClient, Queryable};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Outcome<T = ()> = std::result::Result<T, Box<dyn Error>>;

const UPDATED: &str = "updated_value";
const FOREIGN: u32 = 1_000_000;

macro_rules! flat {
    (
        $(#[$attribute:meta])*
        $name:ident $(, $(#[$of_key:meta])* $key:ident: $type:ty)*;
        strings { $($string:ident)* }
        numbers { $($number:ident)* }
    ) => {
        $(#[$attribute])*
        struct $name {
            #[serde(skip_serializing_if = "Option::is_none")]
            _id: Option<ObjectId>,
            $($string: String,)*
            $($number: i32,)*
            $($(#[$of_key])* $key: $type,)*
        }
    };
}

with_small_fields! { flat! {
    #[derive(Clone, Debug, Serialize, Deserialize, Model)]
    #[db("odm_bench_odm")]
    #[collection("small")]
    Small;
} }

with_small_fields! { flat! {
    #[derive(Clone, Debug, Serialize, Deserialize, Model)]
    #[db("odm_bench_odm")]
    #[collection("small_fk")]
    SmallFk, field_fk: ObjectId;
} }

with_large_fields! { flat! {
    #[derive(Clone, Debug, Serialize, Deserialize, Model)]
    #[db("odm_bench_odm")]
    #[collection("large")]
    Large, #[serde(skip_serializing_if = "Option::is_none")] image_field: Option<Binary>;
} }

macro_rules! strings {
    ($($field:ident)*) => {
        #[derive(Clone, Debug, Serialize, Deserialize, Model)]
        #[model(embedded)]
        struct Strings {
            unique_id: String,
            $($field: String,)*
        }
    };
}

macro_rules! numbers {
    ($($field:ident)*) => {
        #[derive(Clone, Debug, Serialize, Deserialize, Model)]
        #[model(embedded)]
        struct Numbers {
            $($field: i32,)*
        }
    };
}

with_embedded_fields! { strings! {} }
with_embedded_fields! { numbers! {} }

#[derive(Clone, Debug, Serialize, Deserialize, Model)]
#[db("odm_bench_odm")]
#[collection("nested")]
struct Nested {
    #[serde(skip_serializing_if = "Option::is_none")]
    _id: Option<ObjectId>,
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

#[derive(Deserialize)]
struct Order {
    verb: String,
    model: String,
    field: String,
    count: u32,
    image: usize,
}

fn object_id(number: u32) -> ObjectId {
    let mut bytes = [0x65; 12];
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    ObjectId::from_bytes(bytes)
}

fn template<T: DeserializeOwned>(name: &str) -> Outcome<T> {
    let path = format!("{}/{name}.json", env::var("ODM_BENCH_DATA")?);
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

fn answer(started: Instant, documents: u32, sum: i64) -> Value {
    let ms = started.elapsed().as_secs_f64() * 1e3;
    json!({ "ms": ms, "documents": documents, "sum": sum })
}

async fn create<T: Model + Clone>(template: T, count: u32) -> Outcome<Value> {
    let started = Instant::now();
    for _ in 0..count {
        template.clone().save().await?;
    }
    Ok(answer(started, 0, 0))
}

async fn update<T: Model>(order: &Order) -> Outcome<Value> {
    let started = Instant::now();
    for number in 0..order.count {
        T::update_by_id(object_id(number), doc! { "$set": { &order.field: UPDATED } }).await?;
    }
    Ok(answer(started, 0, 0))
}

/// Finds each document by a typed filter.
macro_rules! find {
    ($order:expr, $model:ty, |$m:ident, $number:ident| $filter:expr, |$found:ident| $weight:expr) => {{
        let started = Instant::now();
        let (mut documents, mut sum) = (0, 0_i64);
        for $number in 0..$order.count {
            let found = <$model>::query().filter(|$m| $filter).first().await?;
            if let Some($found) = found {
                documents += 1;
                sum += $weight;
            }
        }
        answer(started, documents, sum)
    }};
}

fn weight_of(text: &str, number: i32) -> i64 {
    text.len() as i64 + i64::from(number)
}

fn weight_of_large(large: &Large) -> i64 {
    let image = large.image_field.as_ref().map_or(0, |image| image.bytes.len());
    weight_of(&large.field1, large.field126) + image as i64
}

fn weight_of_nested(nested: &Nested) -> i64 {
    weight_of(&nested.embedded_str_doc_1.field1, nested.embedded_int_doc_8.field1)
}

async fn carry_out(order: &Order) -> Outcome<Value> {
    let unique = |place: u32, number: u32| format!("{place}-{number:08}");
    Ok(match (order.verb.as_str(), order.model.as_str(), order.field.as_str()) {
        ("create", "small", _) => create(template::<Small>("small")?, order.count).await?,
        ("create", "nested", _) => create(template::<Nested>("nested")?, order.count).await?,
        ("create", "large", _) => {
            let mut large: Large = template("large")?;
            if order.image > 0 {
                let bytes = (0..order.image).map(|place| (place % 251) as u8).collect();
                large.image_field = Some(Binary { subtype: BinarySubtype::Generic, bytes });
            }
            create(large, order.count).await?
        }
        ("update", "small", _) => update::<Small>(order).await?,
        ("update", "large", _) => update::<Large>(order).await?,
        ("update", "nested", _) => update::<Nested>(order).await?,
        ("find", "small", _) => find!(
            order,
            Small,
            |m, number| m._id.eq(object_id(number)),
            |found| weight_of(&found.field1, found.field8)
        ),
        ("find", "small_fk", _) => find!(
            order,
            SmallFk,
            |m, number| m.field_fk.eq(object_id(FOREIGN + number)),
            |found| weight_of(&found.field1, found.field8)
        ),
        ("find", "large", _) => find!(
            order,
            Large,
            |m, number| m._id.eq(object_id(number)),
            |found| weight_of_large(&found)
        ),
        ("find", "nested", "embedded_str_doc_1.unique_id") => find!(
            order,
            Nested,
            |m, number| m.embedded_str_doc_1.nested(|s| s.unique_id.eq(unique(1, number))),
            |found| weight_of_nested(&found)
        ),
        ("find", "nested", _) => find!(
            order,
            Nested,
            |m, number| {
                m.embedded_str_doc_array.elem_match_nested(|s| s.unique_id.eq(unique(6, number)))
            },
            |found| weight_of_nested(&found)
        ),
        (verb, model, _) => return Err(format!("no task {verb} of {model}").into()),
    })
}

#[tokio::main]
async fn main() -> Outcome {
    OxiClient::init_global(env::var("ODM_BENCH_URI")?).await?;
    println!("{}", json!({ "name": "OxiMod", "version": env::var("ODM_BENCH_OXIMOD")? }));
    for line in io::stdin().lines() {
        let order: Order = serde_json::from_str(&line?)?;
        println!("{}", carry_out(&order).await?);
    }
    Ok(())
}
