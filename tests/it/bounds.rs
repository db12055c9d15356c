//! Lists with a bound: no write makes one longer, and the error names the list.

use bson::doc;
use odm::prelude::*;
use odm::{Error, ErrorKind, Update};
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::support::database;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Seat {
    row: i32,
    #[odm(embedded(max = 2))]
    notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "rooms")]
struct Hall {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[odm(embedded(max = 3, key = "row"))]
    seats: Vec<Seat>,
    #[odm(embedded(max = 3))]
    tags: Vec<String>,
}

fn seats(rows: impl IntoIterator<Item = i32>) -> Vec<Seat> {
    rows.into_iter().map(|row| Seat { row, notes: vec!["a".into()] }).collect()
}

fn hall(id: i32, rows: i32) -> Hall {
    Hall { id, name: "n".into(), seats: seats(0..rows), tags: vec!["a".into(), "b".into()] }
}

fn notes(count: usize) -> Vec<String> {
    vec!["n".to_owned(); count]
}

/// The write was refused for this list; by as many commands.
async fn refused<R: std::fmt::Debug>(
    kit: &Kit,
    write: impl IntoFuture<Output = Result<R, Error>>,
    path: &str,
    commands: &[&str],
) -> TestResult {
    let (done, sent) = kit.commands(write).await;
    let error = done.err().ok_or("the bound was broken")?;
    let bound = if path.ends_with("notes") { 2 } else { 3 };
    assert_eq!((error.kind(), error.path()), (ErrorKind::TooMany, Some(path)), "{error}");
    assert_eq!((error.model(), error.bound()), (Some("Hall"), Some(bound)), "{error}");
    assert_eq!(sent.names(), commands, "{error}");
    Ok(())
}

#[test]
fn what_is_too_long_is_refused_before_anything_is_sent() -> TestResult {
    odm_testkit::run(async |kit| {
        let halls = database(&kit).collection::<Hall>();
        let h = Hall::fields();
        let one = || h.id().eq(1);
        let long = hall(1, 4);
        let mut deep = hall(1, 3);
        deep.seats.iter_mut().skip(2).for_each(|seat| seat.notes = notes(3));

        refused(&kit, halls.insert_one(&long), "seats", &[]).await?;
        refused(&kit, halls.insert_one(&deep), "seats.2.notes", &[]).await?;
        refused(&kit, halls.insert_many([hall(2, 1), long.clone()]), "seats", &[]).await?;
        refused(&kit, halls.replace_one(one(), &deep), "seats.2.notes", &[]).await?;
        refused(&kit, halls.replace_one(one(), &long).upsert(), "seats", &[]).await?;
        refused(&kit, halls.find_one_and_replace(one(), &long), "seats", &[]).await?;
        for (update, path) in [
            (h.seats().set(seats(0..4)), "seats"),
            (h.seats().set(deep.seats.clone()), "seats.2.notes"),
            (h.seats().at(0).set(Seat { row: 1, notes: notes(3) }), "seats.0.notes"),
            (h.seats().at(0).notes().set(notes(3)), "seats.0.notes"),
            (h.seats().all_elements().notes().set(notes(3)), "seats.$[].notes"),
            (h.tags().at(3).set("x"), "tags.3"),
            (h.tags().push_each(notes(4)), "tags"),
            (h.seats().push(Seat { row: 7, notes: notes(3) }), "seats.notes"),
            (h.tags().push_each_with(notes(4), |push| push.slice(-9)), "tags"),
            (h.tags().set_on_insert(notes(4)), "tags"),
            (Update::raw(doc! { "$push": { "tags": { "$each": notes(4) } } }), "tags"),
        ] {
            let shown = update.to_string();
            let (done, sent) = kit.commands(halls.update_one(one(), update)).await;
            let error = done.err().ok_or("the bound was broken")?;
            assert_eq!((error.kind(), error.path()), (ErrorKind::TooMany, Some(path)), "{shown}");
            assert!(sent.names().is_empty(), "{shown}");
        }
        assert_eq!(halls.count_documents(Filter::new()).await?, 0);
        Ok(())
    })
}

#[test]
fn a_push_needs_room() -> TestResult {
    odm_testkit::run(async |kit| {
        let halls = database(&kit).collection::<Hall>();
        let h = Hall::fields();
        let one = || h.id().eq(1);
        let push = || h.tags().push("c");
        halls.insert_many([hall(1, 3), hall(2, 1)]).await?;

        kit.expect_commands(1, halls.update_one(one(), push())).await?;
        let full = ["update", "find"];
        refused(&kit, halls.update_one(one(), push()), "tags", &full).await?;
        refused(&kit, halls.update_one(one(), h.tags().push_each(["c", "d"])), "tags", &full)
            .await?;
        // What is there already is no addition to a set.
        halls.update_one(one(), h.tags().add_to_set("c")).await?;
        refused(&kit, halls.update_one(one(), h.tags().add_to_set("d")), "tags", &full).await?;
        let newest = h.tags().push_each_with(["e", "f"], |push| push.slice(-3));
        halls.update_one(one(), newest).await?;
        let absent = halls.update_one(h.id().eq(9), push()).await?;
        assert_eq!(absent.matched_count, 0);

        // Which document is changed does not depend on the room.
        let named = || h.name().eq("n");
        let found = halls.find_one_and_update(named(), push()).sort(h.id().desc()).await?;
        assert_eq!(found.map(|hall| hall.id), Some(2));
        let taken = halls.find_one_and_update(named(), push()).sort(h.id().asc());
        refused(&kit, taken, "tags", &["find", "findAndModify", "find"]).await?;
        let whole = || push() + h.name().set_on_insert("o") + h.seats().set_on_insert(seats(0..1));
        refused(&kit, halls.update_one(one(), whole()).upsert(), "tags", &["find"]).await?;
        let inserted = halls.update_one(h.id().eq(3), whole()).upsert().await?;
        assert!(inserted.upserted_id.is_some());

        refused(&kit, halls.update_many(Filter::new(), push()).all(), "tags", &["find"]).await?;
        let all = halls.update_many(h.name().eq("o"), push()).await?;
        assert_eq!(all.modified_count, 1);
        assert_eq!(halls.get(3).await?.map(|hall| hall.tags.len()), Some(2));
        Ok(())
    })
}

/// Which elements are meant is in the path, and their room in the filter.
#[test]
fn a_push_to_elements_needs_room_in_those() -> TestResult {
    odm_testkit::run(async |kit| {
        let halls = database(&kit).collection::<Hall>();
        let h = Hall::fields();
        let one = || h.id().eq(1);
        halls.insert_one(hall(1, 3)).await?;
        let of_row =
            |row: i32| h.seats().filtered("seat", |seat| seat.row().eq(row)).notes().push("b");
        halls.update_one(one(), of_row(1)).await?;
        let full = ["update", "find"];
        refused(&kit, halls.update_one(one(), of_row(1)), "seats.$[seat].notes", &full).await?;
        let all = || h.seats().all_elements().notes().push("b");
        refused(&kit, halls.update_one(one(), all()), "seats.$[].notes", &full).await?;
        halls.update_one(one(), of_row(2)).await?;
        halls.update_one(one(), h.seats().at(0).notes().push("b")).await?;
        let first = h.seats().at(0).notes().push("b");
        refused(&kit, halls.update_one(one(), first), "seats.0.notes", &full).await?;
        let stored = halls.get(1).await?.ok_or("gone")?;
        assert!(stored.seats.iter().all(|seat| seat.notes.len() == 2));
        Ok(())
    })
}

#[test]
fn a_save_keeps_the_bounds() -> TestResult {
    odm_testkit::run(async |kit| {
        let halls = database(&kit).collection::<Hall>();
        halls.insert_one(hall(1, 2)).await?;
        let mut one = halls.get(1).tracked().await?.ok_or("gone")?;
        let mut other = one.clone();
        let kept = one.seats.clone();
        one.seats.extend(seats(2..4));
        refused(&kit, halls.save(&mut one), "seats", &[]).await?;
        one.seats = kept.clone();
        one.seats.iter_mut().for_each(|seat| seat.notes = notes(3));
        refused(&kit, halls.save(&mut one), "seats.0.notes", &[]).await?;

        // Each has room for itself, and not for both.
        one.seats = kept.into_iter().chain(seats(2..3)).collect();
        assert!(halls.save(&mut one).await?);
        other.seats.extend(seats(3..4));
        refused(&kit, halls.save(&mut other), "seats", &["update", "find"]).await?;

        // What was too long before may become shorter, and be left.
        let raw = halls.driver();
        let many = doc! { "$set": { "tags": notes(6), "seats.1.notes": notes(5) } };
        raw.update_one(doc! {}, many).await?;
        let mut one = halls.get(1).tracked().await?.ok_or("gone")?;
        one.name = "m".into();
        assert!(halls.save(&mut one).await?);
        one.tags.truncate(4);
        one.seats.remove(0);
        assert!(halls.save(&mut one).await?);
        one.tags.push("new".into());
        refused(&kit, halls.save(&mut one), "tags", &[]).await?;
        Ok(())
    })
}

#[test]
fn no_race_of_pushes_breaks_a_bound() -> TestResult {
    odm_testkit::run(async |kit| {
        let halls = database(&kit).collection::<Hall>();
        halls.insert_one(hall(1, 0)).await?;
        let mut tasks = JoinSet::new();
        for row in 0..20 {
            let halls = halls.clone();
            tasks.spawn(async move {
                if row % 2 == 0 {
                    let update = Hall::fields().seats().push(Seat { row, notes: vec![] });
                    halls.update_one(Hall::fields().id().eq(1), update).await.map(drop)
                } else {
                    let found = halls.get(1).tracked().await?;
                    let Some(mut hall) = found else { return Ok(()) };
                    hall.seats.push(Seat { row, notes: vec![] });
                    halls.save(&mut hall).await.map(drop)
                }
            });
        }
        let mut done = 0;
        while let Some(result) = tasks.join_next().await {
            match result? {
                Ok(()) => done += 1,
                Err(error) => assert_eq!(error.kind(), ErrorKind::TooMany, "{error}"),
            }
        }
        let stored = halls.get(1).await?.ok_or("gone")?;
        assert_eq!((done, stored.seats.len()), (3, 3));
        Ok(())
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "rooms", schema_version = 2, from = Hall)]
struct HallV2 {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(embedded(max = 2))]
    labels: Vec<String>,
}

impl From<Hall> for HallV2 {
    fn from(Hall { id, tags, .. }: Hall) -> Self {
        Self { id, labels: tags }
    }
}

#[test]
fn a_push_to_an_old_document_needs_room_after_its_migration() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (before, halls) = (db.collection::<Hall>(), db.collection::<HallV2>());
        before.insert_many([hall(1, 0), Hall { tags: vec![], ..hall(2, 0) }]).await?;
        let push = |id: i32| {
            halls.update_one(HallV2::fields().id().eq(id), HallV2::fields().labels().push("c"))
        };
        let error = push(1).await.err().ok_or("the bound was broken")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::TooMany, Some("labels")), "{error}");
        assert_eq!(push(2).await?.modified_count, 1);
        let labels = halls.get(2).await?.map(|hall| hall.labels);
        assert_eq!(labels, Some(vec!["c".to_owned()]));
        Ok(())
    })
}
