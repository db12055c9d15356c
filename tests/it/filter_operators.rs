//! Filters: what each operator becomes, and what the server finds by it.

use bson::{DateTime, doc};
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
    likes: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(rename = "sr")]
    serial: u32,
    when: DateTime,
    tags: Vec<String>,
    scores: Vec<i32>,
    comments: Vec<Comment>,
}

fn comment(who: &str, likes: i32) -> Comment {
    Comment { who: who.into(), likes }
}

fn post(id: i32, tags: &[&str], scores: &[i32], comments: Vec<Comment>) -> Post {
    let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
    let serial = u32::try_from(id).unwrap_or_default() * 10;
    Post {
        id,
        serial,
        when: DateTime::from_millis(id.into()),
        tags,
        scores: scores.into(),
        comments,
    }
}

fn posts() -> Vec<Post> {
    vec![
        post(1, &["a", "b"], &[70, 90], vec![comment("jane", 1), comment("joe", 5)]),
        post(2, &["b"], &[82], vec![comment("jane", 5)]),
        post(3, &[], &[], vec![]),
    ]
}

/// Each filter, the BSON it becomes, and the documents it finds.
fn table() -> Vec<(Filter<Post>, bson::Document, &'static [i32])> {
    let p = Post::fields();
    let when = DateTime::from_millis(2);
    vec![
        (p.serial().eq(20), doc! { "sr": 20_i64 }, &[2]),
        (p.serial().ne(20), doc! { "sr": { "$ne": 20_i64 } }, &[1, 3]),
        (p.serial().gt(20), doc! { "sr": { "$gt": 20_i64 } }, &[3]),
        (p.serial().gte(20), doc! { "sr": { "$gte": 20_i64 } }, &[2, 3]),
        (p.serial().lt(20), doc! { "sr": { "$lt": 20_i64 } }, &[1]),
        (p.when().lte(when), doc! { "when": { "$lte": when } }, &[1, 2]),
        (p.id().in_([1, 3]), doc! { "_id": { "$in": [1, 3] } }, &[1, 3]),
        (p.id().in_([0; 0]), doc! { "_id": { "$in": [] } }, &[]),
        (p.id().nin([1, 3]), doc! { "_id": { "$nin": [1, 3] } }, &[2]),
        (p.id().nin([0; 0]), doc! {}, &[1, 2, 3]),
        (!p.id().in_([0; 0]), doc! {}, &[1, 2, 3]),
        (!!(p.id().eq(1) & p.serial().eq(10)), doc! { "_id": 1, "sr": 10_i64 }, &[1]),
        (p.id().gt(1) & p.id().lt(3), doc! { "_id": { "$gt": 1, "$lt": 3 } }, &[2]),
        (p.id().eq(1) & p.id().eq(2), doc! { "$and": [{ "_id": 1 }, { "_id": 2 }] }, &[]),
        (
            p.tags().contains("a") & p.tags().contains("b"),
            doc! { "$and": [{ "tags": "a" }, { "tags": "b" }] },
            &[1],
        ),
        (p.id().eq(1) & p.serial().eq(10), doc! { "_id": 1, "sr": 10_i64 }, &[1]),
        (p.id().eq(1) | p.id().eq(2), doc! { "$or": [{ "_id": 1 }, { "_id": 2 }] }, &[1, 2]),
        (!p.id().eq(1), doc! { "_id": { "$ne": 1 } }, &[2, 3]),
        (!p.id().gt(1), doc! { "_id": { "$not": { "$gt": 1 } } }, &[1]),
        (!!p.id().gt(1), doc! { "$nor": [{ "_id": { "$not": { "$gt": 1 } } }] }, &[2, 3]),
        (
            !(p.id().eq(1) | p.id().eq(2)),
            doc! { "$nor": [{ "$or": [{ "_id": 1 }, { "_id": 2 }] }] },
            &[3],
        ),
        (
            Filter::and([p.id().gt(1), p.serial().lt(30)]),
            doc! { "_id": { "$gt": 1 }, "sr": { "$lt": 30_i64 } },
            &[2],
        ),
        (Filter::or([]), doc! { "$nor": [{}] }, &[]),
        (
            Filter::nor([p.id().eq(1), p.id().eq(2)]),
            doc! { "$nor": [{ "_id": 1 }, { "_id": 2 }] },
            &[3],
        ),
        (Filter::nor([]), doc! {}, &[1, 2, 3]),
        (p.tags().contains("b"), doc! { "tags": "b" }, &[1, 2]),
        (!p.tags().contains("a"), doc! { "tags": { "$ne": "a" } }, &[2, 3]),
        (p.tags().eq(["b"]), doc! { "tags": ["b"] }, &[2]),
        (p.tags().all(["a", "b"]), doc! { "tags": { "$all": ["a", "b"] } }, &[1]),
        (p.tags().size(1), doc! { "tags": { "$size": 1_i64 } }, &[2]),
        (p.tags().at(0).eq("b"), doc! { "tags.0": "b" }, &[2]),
        (p.tags().any().in_(["a"]), doc! { "tags": { "$in": ["a"] } }, &[1]),
        (p.scores().any().gt(80), doc! { "scores": { "$gt": 80 } }, &[1, 2]),
        (
            p.scores().elem_match(|score| score.gte(80) & score.lt(85)),
            doc! { "scores": { "$elemMatch": { "$gte": 80, "$lt": 85 } } },
            &[2],
        ),
        (
            p.scores().elem_match(|score| score.eq(70)),
            doc! { "scores": { "$elemMatch": { "$eq": 70 } } },
            &[1],
        ),
        (p.comments().who().eq("jane"), doc! { "comments.who": "jane" }, &[1, 2]),
        (
            p.comments().who().eq("jane") & p.comments().likes().eq(5),
            doc! { "comments.who": "jane", "comments.likes": 5 },
            &[1, 2],
        ),
        (
            p.comments().elem_match(|c| c.who().eq("jane") & c.likes().eq(5)),
            doc! { "comments": { "$elemMatch": { "who": "jane", "likes": 5 } } },
            &[2],
        ),
        (
            p.comments().contains(comment("jane", 5)),
            doc! { "comments": { "$eq": { "who": "jane", "likes": 5 } } },
            &[2],
        ),
        (Filter::raw(doc! { "sr": { "$mod": [20, 0] } }), doc! { "sr": { "$mod": [20, 0] } }, &[2]),
    ]
}

#[test]
fn each_filter_becomes_the_servers_words() -> TestResult {
    for (filter, expected, _) in table() {
        assert_eq!(filter.into_document()?, expected);
    }
    Ok(())
}

#[test]
fn each_filter_finds_what_it_says() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Post>();
        collection.insert_many(posts()).await?;
        for (filter, document, expected) in table() {
            let found = collection.find(filter).sort(Post::fields().id().asc()).await?;
            let ids: Vec<_> = found.iter().map(|post| post.id).collect();
            assert_eq!(ids, expected, "{document}");
        }
        Ok(())
    })
}

/// SD1814: a renamed field has its stored name in filters, sorts and projections.
#[test]
fn a_renamed_field_has_its_stored_name_everywhere() -> TestResult {
    #[derive(Debug, PartialEq, Deserialize, View)]
    #[odm(of = Post)]
    struct Serial {
        #[serde(rename = "sr")]
        serial: u32,
    }
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Post>();
        collection.insert_many(posts()).await?;
        let serial = Post::fields().serial();
        let find = collection.find(serial.gte(20)).sort(serial.desc()).project::<Serial>();
        let (found, sent) = kit.commands(find).await;
        assert_eq!(found?, [Serial { serial: 30 }, Serial { serial: 20 }]);
        let body = &sent[0].body;
        assert_eq!(body.get_document("sort")?, &doc! { "sr": -1 });
        assert_eq!(body.get_document("projection")?, &doc! { "sr": 1, "_id": 0 });
        assert_eq!(body.get_document("filter")?, &doc! { "sr": { "$gte": 20_i64 } });
        Ok(())
    })
}

#[test]
fn conditions_on_a_plain_element_are_told_apart() {
    let scores = Post::fields().scores();
    let error = |filter: Filter<Post>| filter.into_document().err().map(|error| error.to_string());
    let twice = error(scores.elem_match(|score| score.gt(1) & score.gt(2)));
    assert!(twice.is_some_and(|message| message.contains("each operator once")));
    let either = error(scores.elem_match(|score| score.lt(3) | score.gt(7)));
    assert!(either.is_some_and(|message| message.contains("joined by `&`")));
}

stored_like_serde!(posts()[0].clone(), posts()[2].clone());
