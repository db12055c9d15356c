//! Values in updates: they are stored as they are, and never act as operators or modifiers.

use bson::{Bson, doc};
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "settings")]
struct Setting {
    #[serde(rename = "_id")]
    id: i32,
    value: Bson,
    list: Vec<Bson>,
    documents: Vec<bson::Document>,
}

fn setting() -> Setting {
    Setting { id: 1, value: Bson::Null, list: vec![1.into(), "b".into()], documents: vec![] }
}

/// What a request could bring.
fn hostile() -> Vec<bson::Document> {
    vec![
        doc! { "$ne": null },
        doc! { "$each": [1, 2] },
        doc! { "$each": [1], "$slice": 0 },
        doc! { "$gt": 0 },
        doc! { "$in": [1, "b"] },
        doc! { "$inc": 1 },
        doc! { "$literal": "x" },
        doc! { "a": { "$ne": 1 }, "b.c": "$value" },
    ]
}

#[test]
fn documents_never_act_as_operators() -> TestResult {
    odm_testkit::run(async |kit| {
        let settings = database(&kit).collection::<Setting>();
        let s = Setting::fields();
        for document in hostile() {
            let value = Bson::from(document.clone());
            let mut list = setting().list;
            let one_more = {
                list.push(value.clone());
                list.clone()
            };
            let kept = || setting().list;
            for (update, expected) in [
                (s.value().set(value.clone()), Setting { value: value.clone(), ..setting() }),
                (s.list().set([value.clone()]), Setting { list: vec![value.clone()], ..setting() }),
                (
                    s.list().at(0).set(value.clone()),
                    Setting { list: vec![value.clone(), "b".into()], ..setting() },
                ),
                (s.value().max(value.clone()), Setting { value: value.clone(), ..setting() }),
                (s.list().push(value.clone()), Setting { list: one_more.clone(), ..setting() }),
                (
                    s.list().push_each([value.clone()]),
                    Setting { list: one_more.clone(), ..setting() },
                ),
                (
                    s.list().push_each_with([value.clone()], |push| push.slice(3)),
                    Setting { list: one_more.clone(), ..setting() },
                ),
                (
                    s.list().add_to_set(value.clone()),
                    Setting { list: one_more.clone(), ..setting() },
                ),
                (s.list().pull(value.clone()), Setting { list: kept(), ..setting() }),
                (s.list().pull_all([value.clone()]), Setting { list: kept(), ..setting() }),
                (
                    s.list().pull_where(|e| e.eq(value.clone())),
                    Setting { list: kept(), ..setting() },
                ),
                (s.list().filtered("e", |e| e.eq(value.clone())).set(Bson::Null), setting()),
                (
                    s.documents().push(document.clone()),
                    Setting { documents: vec![document.clone()], ..setting() },
                ),
                (
                    s.documents().add_to_set(document.clone()),
                    Setting { documents: vec![document.clone()], ..setting() },
                ),
            ] {
                settings.insert_one(setting()).await?;
                let text = update.to_string();
                settings.update_one(s.id().eq(1), update).await?;
                assert_eq!(settings.get(1).await?, Some(expected), "{text}");
                settings.delete_one(s.id().eq(1)).await?;
            }
        }
        Ok(())
    })
}

/// What was put in is taken out again, and nothing else is.
#[test]
fn pulling_a_value_removes_that_value() -> TestResult {
    odm_testkit::run(async |kit| {
        let settings = database(&kit).collection::<Setting>();
        let s = Setting::fields();
        let regex = Bson::RegularExpression(bson::Regex {
            pattern: bson::raw::cstr!("b").to_owned(),
            options: bson::raw::cstr!("").to_owned(),
        });
        let values = hostile().into_iter().map(Bson::from).chain([regex, "$value".into()]);
        for value in values {
            for by in ["pull", "pull_all", "pull_where"] {
                let mut list = setting().list;
                list.push(value.clone());
                settings.insert_one(Setting { list, ..setting() }).await?;
                let pull = match by {
                    "pull" => s.list().pull(value.clone()),
                    "pull_all" => s.list().pull_all([value.clone()]),
                    _ => s.list().pull_where(|e| e.eq(value.clone())),
                };
                settings.update_one(s.id().eq(1), pull).await?;
                assert_eq!(settings.get(1).await?, Some(setting()), "{by} {value}");
                settings.delete_one(s.id().eq(1)).await?;
            }
        }
        Ok(())
    })
}

stored_like_serde!(Setting { value: 1.into(), documents: vec![doc! { "a": 1 }], ..setting() });
