//! Views: what they ask for, what they read, and that nothing else comes or is lost.

use bson::{doc, oid::ObjectId};
use futures::TryStreamExt;
use odm::prelude::*;
use odm::{ErrorKind, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts", index(author, -votes))]
struct Post {
    #[serde(rename = "_id")]
    id: ObjectId,
    author: Ref<Post>,
    #[serde(rename = "ti")]
    title: String,
    votes: i32,
    #[serde(default = "no_tags")]
    tags: Vec<String>,
    address: Option<Address>,
    comments: Vec<Comment>,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    when: chrono::DateTime<chrono::Utc>,
    #[odm(opaque)]
    extra: serde_json::Value,
    #[serde(flatten)]
    meta: Meta,
}

fn no_tags() -> Vec<String> {
    vec!["none".to_owned()]
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Address {
    city: String,
    geo: Geo,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Geo {
    lat: f64,
    lon: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Comment {
    #[serde(rename = "w")]
    who: String,
    text: String,
    replies: Vec<Comment>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Meta {
    lang: String,
}

fn post(id: u8) -> Post {
    let comment = |who: &str, replies| Comment { who: who.into(), text: "long".into(), replies };
    Post {
        id: ObjectId::from_bytes([id; 12]),
        author: Ref::new(ObjectId::from_bytes([9; 12])),
        title: format!("post {id}"),
        votes: id.into(),
        tags: vec!["rust".into()],
        address: Some(Address { city: "Faketon".into(), geo: Geo { lat: 1.5, lon: 2.5 } }),
        comments: vec![comment("jane", vec![comment("joe", vec![])]), comment("jill", vec![])],
        when: chrono::DateTime::from_timestamp(7, 0).unwrap_or_default(),
        extra: serde_json::json!({ "a": [1, 2] }),
        meta: Meta { lang: "en".into() },
    }
}

stored_like_serde!(post(1), Contact { id: 1, name: "j".into(), phones: vec![] });

/// Plain fields, by their names in Rust and as they are stored.
#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct Plain {
    #[serde(rename = "_id")]
    id: ObjectId,
    #[serde(rename = "ti")]
    title: String,
    votes: Option<i32>,
    author: Ref<Post>,
    address: Option<Address>,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    when: chrono::DateTime<chrono::Utc>,
    #[odm(opaque)]
    extra: serde_json::Value,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct Nested {
    address: Option<City>,
    comments: Vec<Author>,
    #[odm(path = address.geo.lat)]
    lat: Option<f64>,
    #[odm(path = meta.lang)]
    lang: String,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Address)]
struct City {
    city: String,
}

/// Below its replies there is no end, so those come whole.
#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Comment)]
struct Author {
    #[serde(rename = "w")]
    who: String,
    replies: Vec<Author>,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct NoField {}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct OnlyPath {
    #[odm(path = address.city)]
    city: String,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct Computed {
    #[serde(rename = "ti")]
    title: String,
    #[odm(computed = |p| p.comments().expr().size())]
    comment_count: i32,
    #[odm(computed = |p| p.votes() * 2)]
    doubled: i64,
}

/// Without any field of the model.
#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct OnlyComputed {
    #[odm(computed = |p| p.votes().expr().gt(1))]
    is_popular: bool,
}

#[test]
fn a_view_asks_for_its_fields_alone() -> TestResult {
    for (projection, expected) in [
        (
            Plain::projection()?,
            doc! {
                "_id": 1, "ti": 1, "votes": 1, "author": 1, "address": 1, "when": 1, "extra": 1,
            },
        ),
        (
            Nested::projection()?,
            doc! {
                "address.city": 1, "comments.w": 1, "comments.replies": 1,
                "lat": "$address.geo.lat", "lang": 1, "_id": 0,
            },
        ),
        (
            Computed::projection()?,
            doc! {
                "ti": 1, "comment_count": { "$size": "$comments" },
                "doubled": { "$multiply": ["$votes", { "$literal": 2 }] }, "_id": 0,
            },
        ),
        (NoField::projection()?, doc! { "_id": 1 }),
        (OnlyPath::projection()?, doc! { "city": "$address.city", "_id": 0 }),
    ] {
        assert_eq!(projection, expected);
    }
    Ok(())
}

#[test]
fn views_are_read_by_every_find() -> TestResult {
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        posts.insert_many([post(1), post(2)]).await?;
        let p = Post::fields();
        let author = |who: &str, replies| Author { who: who.into(), replies };
        let nested = || Nested {
            address: Some(City { city: "Faketon".into() }),
            comments: vec![author("jane", vec![author("joe", vec![])]), author("jill", vec![])],
            lat: Some(1.5),
            lang: "en".into(),
        };
        let found = posts.find(Filter::new()).sort(p.votes().asc()).project::<Nested>().await?;
        assert_eq!(found, [nested(), nested()]);
        let streamed = posts.find(Filter::new()).project::<Nested>().stream().await?;
        assert_eq!(streamed.try_collect::<Vec<_>>().await?, found);
        let Post { id, title, author, address, when, extra, .. } = post(2);
        let plain = Plain { id, title, votes: Some(2), author, address, when, extra };
        assert_eq!(
            posts.find_one(p.votes().eq(2)).project::<Plain>().await?.as_ref(),
            Some(&plain)
        );
        assert_eq!(posts.get(id).project::<Plain>().await?, Some(plain));
        let none = posts.get(ObjectId::new()).project::<NoField>().await?;
        assert_eq!(none, None);
        assert_eq!(posts.find(Filter::new()).project::<NoField>().await?.len(), 2);
        let city = OnlyPath { city: "Faketon".into() };
        assert_eq!(posts.get(id).project::<OnlyPath>().await?, Some(city));

        let computed = Computed { title: "post 2".into(), comment_count: 2, doubled: 4 };
        assert_eq!(posts.get(id).project::<Computed>().await?, Some(computed));
        let popular = posts.find(Filter::new()).sort(p.votes().asc()).project::<OnlyComputed>();
        let popular: Vec<_> = popular.await?.iter().map(|view| view.is_popular).collect();
        assert_eq!(popular, [false, true]);

        // What is not there has no value, and that is an error where one is declared.
        posts.update_one(p.id().eq(id), p.address().set(None)).await?;
        let without = posts.get(id).project::<Nested>().await?;
        assert_eq!(without, Some(Nested { address: None, lat: None, ..nested() }));
        let error = posts.get(id).project::<OnlyPath>().await.err();
        let error = error.ok_or("a city from nowhere")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::Decode, Some("city")));
        Ok(())
    })
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct Votes {
    author: Ref<Post>,
    votes: i32,
}

/// A view over the keys of an index is answered by the index: no document is looked at.
#[test]
fn a_view_over_index_keys_is_covered() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let posts = db.collection::<Post>();
        db.plan(odm::models![Post]).await?.apply().await?;
        posts.insert_many((1..=9).map(post)).await?;
        let find = posts.find(Post::fields().author().eq(ObjectId::from_bytes([9; 12])));
        let (found, sent) = kit.commands(find.project::<Votes>()).await;
        assert_eq!(found?.len(), 9);
        let body = &sent[0].body;
        let find = doc! {
            "find": "posts", "filter": body.get_document("filter")?.clone(),
            "projection": body.get_document("projection")?.clone(),
        };
        let explained = db.driver().run_command(doc! { "explain": find }).await?;
        let stats = explained.get_document("executionStats")?;
        assert_eq!((stats.get_i32("nReturned")?, stats.get_i32("totalDocsExamined")?), (9, 0));
        Ok(())
    })
}

/// ME1085, MG9427, ME1306: what a view does not read has no value, no default, and no way back into
/// the collection.
#[test]
fn what_a_view_leaves_out_stays_as_it_is() -> TestResult {
    #[derive(Debug, PartialEq, Deserialize, View)]
    #[odm(of = Post)]
    struct Title {
        #[serde(rename = "ti")]
        title: String,
    }
    odm_testkit::run(async |kit| {
        let posts = database(&kit).collection::<Post>();
        posts.insert_one(post(1)).await?;
        let before = posts.driver_raw().find_one(doc! {}).await?;
        let (titles, sent) = kit.commands(posts.find(Filter::new()).project::<Title>()).await;
        assert_eq!(titles?, [Title { title: "post 1".into() }]);
        assert_eq!(sent.names(), ["find"]);
        assert_eq!(sent[0].body.get_document("projection")?, &doc! { "ti": 1, "_id": 0 });
        assert_eq!(posts.driver_raw().find_one(doc! {}).await?, before);
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts", schema_version = 1)]
struct ContactV1 {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    phone: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "contacts", schema_version = 2, from = ContactV1)]
struct Contact {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(default)]
    phones: Vec<String>,
}

impl From<ContactV1> for Contact {
    fn from(old: ContactV1) -> Self {
        Self { id: old.id, name: old.name, phones: vec![old.phone] }
    }
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[serde(deny_unknown_fields)]
#[odm(of = Contact)]
struct Phones {
    #[serde(default)]
    phones: Vec<String>,
}

/// The fields of an old document are not those of the model, so a view never guesses.
#[test]
fn a_view_reads_the_current_version_alone() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let contacts = db.collection::<Contact>();
        let (old, new) = (db.collection::<ContactV1>(), |id| Contact {
            id,
            name: "jane".into(),
            phones: vec!["1".into()],
        });
        old.insert_one(ContactV1 { id: 1, name: "joe".into(), phone: "2".into() }).await?;
        contacts.insert_one(new(2)).await?;
        contacts.driver().insert_one(doc! { "_id": 3, "schema_version": 3 }).await?;
        contacts.driver().insert_one(doc! { "_id": 4, "schema_version": "2.0" }).await?;
        let projection = Phones::projection()?;
        assert_eq!(projection, doc! { "phones": 1, "schema_version": 1, "_id": 0 });

        assert_eq!(contacts.get(2).project().await?, Some(Phones { phones: vec!["1".into()] }));
        for (id, kind, text) in [
            (1, ErrorKind::OlderVersion, "read this one whole"),
            (3, ErrorKind::NewerVersion, "found 3"),
            (4, ErrorKind::UnknownVersion, "found \"2.0\""),
        ] {
            let error = contacts.get(id).project::<Phones>().await.err().ok_or("was read")?;
            assert_eq!((error.kind(), error.path()), (kind, Some("schema_version")));
            assert!(error.to_string().contains(text), "{error}");
        }
        // A change migrates first, and so does a deletion whose answer a view reads.
        old.insert_one(ContactV1 { id: 5, name: "jim".into(), phone: "3".into() }).await?;
        let deleted = contacts.find_one_and_delete(Contact::fields().id().eq(5)).project().await?;
        assert_eq!(deleted, Some(Phones { phones: vec!["3".into()] }));
        // The cure that the message names.
        assert_eq!(contacts.get(1).await?.map(|contact| contact.phones), Some(vec!["2".into()]));
        assert_eq!(contacts.get(1).project().await?, Some(Phones { phones: vec!["2".into()] }));
        Ok(())
    })
}
