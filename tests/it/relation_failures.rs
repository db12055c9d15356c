//! Lookups of what cannot be read, of rows that are too large, and under a collation.

use bson::doc;
use futures::StreamExt;
use odm::prelude::*;
use odm::{ErrorKind, Lookup, LookupStrategy, Many, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

const BOTH: [LookupStrategy; 2] = [LookupStrategy::Lookup, LookupStrategy::Batches];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: String,
    age: i32,
    #[serde(skip)]
    #[odm(inverse = author)]
    posts: Many<Post>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: Ref<User>,
    text: String,
}

fn user(id: &str) -> User {
    User { id: id.into(), age: 1, posts: Many::default() }
}

fn post(id: i32, author: &str) -> Post {
    Post { id, author: Ref::new(author), text: String::new() }
}

/// PR12096: the error names the target, and is that of the parents which lead to it alone.
#[test]
fn an_unreadable_target_fails_the_parents_that_lead_to_it() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        db.collection::<User>().insert_one(user("a")).await?;
        let users = db.driver().collection("users");
        users.insert_one(doc! { "_id": "bad", "age": "old" }).await?;
        posts.insert_many([post(1, "a"), post(2, "bad"), post(3, "a"), post(4, "bad")]).await?;
        let p = Post::fields();
        for strategy in BOTH {
            let find = || posts.find(Filter::new()).sort(p.id().asc()).strategy(strategy);
            let found: Vec<_> = find().lookup(p.author()).stream().await?.collect().await;
            let read: Vec<_> = found.iter().map(|post| post.as_ref().ok().map(|p| p.id)).collect();
            assert_eq!(read, [Some(1), None, Some(3), None], "{strategy:?}");
            for error in found.iter().filter_map(|post| post.as_ref().err()) {
                assert_eq!((error.kind(), error.path()), (ErrorKind::Decode, Some("age")));
                let shown = error.to_string();
                assert!(shown.contains("users") && shown.contains("\"bad\""), "{shown}");
            }

            let found = find().lookup(Lookup::new(p.author()).skip_errors()).await?;
            assert_eq!(found.len(), 4);
            let author = &found[1].author;
            assert!(!author.is_loaded() && !author.is_missing() && found[0].author.is_loaded());
            let error = author.try_get().err().ok_or("read")?;
            assert_eq!((error.kind(), error.path()), (ErrorKind::Decode, Some("age")));
        }
        Ok(())
    })
}

/// Of what refers back, the readable ones are there beside the errors of the others.
#[test]
fn unreadable_documents_that_refer_back_are_told() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let users = db.collection::<User>();
        users.insert_many([user("a"), user("b")]).await?;
        db.collection::<Post>().insert_many([post(1, "a"), post(2, "b")]).await?;
        let posts = db.driver().collection("posts");
        posts.insert_one(doc! { "_id": 3, "author": "a", "text": 5 }).await?;
        let u = User::fields();
        for strategy in BOTH {
            let find = || users.find(Filter::new()).sort(u.id().asc()).strategy(strategy);
            let found: Vec<_> = find().lookup(u.posts()).stream().await?.collect().await;
            assert_eq!(found.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true]);
            let found = find().lookup(Lookup::new(u.posts()).skip_errors()).await?;
            let counts: Vec<_> =
                found.iter().map(|user| (user.posts.count(), user.posts.errors().len())).collect();
            assert_eq!(counts, [(Some(1), 1), (Some(1), 0)], "{strategy:?}");
            assert_eq!(found[0].posts.errors()[0].path(), Some("text"));
        }
        Ok(())
    })
}

/// A row above 16 MB is an error that tells the cure, and the connection lives; `Auto` goes on by
/// batches.
#[test]
fn a_row_that_is_too_large_is_told() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let users = db.collection::<User>();
        users.insert_one(user("a")).await?;
        let text = "x".repeat(6_000_000);
        for id in 1..=3 {
            let post = Post { text: text.clone(), ..post(id, "a") };
            db.collection::<Post>().insert_one(post).await?;
        }
        let (u, p) = (User::fields(), Post::fields());
        let find = || users.find(Filter::new()).lookup(u.posts());
        let error = find().with_lookup().await.err().ok_or("joined")?;
        assert!(error.to_string().contains("use batches"), "{error}");
        assert_eq!(users.find(Filter::new()).await?.len(), 1);
        let one = || users.find_one(Filter::new()).lookup(u.posts());
        let error = one().with_lookup().await.err().ok_or("joined")?;
        assert!(error.to_string().contains("use batches"), "{error}");
        let found = one().await?.ok_or("gone")?;
        assert_eq!(found.posts.count(), Some(3));
        let few = Lookup::new(u.posts()).sort(p.id().desc()).limit(2);
        let found = users.find_one(Filter::new()).lookup(few).with_lookup().await?.ok_or("gone")?;
        assert_eq!(found.posts.count(), Some(2));
        Ok(())
    })
}

/// Keys are compared byte by byte, also where the find has a collation.
#[test]
fn a_collation_is_for_the_find_alone() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        db.collection::<User>().insert_many([user("a"), user("A")]).await?;
        posts.insert_one(post(1, "A")).await?;
        let collation = || mongodb::options::Collation::builder().locale("en".to_owned()).build();
        let p = Post::fields();
        let find = || posts.find_one(p.author().eq("A")).collation(collation()).lookup(p.author());
        let (found, sent) = kit.commands(find()).await;
        let found = found?.ok_or("gone")?;
        assert_eq!(found.author.try_get()?.id, "A");
        assert_eq!(sent.names(), ["find", "find"]);
        let (found, sent) = kit.commands(find().with_lookup()).await;
        let error = found.err().ok_or("joined")?;
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains("collation") && sent.is_empty(), "{error}: {sent}");
        Ok(())
    })
}

stored_like_serde!(user("a"), post(1, "a"));
