//! What pages refuse, before anything is sent; tokens from anywhere.

use bson::{Bson, doc};
use mongodb::options::Collation;
use odm::prelude::*;
use odm::{ErrorKind, PageToken};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    votes: i32,
    tags: Option<Vec<String>>,
    comments: Vec<Comment>,
    any: Bson,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "names")]
struct Name {
    #[serde(rename = "_id")]
    id: String,
    rank: i32,
}

fn post(id: i32, any: impl Into<Bson>) -> Post {
    Post { id, title: "t".into(), votes: id, tags: None, comments: vec![], any: any.into() }
}

#[test]
fn refused_before_anything_is_sent() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        let names = db.collection::<Name>();
        posts.insert_many((0..5).map(|id| post(id, id))).await?;
        names.insert_many((0..5).map(|n| Name { id: n.to_string(), rank: n })).await?;
        let (p, n) = (Post::fields(), Name::fields());
        let token = posts.find(Filter::new()).sort(p.votes().asc()).page(2).await?.next;
        assert!(token.is_some());
        macro_rules! refused {
            ($page:expr, $reason:expr) => {{
                let (page, sent) = kit.commands($page).await;
                assert_eq!(sent.len(), 0, "{sent}");
                let error = page.err().ok_or("not refused")?;
                assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
                assert!(error.to_string().contains($reason), "{error}");
            }};
        }
        let find = || posts.find(Filter::new());
        refused!(find().page(0), "0 documents");
        refused!(find().limit(3).page(2), "`limit` and `skip`");
        refused!(find().skip(3).page(2), "`limit` and `skip`");
        refused!(find().sort(p.tags().asc()).page(2), "`tags` is an array");
        refused!(find().sort(p.comments().who().desc()).page(2), "`comments` is an array");
        refused!(find().sort(p.comments().at(0).who().asc()).page(2), "`comments` is an array");
        refused!(find().page(2).after(token.clone()).before(token.clone()), "not both");

        // A token of another sort, direction, collection.
        refused!(find().sort(p.votes().desc()).page(2).after(token.clone()), "another collection");
        refused!(find().sort(p.title().asc()).page(2).after(token.clone()), "another collection");
        refused!(find().page(2).before(token.clone()), "another collection");
        let page = names.find(Filter::new()).sort(n.rank().asc()).page(2);
        refused!(page.after(token.clone()), "another collection");

        // A collation that is not the collection's.
        let french = || Collation::builder().locale("fr").strength(None).build();
        let page = |collation| find().sort(p.title().asc()).collation(collation).page(2);
        refused!(page(french()), "collation");
        refused!(find().sort(p.any().asc()).collation(french()).page(2), "collation");
        refused!(names.find(Filter::new()).collation(french()).page(2), "collation");
        page(Collation::builder().locale("simple").build()).await?;
        find().sort(p.votes().asc()).collation(french()).page(2).await?;

        // The filter may be another: the place is the same.
        let other = posts.find(p.id().ne(2)).sort(p.votes().asc()).page(2).after(token).await?;
        assert_eq!(other.items.iter().map(|post| post.id).collect::<Vec<_>>(), [3, 4]);
        Ok(())
    })
}

/// An array where the sort has a key ends the walk with an error: it is not passed over.
#[test]
fn a_stored_array_is_an_error() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        let p = Post::fields();
        let arrays: [Bson; 5] = [
            Bson::Array(vec![]),
            Bson::Array(vec![Bson::Int32(3), Bson::Int32(5)]),
            Bson::Array(vec![Bson::Array(vec![])]),
            Bson::Array(vec![Bson::Array(vec![Bson::from("x")]), Bson::Array(vec![])]),
            Bson::Array(vec![Bson::MaxKey, Bson::MinKey]),
        ];
        let others = [
            Bson::MinKey,
            Bson::Null,
            Bson::Int32(1),
            Bson::Int32(4),
            Bson::from("a"),
            doc! { "a": 1 }.into(),
            bson::oid::ObjectId::new().into(),
            true.into(),
            Bson::DateTime(bson::DateTime::now()),
            Bson::MaxKey,
        ];
        for array in arrays {
            posts.delete_many(Filter::new()).all().await?;
            posts.insert_many((1..).zip(others.clone()).map(|(id, any)| post(id, any))).await?;
            posts.insert_one(post(0, array.clone())).await?;
            for sort in [p.any().asc(), p.any().desc()] {
                let mut token = None;
                let error = loop {
                    let find = posts.find(Filter::new()).sort(sort.clone());
                    match find.page(1).after(token).await {
                        Ok(page) => token = page.next,
                        Err(error) => break error,
                    }
                    assert!(token.is_some(), "{sort} passed over {array}");
                };
                assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
                assert_eq!((error.id(), error.path()), (Some(&Bson::Int32(0)), Some("any")));
            }
        }
        Ok(())
    })
}

/// A value never acts as an operator, whatever it looks like.
#[test]
fn values_in_tokens_are_values() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        let p = Post::fields();
        let values: [Bson; 4] = [
            doc! { "$gt": "" }.into(),
            doc! { "$ne": null }.into(),
            doc! { "$expr": { "$eq": [1, 1] } }.into(),
            doc! { "$where": "sleep(1000)" }.into(),
        ];
        posts.insert_many((0..).zip(values).map(|(id, any)| post(id, any))).await?;
        let all = posts.find(Filter::new()).sort(p.any().asc()).await?;
        let (mut walked, mut token) = (Vec::new(), None);
        for _ in 0..4 {
            let page = posts.find(Filter::new()).sort(p.any().asc()).page(1).after(token).await?;
            walked.extend(page.items);
            token = page.next;
        }
        assert_eq!((walked, token), (all, None));
        Ok(())
    })
}

/// Keys too large for a token are an error, and so is text of any other kind than a token's.
#[test]
fn tokens_from_anywhere() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        let p = Post::fields();
        posts.insert_many((0..3).map(|id| post(id, "x".repeat(70_000)))).await?;
        let error = posts.find(Filter::new()).sort(p.any().asc()).page(2).await.err();
        let error = error.ok_or("not refused")?;
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        // A page that needs no token does not fail.
        assert_eq!(posts.find(Filter::new()).sort(p.any().asc()).page(3).await?.items.len(), 3);

        let page =
            posts.find(Filter::new()).sort(p.title().desc() + p.votes().asc()).page(2).await?;
        let token = page.next.ok_or("no token")?;
        let text = token.to_string();
        assert_eq!(text.parse::<PageToken>()?, token);
        let refused = |text: &str| {
            let error = text.parse::<PageToken>().err();
            error.is_some_and(|error| error.kind() == ErrorKind::InvalidArgument)
        };
        for text in ["", "=", "AA", "AQ", "....", "ü", "\0", &"A".repeat(200_000), &"-".repeat(90)]
        {
            assert!(refused(text), "{text:?}");
        }
        // Any one character that is lost, added or another.
        for (at, was) in text.char_indices() {
            let (before, after) = (&text[..at], &text[at + 1..]);
            assert!(refused(&format!("{before}{after}")), "{at}");
            assert!(refused(&format!("{before}{was}A{after}")), "{at}");
            for other in ['A', 'z', '0', '-', '_', '+', ' '] {
                assert!(other == was || refused(&format!("{before}{other}{after}")), "{at}");
            }
        }
        // Random text, of any length and of a token's own letters.
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        for round in 0..100_000 {
            let length = random() % 120;
            let text: String = (0..length)
                .map(|_| match round % 4 {
                    0 => char::from_u32((random() % 0x11_0000) as u32).unwrap_or('?'),
                    _ => char::from(letters[(random() % 64) as usize]),
                })
                .collect();
            assert!(refused(&text), "{text:?}");
        }
        Ok(())
    })
}

stored_like_serde!(post(1, 1));
