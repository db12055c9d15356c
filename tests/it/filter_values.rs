//! Values never act as operators, wherever they stand.

use std::collections::HashMap;

use bson::{Bson, Document as BsonDocument, Regex, doc};
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: i32,
    data: BsonDocument,
    any: Bson,
    pattern: Regex,
    list: Vec<Bson>,
    documents: Vec<BsonDocument>,
    map: HashMap<String, i64>,
}

fn regex(pattern: impl Into<String>) -> TestResult<Regex> {
    Ok(Regex { pattern: pattern.into().try_into()?, options: String::new().try_into()? })
}

fn item(id: i32) -> TestResult<Item> {
    Ok(Item {
        id,
        data: doc! { "a": id },
        any: Bson::from(format!("text {id}")),
        pattern: regex(format!("^{id}"))?,
        list: vec![],
        documents: vec![],
        map: HashMap::new(),
    })
}

/// What a request could smuggle in: it must match what is stored so, and nothing else.
#[test]
fn documents_and_patterns_match_only_themselves() -> TestResult {
    odm_testkit::run(async |kit| {
        let items = database(&kit).collection::<Item>();
        items.insert_many([item(1)?, item(2)?]).await?;
        let i = Item::fields();
        let operator = doc! { "$ne": null };
        let pattern = regex(".*")?;
        let regex = Bson::RegularExpression(pattern.clone());
        let smuggled = [
            i.data().eq(&operator),
            i.data().in_([operator.clone()]),
            i.any().eq(Bson::Document(operator.clone())),
            i.any().eq(regex.clone()),
            i.any().in_([regex.clone(), Bson::Null]),
            i.any().in_([Bson::Document(operator.clone())]),
            i.list().contains(regex.clone()),
            i.list().all([regex.clone()]),
            i.list().all([Bson::Document(doc! { "$elemMatch": { "$exists": true } })]),
            i.documents().contains(doc! { "$gt": 0 }),
            i.documents().elem_match(|_| Filter::raw(doc! { "x": 1 })),
            i.pattern().eq(&pattern),
            i.pattern().in_([pattern.clone()]),
        ];
        for filter in smuggled {
            let shown = filter.to_string();
            assert_eq!(items.count_documents(filter).await?, 0, "{shown}");
        }
        for filter in [i.any().ne(regex.clone()), i.any().nin([regex]), i.data().ne(&operator)] {
            let shown = filter.to_string();
            assert_eq!(items.count_documents(filter).await?, 2, "{shown}");
        }
        let one = item(1)?;
        for filter in [
            i.pattern().eq(&one.pattern),
            i.pattern().in_([one.pattern.clone()]),
            i.data().eq(&one.data),
            i.data().in_([one.data.clone()]),
        ] {
            let shown = filter.to_string();
            assert_eq!(items.count_documents(filter).await?, 1, "{shown}");
        }
        Ok(())
    })
}

/// In updates too: what looks like a modifier is stored as it is, or refused by the server.
#[test]
fn documents_in_updates_are_values() -> TestResult {
    odm_testkit::run(async |kit| {
        let items = database(&kit).collection::<Item>();
        items.insert_one(item(1)?).await?;
        let i = Item::fields();
        let modifier = doc! { "$each": [1, 2, 3] };
        let one = || i.id().eq(1);
        items.update_one(one(), i.documents().push(modifier.clone())).await?;
        items.update_one(one(), i.documents().add_to_set(doc! { "$each": [] })).await?;
        items.update_one(one(), i.documents().push(doc! { "$gt": 0 })).await?;
        let stored = items.get(1).await?.ok_or("gone")?.documents;
        assert_eq!(stored, [modifier.clone(), doc! { "$each": [] }, doc! { "$gt": 0 }]);

        // A condition would remove the other two as well.
        items.update_one(one(), i.documents().pull(doc! { "$gt": 0 })).await?;
        assert_eq!(items.get(1).await?.ok_or("gone")?.documents.len(), 2);
        items
            .update_one(
                one(),
                i.list().push_each([Bson::from("abc"), Bson::RegularExpression(regex("b")?)]),
            )
            .await?;
        items.update_one(one(), i.list().pull(Bson::RegularExpression(regex("b")?))).await?;
        assert_eq!(items.get(1).await?.ok_or("gone")?.list, [Bson::from("abc")]);
        Ok(())
    })
}

/// MG7470: keys with `.` or `$` go in and come back as they are; a path to such a key is refused.
#[test]
fn map_keys_are_exact_or_refused() -> TestResult {
    odm_testkit::run(async |kit| {
        let items = database(&kit).collection::<Item>();
        let i = Item::fields();
        let keys = ["a.b", "$x", "plain"];
        let map: HashMap<_, _> = keys.iter().map(|&key| (key.to_owned(), 1_i64)).collect();
        items.insert_one(Item { map: map.clone(), ..item(1)? }).await?;
        assert_eq!(items.get(1).await?.map(|item| item.map), Some(map));

        items.update_one(i.id().eq(1), i.map().key("plain").inc(1)).await?;
        assert_eq!(items.count_documents(i.map().key("plain").eq(2)).await?, 1);
        for key in ["a.b", "$x", "", "nul\0"] {
            let (updated, sent) =
                kit.commands(items.update_one(i.id().eq(1), i.map().key(key).inc(1))).await;
            let error = updated.err().ok_or("accepted")?;
            assert_eq!(
                (error.kind(), error.path()),
                (odm::ErrorKind::InvalidArgument, Some("map"))
            );
            assert!(sent.is_empty(), "{sent}");
            assert!(items.find(i.map().key(key).eq(1)).await.is_err());
            assert!(items.find(Filter::new()).sort(i.map().key(key).asc()).await.is_err());
        }
        let stored = items.get(1).await?.ok_or("gone")?.map;
        assert_eq!((stored["a.b"], stored["$x"], stored["plain"]), (1, 1, 2));
        Ok(())
    })
}

stored_like_serde!(item(1)?);
