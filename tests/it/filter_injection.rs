//! Operators in values from outside: JSON that a client sends never acts as a condition.

use std::collections::HashMap;

use bson::{Bson, Document as BsonDocument, doc};
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Part {
    name: Bson,
    data: BsonDocument,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "accounts")]
struct Account {
    #[serde(rename = "_id")]
    id: Bson,
    token: Bson,
    profile: BsonDocument,
    list: Vec<Bson>,
    documents: Vec<BsonDocument>,
    parts: Vec<Part>,
    scores: HashMap<String, Bson>,
    #[odm(opaque)]
    extra: serde_json::Value,
}

fn account(id: &str) -> Account {
    let part = Part { name: "wheel".into(), data: doc! { "a": 1 } };
    Account {
        id: id.into(),
        token: "secret".into(),
        profile: doc! { "a": 1 },
        list: vec!["x".into()],
        documents: vec![doc! { "a": 1 }],
        parts: vec![part],
        scores: HashMap::from([("en".to_owned(), 1.into())]),
        extra: serde_json::json!({ "a": 1 }),
    }
}

/// What a request could hold, each of which would match every account as a condition.
const SMUGGLED: [&str; 8] = [
    r#"{ "$ne": null }"#,
    r#"{ "$exists": true }"#,
    r#"{ "$gt": "" }"#,
    r#"{ "$not": { "$eq": "none" } }"#,
    r#"{ "$nin": [] }"#,
    r#"{ "$elemMatch": { "$exists": true } }"#,
    r#"{ "$regex": "^", "$options": "" }"#,
    r#"{ "$where": "true" }"#,
];

/// Each operator with the value in each kind of field.
fn equalities(value: &BsonDocument, json: &serde_json::Value) -> Vec<Filter<Account>> {
    let a = Account::fields();
    let any = Bson::Document(value.clone());
    let part = Part { name: any.clone(), data: value.clone() };
    vec![
        a.id().eq(any.clone()),
        a.id().in_([any.clone()]),
        a.token().eq(any.clone()),
        a.token().in_([any.clone(), Bson::Null]),
        a.profile().eq(value),
        a.profile().in_([value.clone()]),
        a.list().contains(any.clone()),
        a.list().all([any.clone()]),
        a.list().eq([any.clone()]),
        a.list().any().eq(any.clone()),
        a.list().at(0).eq(any.clone()),
        a.list().elem_match(|element| element.eq(any.clone())),
        a.documents().contains(value),
        a.documents().all([value.clone()]),
        a.documents().elem_match(|element| element.eq(value)),
        a.parts().contains(part.clone()),
        a.parts().eq([part]),
        a.parts().name().eq(any.clone()),
        a.parts().elem_match(|part| part.data().eq(value)),
        a.parts().all_elem_match(|part| [part.name().eq(any.clone())]),
        a.scores().eq(HashMap::from([("en".to_owned(), any.clone())])),
        a.scores().key("en").eq(any.clone()),
        a.scores().key("en").in_([any]),
        a.extra().eq(json),
        a.extra().in_([json.clone()]),
    ]
}

#[test]
fn json_from_outside_matches_only_what_is_stored_so() -> TestResult {
    odm_testkit::run(async |kit| {
        let accounts = database(&kit).collection::<Account>();
        accounts.insert_many([account("a"), account("b")]).await?;
        let a = Account::fields();
        for smuggled in SMUGGLED {
            let json: serde_json::Value = serde_json::from_str(smuggled)?;
            // `{"$regex": …, "$options": …}` is how extended JSON writes a regular expression.
            let value: Bson = serde_json::from_str(smuggled)?;
            let document = match &value {
                Bson::Document(document) => document.clone(),
                _ => doc! { "$regex": "^", "$options": "" },
            };
            for filter in equalities(&document, &json) {
                let shown = filter.to_string();
                assert_eq!(accounts.count_documents(filter.clone()).await?, 0, "{shown}");
                assert_eq!(accounts.delete_one(filter.clone()).await?.deleted_count, 0, "{shown}");
                assert_eq!(accounts.count_documents(!filter).await?, 2, "{shown}");
            }
            for filter in [
                a.token().eq(value.clone()),
                a.list().contains(value.clone()),
                a.list().all([value.clone()]),
                a.token().in_([value.clone()]),
                a.list().elem_match(|element| element.eq(value.clone())),
            ] {
                let shown = filter.to_string();
                assert_eq!(accounts.count_documents(filter).await?, 0, "{shown}");
            }
            for filter in [
                a.token().ne(value.clone()),
                a.token().nin([value.clone()]),
                a.list().any().ne(value.clone()),
                a.profile().ne(&document),
                a.profile().nin([document.clone()]),
                a.extra().ne(json),
            ] {
                let shown = filter.to_string();
                assert_eq!(accounts.count_documents(filter).await?, 2, "{shown}");
            }
            assert_eq!(accounts.get(value.clone()).await?, None);

            // `$in` would read the value as a condition, and in `$elemMatch` nothing stands for it.
            let filter = a.list().elem_match(|element| element.in_([value.clone()]));
            let (found, sent) = kit.commands(accounts.find(filter)).await;
            let error = found.err().ok_or("accepted")?;
            assert_eq!(error.kind(), odm::ErrorKind::InvalidArgument);
            assert!(sent.is_empty(), "{sent}");
        }
        Ok(())
    })
}

/// As keys of a map they are no paths, and whatever a text holds is text.
#[test]
fn names_and_texts_from_outside_are_no_operators() -> TestResult {
    odm_testkit::run(async |kit| {
        let accounts = database(&kit).collection::<Account>();
        accounts.insert_one(account("a")).await?;
        let scores = Account::fields().scores();
        for key in ["$ne", "$where", "en.$gt", ""] {
            let (found, sent) = kit.commands(accounts.find(scores.key(key).eq(1))).await;
            let error = found.err().ok_or("accepted")?;
            assert_eq!(error.kind(), odm::ErrorKind::InvalidArgument);
            assert!(sent.is_empty(), "{sent}");
        }
        let a = Account::fields();
        for text in [".*", "^", "$where", "$$ROOT", "a|b"] {
            for filter in [
                a.token().eq(text),
                a.token().starts_with(text),
                a.token().contains_str(text),
                a.token().ends_with(text),
                a.list().contains(text),
            ] {
                let shown = filter.to_string();
                assert_eq!(accounts.count_documents(filter).await?, 0, "{shown}");
            }
        }
        Ok(())
    })
}
