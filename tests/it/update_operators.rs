//! Updates: what each operator becomes, and what the server makes of it.

use bson::doc;
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
    title: Option<String>,
    subtitle: Option<String>,
    votes: u32,
    flags: i16,
    rating: f64,
    tags: Vec<String>,
    comments: Vec<Comment>,
}

fn comment(who: &str, likes: i32) -> Comment {
    Comment { who: who.into(), likes }
}

fn post() -> Post {
    Post {
        id: 1,
        title: Some("old".into()),
        subtitle: None,
        votes: 5,
        flags: 0b0110,
        rating: 1.0,
        tags: vec!["a".into(), "b".into()],
        comments: vec![comment("jane", 1), comment("joe", 2)],
    }
}

type Change = fn(&mut Post);

/// Each update, the BSON it becomes, and what it does to [`post`].
fn table() -> Vec<(Update<Post>, bson::Document, Change)> {
    let p = Post::fields();
    vec![
        (p.title().set("new"), doc! { "$set": { "title": "new" } }, |p| {
            p.title = Some("new".into());
        }),
        (p.title().set(None), doc! { "$set": { "title": null } }, |p| p.title = None),
        (p.title().unset(), doc! { "$unset": { "title": true } }, |p| p.title = None),
        (p.votes().inc(-2), doc! { "$inc": { "votes": -2_i64 } }, |p| p.votes = 3),
        (p.rating().inc(1), doc! { "$inc": { "rating": 1.0 } }, |p| p.rating = 2.0),
        (p.votes().mul(3), doc! { "$mul": { "votes": 3_i64 } }, |p| p.votes = 15),
        (p.rating().mul(2), doc! { "$mul": { "rating": 2.0 } }, |p| p.rating = 2.0),
        (p.votes().min(3_u32), doc! { "$min": { "votes": 3_i64 } }, |p| p.votes = 3),
        (p.votes().max(3_u32), doc! { "$max": { "votes": 3_i64 } }, |_| {}),
        (p.title().max("z"), doc! { "$max": { "title": "z" } }, |p| p.title = Some("z".into())),
        (p.flags().bit_and(0b0011_i16), doc! { "$bit": { "flags": { "and": 3 } } }, |p| {
            p.flags = 0b0010;
        }),
        (p.flags().bit_or(0b0001_i16), doc! { "$bit": { "flags": { "or": 1 } } }, |p| {
            p.flags = 0b0111;
        }),
        (p.votes().bit_xor(0b1111_u32), doc! { "$bit": { "votes": { "xor": 15_i64 } } }, |p| {
            p.votes = 0b1010;
        }),
        (p.title().rename(&p.subtitle()), doc! { "$rename": { "title": "subtitle" } }, |p| {
            p.subtitle = p.title.take();
        }),
        (
            p.title().set_on_insert("inserted") + p.votes().inc(1),
            doc! { "$setOnInsert": { "title": "inserted" }, "$inc": { "votes": 1_i64 } },
            |p| p.votes = 6,
        ),
        (p.tags().push("c"), doc! { "$push": { "tags": "c" } }, |p| p.tags.push("c".into())),
        (
            p.tags().push_each(["c", "d"]),
            doc! { "$push": { "tags": { "$each": ["c", "d"] } } },
            |p| p.tags.extend(["c".into(), "d".into()]),
        ),
        (
            p.comments().push(comment("ann", 0)),
            doc! { "$push": { "comments": { "$each": [{ "who": "ann", "likes": 0 }] } } },
            |p| p.comments.push(comment("ann", 0)),
        ),
        (
            p.tags().push_each_with(["x", "y"], |push| push.position(1)),
            doc! { "$push": { "tags": { "$each": ["x", "y"], "$position": 1 } } },
            |p| p.tags = ["a", "x", "y", "b"].map(String::from).into(),
        ),
        (
            p.tags().push_each_with(["c"], |push| push.sort(|tag| tag.desc()).slice(2)),
            doc! { "$push": { "tags": { "$each": ["c"], "$sort": -1, "$slice": 2 } } },
            |p| p.tags = ["c", "b"].map(String::from).into(),
        ),
        (
            p.comments().push_each_with([comment("ann", 2)], |push| {
                push.sort(|c| c.likes().desc() + c.who().asc()).slice(-2)
            }),
            doc! { "$push": { "comments": {
                "$each": [{ "who": "ann", "likes": 2 }], "$sort": { "likes": -1, "who": 1 },
                "$slice": -2,
            } } },
            |p| p.comments = vec![comment("joe", 2), comment("jane", 1)],
        ),
        (
            p.tags().push_each_with(Vec::<String>::new(), |push| push.slice(0)),
            doc! { "$push": { "tags": { "$each": [], "$slice": 0 } } },
            |p| p.tags = vec![],
        ),
        (p.tags().pop_first(), doc! { "$pop": { "tags": -1 } }, |p| drop(p.tags.remove(0))),
        (p.tags().pop_last(), doc! { "$pop": { "tags": 1 } }, |p| drop(p.tags.pop())),
        (p.tags().pull_all(["a", "z"]), doc! { "$pullAll": { "tags": ["a", "z"] } }, |p| {
            p.tags = vec!["b".into()];
        }),
        (
            p.comments().pull_all([comment("jane", 1)]),
            doc! { "$pullAll": { "comments": [{ "who": "jane", "likes": 1 }] } },
            |p| drop(p.comments.remove(0)),
        ),
        (p.tags().pull("a"), doc! { "$pull": { "tags": "a" } }, |p| p.tags = vec!["b".into()]),
        (
            p.comments().pull(comment("jane", 1)),
            doc! { "$pull": { "comments": { "$eq": { "who": "jane", "likes": 1 } } } },
            |p| drop(p.comments.remove(0)),
        ),
        (
            p.comments().pull_where(|c| c.likes().gt(1)),
            doc! { "$pull": { "comments": { "likes": { "$gt": 1 } } } },
            |p| drop(p.comments.remove(1)),
        ),
        (
            p.tags().pull_where(|tag| tag.gte("b")),
            doc! { "$pull": { "tags": { "$gte": "b" } } },
            |p| drop(p.tags.remove(1)),
        ),
        (p.tags().add_to_set("a"), doc! { "$addToSet": { "tags": "a" } }, |_| {}),
        (
            p.tags().add_to_set_each(["a", "c"]),
            doc! { "$addToSet": { "tags": { "$each": ["a", "c"] } } },
            |p| p.tags.push("c".into()),
        ),
        (p.tags().at(1).set("z"), doc! { "$set": { "tags.1": "z" } }, |p| p.tags[1] = "z".into()),
        (p.comments().at(0).likes().inc(4), doc! { "$inc": { "comments.0.likes": 4 } }, |p| {
            p.comments[0].likes = 5;
        }),
        (
            p.comments().all_elements().likes().set(9),
            doc! { "$set": { "comments.$[].likes": 9 } },
            |p| p.comments.iter_mut().for_each(|c| c.likes = 9),
        ),
        (p.comments().matched().likes().set(9), doc! { "$set": { "comments.$.likes": 9 } }, |p| {
            p.comments[1].likes = 9;
        }),
        (
            p.votes().inc(1) + p.tags().push("v") + p.title().set("both") + p.rating().set(3.5),
            doc! {
                "$inc": { "votes": 1_i64 }, "$push": { "tags": "v" },
                "$set": { "title": "both", "rating": 3.5 },
            },
            |p| {
                p.votes = 6;
                p.tags.push("v".into());
                p.title = Some("both".into());
                p.rating = 3.5;
            },
        ),
        (
            Update::raw(doc! { "$mul": { "votes": 2_i64 } }),
            doc! { "$mul": { "votes": 2_i64 } },
            |p| p.votes = 10,
        ),
    ]
}

#[test]
fn each_update_becomes_the_servers_words() -> TestResult {
    for (update, expected, _) in table() {
        assert_eq!(update.into_document()?, expected);
    }
    Ok(())
}

#[test]
fn each_update_does_what_it_says() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        let p = Post::fields();
        for (update, document, change) in table() {
            posts.insert_one(post()).await?;
            let filter = p.id().eq(1) & p.comments().who().eq("joe");
            posts.update_one(filter, update).await?;
            let mut expected = post();
            change(&mut expected);
            assert_eq!(posts.get(1).await?, Some(expected), "{document}");
            // The width of numbers is the model's.
            let raw = posts.driver().find_one(doc! {}).await?.ok_or("gone")?;
            assert!(raw.get_i64("votes").is_ok() && raw.get_f64("rating").is_ok(), "{raw}");
            assert!(raw.get_i32("flags").is_ok(), "{raw}");
            posts.delete_one(p.id().eq(1)).await?;
        }
        Ok(())
    })
}

#[test]
fn overlapping_changes_are_refused_and_name_the_path() {
    let p = Post::fields();
    for (update, path) in [
        (p.votes().inc(1) + p.votes().inc(1), "votes"),
        (p.tags().push("a") + p.tags().pull("b"), "tags"),
        (p.comments().at(0).likes().inc(1) + p.comments().push(comment("x", 1)), "comments"),
        (p.comments().set(vec![]) + p.comments().at(0).likes().inc(1), "comments.0.likes"),
        (
            p.comments().all_elements().likes().set(1) + p.comments().at(1).likes().set(2),
            "comments.1.likes",
        ),
        (p.votes().inc(1) + Update::raw(doc! { "$set": { "votes": 1 } }), "votes"),
        (p.title().rename(&p.subtitle()) + p.subtitle().set("x"), "subtitle"),
        (p.title().rename(&p.title()), "title"),
        (p.id().set(2), "_id"),
        (Update::raw(doc! { "$set": { "a.b": 1, "a": 1 } }), "a"),
    ] {
        let error = update.into_document().err();
        assert_eq!(error.as_ref().and_then(|error| error.path()), Some(path), "{error:?}");
    }
    let beside = p.comments().at(0).likes().inc(1) + p.comments().at(1).likes().inc(1);
    assert!(beside.into_document().is_ok());
}

/// The server's clock, in the field's own type.
#[test]
fn the_servers_time_is_set_as_date_or_timestamp() -> TestResult {
    #[derive(Debug, Serialize, Deserialize, Document)]
    #[odm(collection = "edits")]
    struct Edit {
        #[serde(rename = "_id")]
        id: i32,
        at: Option<bson::DateTime>,
        stamp: bson::Timestamp,
    }
    odm_testkit::run(async |kit| {
        let edits = database(&kit).collection::<Edit>();
        let e = Edit::fields();
        let update = e.at().current_date() + e.stamp().current_date();
        assert_eq!(
            update.clone().into_document()?,
            doc! { "$currentDate": { "at": { "$type": "date" }, "stamp": { "$type": "timestamp" } } },
        );
        let long_ago = bson::Timestamp { time: 1, increment: 1 };
        edits.insert_one(Edit { id: 1, at: None, stamp: long_ago }).await?;
        edits.update_one(e.id().eq(1), update).await?;
        let edit = edits.get(1).await?.ok_or("gone")?;
        assert!(edit.at.ok_or("no date")? > bson::DateTime::from_millis(1_500_000_000_000));
        assert!(edit.stamp.time > 1_500_000_000, "{:?}", edit.stamp);
        Ok(())
    })
}

/// The guarded vote: of 200 tasks at once, each for one voter who votes twice, each vote counts once.
#[test]
fn a_guard_in_the_filter_makes_the_change_happen_once() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        posts.insert_one(Post { votes: 0, tags: vec![], ..post() }).await?;
        let tasks = (0..200).map(|voter| {
            let (p, name) = (Post::fields(), format!("voter {voter}"));
            let vote = || {
                posts.update_one(
                    p.id().eq(1) & !p.tags().contains(&name),
                    p.votes().inc(1) + p.tags().push(&name),
                )
            };
            let (first, second) = (vote(), vote());
            tokio::spawn(async move { tokio::join!(first, second) })
        });
        let mut modified = 0;
        for task in futures::future::join_all(tasks).await {
            let (first, second) = task?;
            modified += first?.modified_count + second?.modified_count;
        }
        let post = posts.get(1).await?.ok_or("gone")?;
        let voters: std::collections::BTreeSet<_> = post.tags.iter().collect();
        assert_eq!((modified, post.votes, post.tags.len(), voters.len()), (200, 200, 200, 200));
        Ok(())
    })
}

stored_like_serde!(post());
