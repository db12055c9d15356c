//! What an aggregation knows beside the fields: the score of a text search, the key of an index; and
//! documents looked into level by level, places on a plane.

use bson::doc;
use odm::aggregate::{GeoNear, Pipeline};
use odm::prelude::*;
use odm::{Expr, Filter};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Note {
    #[serde(rename = "_id")]
    id: i32,
    text: String,
    level: i32,
    place: [f64; 2],
    inner: Inner,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Inner {
    level: i32,
    secret: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Found {
    #[serde(rename = "_id")]
    id: i32,
    score: bson::Bson,
}

fn note(id: i32, text: &str, inner: i32) -> Note {
    Note {
        id,
        text: text.into(),
        level: 1,
        place: [f64::from(id), 0.0],
        inner: Inner { level: inner, secret: "s".into() },
    }
}

async fn notes(db: &Database) -> TestResult<Collection<Note>> {
    let notes = db.collection::<Note>();
    notes.insert_many([note(1, "whale whale sea", 1), note(2, "a whale far away", 3)]).await?;
    for keys in [doc! { "text": "text" }, doc! { "place": "2d" }, doc! { "level": 1 }] {
        notes.driver().create_index(mongodb::IndexModel::builder().keys(keys).build()).await?;
    }
    Ok(notes)
}

#[test]
fn scores_and_index_keys_are_known() -> TestResult {
    odm_testkit::run(async |kit| {
        let notes = notes(&database(&kit)).await?;
        let (n, f) = (Note::fields(), Found::fields());
        let scored = Pipeline::<Note>::new()
            .match_(Filter::text("whale"))
            .project::<Found>([f.score().is(Expr::text_score())])
            .sort(f.score().desc());
        let found = notes.aggregate(scored).await?;
        let ids: Vec<_> = found.iter().map(|found| found.id).collect();
        assert_eq!(ids, [1, 2], "{found:?}");
        assert!(found.iter().all(|found| found.score.as_f64().is_some_and(|score| score > 0.0)));

        let keyed = Pipeline::<Note>::new()
            .match_(n.level().gte(1))
            .project::<Found>([f.score().is(Expr::index_key())]);
        let found = notes.aggregate(keyed).await?;
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|found| found.score == doc! { "level": 1 }.into()), "{found:?}");
        Ok(())
    })
}

#[test]
fn redact_looks_into_each_level() -> TestResult {
    odm_testkit::run(async |kit| {
        let notes = notes(&database(&kit)).await?;
        let level = Expr::<Note>::raw("$level");
        let shown = Pipeline::<Note>::new()
            .sort(Note::fields().id().asc())
            .redact(Expr::cond(level.lte(2), Expr::descend(), Expr::prune()))
            .typed_as::<bson::Document>();
        let shown = notes.aggregate(shown).await?;
        let inner: Vec<_> = shown.iter().map(|note| note.contains_key("inner")).collect();
        assert_eq!(inner, [true, false]);
        Ok(())
    })
}

#[test]
fn places_on_a_plane_are_sorted_by_distance() -> TestResult {
    odm_testkit::run(async |kit| {
        let notes = notes(&database(&kit)).await?;
        let f = Found::fields();
        let near = Pipeline::<Note>::new()
            .geo_near::<Found, _>(GeoNear::planar(2.5, 0.0).key(Note::fields().place()), f.score())
            .project::<Found>([f.score().is(f.score())]);
        let found = notes.aggregate(near).await?;
        let expected = [(2, 0.5), (1, 1.5)].map(|(id, far)| Found { id, score: far.into() });
        assert_eq!(found, expected);
        Ok(())
    })
}

stored_like_serde!(note(1, "text", 1));
