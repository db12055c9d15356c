//! Lookups: states, order, repeats and positions; both strategies give equal results.

use bson::doc;
use futures::TryStreamExt;
use odm::prelude::*;
use odm::{ErrorKind, LookupStrategy, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "kinds")]
struct Kind {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: String,
    kind: Option<Ref<Kind>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    item: Ref<Item>,
    qty: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[serde(deny_unknown_fields)]
#[odm(collection = "shelves")]
struct Shelf {
    #[serde(rename = "_id")]
    id: i32,
    items: Vec<Ref<Item>>,
    best: Option<Ref<Item>>,
    lines: Vec<Line>,
    more: Option<Vec<Ref<Item>>>,
}

fn item(id: &str, kind: Option<i32>) -> Item {
    Item { id: id.into(), kind: kind.map(Ref::new) }
}

fn shelf(id: i32, items: &[&str]) -> Shelf {
    let items = items.iter().map(|&id| Ref::new(id)).collect();
    Shelf { id, items, best: None, lines: vec![], more: None }
}

const BOTH: [LookupStrategy; 2] = [LookupStrategy::Lookup, LookupStrategy::Batches];

/// What a reference is, with what is inside of it: equality of references is by id alone.
fn deep(reference: &Ref<Item>) -> String {
    let kind = |kind: &Ref<Kind>| format!("{:?}:{:?}", kind, kind.get().map(|kind| &kind.name));
    let item = reference.get().map(|item| (item.id.clone(), item.kind.as_ref().map(kind)));
    format!("{reference:?}:{item:?}")
}

fn deep_shelf(shelf: &Shelf) -> Vec<String> {
    let lines = shelf.lines.iter().map(|line| &line.item);
    let more = shelf.more.iter().flatten();
    let references = shelf.items.iter().chain(&shelf.best).chain(lines).chain(more).map(deep);
    std::iter::once(shelf.id.to_string()).chain(references).collect()
}

/// ff138, MG8293, MG10068: order and repeats stay, a deleted target is missing at its position,
/// and asking twice gives the same.
#[test]
fn order_repeats_and_missing_ones_stay_in_place() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (items, shelves) = (db.collection::<Item>(), db.collection::<Shelf>());
        items.insert_many(["a", "b", "c"].map(|id| item(id, None))).await?;
        shelves.insert_one(shelf(1, &["c", "a", "b", "a"])).await?;
        items.delete_one(Item::fields().id().eq("b")).await?;
        for strategy in BOTH {
            for _ in 0..2 {
                let get = shelves.get(1).lookup(Shelf::fields().items()).strategy(strategy);
                let found = get.await?.ok_or("gone")?;
                let states: Vec<_> = found
                    .items
                    .iter()
                    .map(|item| (item.id().as_str(), item.is_loaded(), item.is_missing()))
                    .collect();
                let (loaded, missing) = ((true, false), (false, true));
                let expected = [("c", loaded), ("a", loaded), ("b", missing), ("a", loaded)]
                    .map(|(id, (loaded, missing))| (id, loaded, missing));
                assert_eq!(states, expected, "{strategy:?}");
                assert_eq!(found.items[0].get().map(|item| item.id.as_str()), Some("c"));
                let error = found.items[2].try_get().err().ok_or("found")?;
                assert_eq!(error.kind(), ErrorKind::Missing, "{error}");
            }
        }
        let unasked = shelves.get(1).await?.ok_or("gone")?;
        let error = unasked.items[0].try_get().err().ok_or("found")?;
        assert_eq!(error.kind(), ErrorKind::NotLoaded, "{error}");
        Ok(())
    })
}

/// MG5596, MO953, BE187: the id of a missing target survives a change and a save of the parent.
#[test]
fn the_id_of_a_missing_target_survives() -> TestResult {
    odm_testkit::run(async |kit| {
        let shelves = database(&kit).collection::<Shelf>();
        let s = Shelf::fields();
        shelves.insert_one(Shelf { best: Some(Ref::new("gone")), ..shelf(1, &[]) }).await?;
        for strategy in BOTH {
            let find = shelves.find_one(s.id().eq(1)).lookup(s.best()).strategy(strategy);
            let found = find.await?.ok_or("no parent")?;
            let best = found.best.as_ref().ok_or("no reference")?;
            assert!(best.is_missing() && best.get().is_none());
            shelves.update_one(s.id().eq(1), s.items().push("x")).await?;
            shelves.replace_one(s.id().eq(1), &found).await?;
            let raw = shelves.driver().find_one(doc! {}).await?.ok_or("gone")?;
            assert_eq!(raw.get_str("best")?, "gone");
        }
        Ok(())
    })
}

/// SD3805, MG8455: an empty list stays one; a list that is null or missing joins nothing where the
/// model takes it, and else is an error that names the field.
#[test]
fn empty_null_and_missing_lists_join_nothing() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let shelves = db.collection::<Shelf>();
        // What a careless join would find for a null or missing local value.
        let odd = db.driver().collection::<bson::Document>("items");
        odd.insert_one(doc! { "_id": null, "kind": null }).await?;
        shelves.insert_one(shelf(1, &[])).await?;
        let raw = shelves.driver();
        raw.insert_one(doc! { "_id": 2, "items": [], "best": null, "lines": [], "more": null })
            .await?;
        raw.insert_one(doc! { "_id": 3, "items": [], "lines": [], "more": [] }).await?;
        let s = Shelf::fields();
        for strategy in BOTH {
            let find = shelves.find(Filter::new()).sort(s.id().asc()).strategy(strategy);
            let found = find.lookup(s.items()).lookup(s.best()).lookup(s.more()).await?;
            let shown: Vec<_> =
                found.iter().map(|s| (s.items.len(), s.best.is_none(), s.more.clone())).collect();
            assert_eq!(shown, [(0, true, None), (0, true, None), (0, true, Some(vec![]))]);
        }
        raw.insert_one(doc! { "_id": 4, "items": null, "lines": [] }).await?;
        let error = shelves.get(4).lookup(s.items()).await.err().ok_or("read")?;
        assert_eq!((error.kind(), error.path()), (ErrorKind::Decode, Some("items")), "{error}");
        Ok(())
    })
}

/// OD95, BE1130: references in embedded lists and optional lists are stored as ids and resolved,
/// and so are those inside of their targets; siblings are independent.
#[test]
fn references_at_any_depth_are_resolved() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (items, shelves) = (db.collection::<Item>(), db.collection::<Shelf>());
        db.collection::<Kind>().insert_one(Kind { id: 7, name: "tea".into() }).await?;
        items.insert_many([item("a", Some(7)), item("b", Some(8)), item("c", None)]).await?;
        let line = |id: &str| Line { item: Ref::new(id), qty: 1 };
        let full = Shelf {
            best: Some(Ref::new("b")),
            lines: vec![line("a"), line("x"), line("a")],
            more: Some(vec![Ref::new("c"), Ref::new("a")]),
            ..shelf(1, &["a", "b"])
        };
        shelves.insert_one(&full).await?;
        let raw = shelves.driver().find_one(doc! {}).await?.ok_or("gone")?;
        assert_eq!(raw.get_array("lines")?[0], doc! { "item": "a", "qty": 1 }.into());

        let s = Shelf::fields();
        let mut seen = Vec::new();
        for (strategy, commands) in BOTH.into_iter().zip([1, 8]) {
            let kind = || Item::fields().kind();
            let find = shelves
                .find(Filter::new())
                .lookup(s.items().lookup(kind()))
                .lookup(s.best().lookup(kind()))
                .lookup(s.lines().item().lookup(kind()))
                .lookup(s.more())
                .strategy(strategy);
            let (found, sent) = kit.commands(find).await;
            let found = found?;
            assert_eq!(sent.len(), commands, "{sent}");
            let line = &found[0].lines[0].item;
            let tea = line.get().and_then(|item| item.kind.as_ref()?.get());
            assert_eq!(tea.map(|kind| kind.name.as_str()), Some("tea"));
            assert!(found[0].lines[1].item.is_missing());
            let best = found[0].best.as_ref().and_then(|best| best.get()?.kind.as_ref());
            assert!(best.is_some_and(Ref::is_missing));
            let more = found[0].more.as_ref().and_then(|more| more[1].get()?.kind.as_ref());
            assert!(
                more.is_some_and(|kind| !kind.is_loaded() && !kind.is_missing()),
                "not asked for"
            );
            seen.push(deep_shelf(&found[0]));
        }
        assert_eq!(seen[0], seen[1]);
        Ok(())
    })
}

/// A position in a list names one reference; the server cannot follow it, so it goes by a batch.
#[test]
fn a_position_in_a_list_can_be_looked_up() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.collection::<Item>().insert_many([item("a", None), item("b", None)]).await?;
        let shelves = db.collection::<Shelf>();
        shelves.insert_one(shelf(1, &["a", "b"])).await?;
        let get = || shelves.get(1).lookup(Shelf::fields().items().at(1));
        let found = get().await?.ok_or("gone")?;
        assert!(!found.items[0].is_loaded() && found.items[1].is_loaded());
        let error = get().strategy(LookupStrategy::Lookup).await.err().ok_or("joined")?;
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        // `$where` is for finds only.
        let raw = Filter::raw(doc! { "$where": "true" });
        let found = shelves.find_one(raw).lookup(Shelf::fields().items()).await?.ok_or("gone")?;
        assert!(found.items[0].is_loaded());
        Ok(())
    })
}

/// Several references inside of one target are named one after the other.
#[test]
fn one_path_may_be_named_for_each_inner_reference() -> TestResult {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    #[odm(collection = "pairs")]
    struct Pair {
        #[serde(rename = "_id")]
        id: i32,
        left: Ref<Item>,
        right: Ref<Item>,
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
    #[odm(collection = "boxes")]
    struct Holder {
        #[serde(rename = "_id")]
        id: i32,
        pair: Ref<Pair>,
    }
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.collection::<Item>().insert_many([item("a", None), item("b", None)]).await?;
        let pair = Pair { id: 1, left: Ref::new("a"), right: Ref::new("b") };
        db.collection::<Pair>().insert_one(&pair).await?;
        let holders = db.collection::<Holder>();
        holders.insert_one(Holder { id: 1, pair: Ref::new(1) }).await?;
        let (h, p) = (Holder::fields(), Pair::fields());
        for strategy in BOTH {
            let get =
                holders.get(1).lookup(h.pair().lookup(p.left())).lookup(h.pair().lookup(p.right()));
            let found = get.strategy(strategy).await?.ok_or("gone")?;
            let pair = found.pair.try_get()?;
            assert!(pair.left.is_loaded() && pair.right.is_loaded(), "{strategy:?}: {pair:?}");
        }
        Ok(())
    })
}

/// One, a hundred and ten thousand parents take the same number of round trips.
#[test]
fn round_trips_do_not_depend_on_the_number_of_parents() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (items, shelves) = (db.collection::<Item>(), db.collection::<Shelf>());
        items.insert_many((0..1000).map(|id| item(&id.to_string(), None))).await?;
        let parents = (0..10_000).map(|id| {
            let name = (id % 1000).to_string();
            Shelf { best: Some(Ref::new(name)), ..shelf(id, &[]) }
        });
        shelves.insert_many(parents).await?;
        let s = Shelf::fields();
        for (limit, by_batches, by_lookup) in [
            (1, &["find", "find"][..], &["aggregate"][..]),
            (100, &["find", "find"], &["aggregate"]),
            (10_000, &["find", "find"], &["aggregate"]),
        ] {
            let find = |strategy| {
                shelves.find(Filter::new()).limit(limit).lookup(s.best()).strategy(strategy)
            };
            let (found, sent) = kit.commands(find(LookupStrategy::Batches)).await;
            assert!(found?.iter().all(|shelf| shelf.best.as_ref().is_some_and(Ref::is_loaded)));
            assert_eq!(sent.names(), by_batches, "{limit}: {sent}");
            let (found, sent) = kit.commands(find(LookupStrategy::Lookup)).await;
            assert!(found?.iter().all(|shelf| shelf.best.as_ref().is_some_and(Ref::is_loaded)));
            assert_eq!(sent.names(), by_lookup, "{limit}: {sent}");
        }
        let (_, sent) = kit.commands(shelves.get(1).lookup(s.best())).await;
        assert_eq!(sent.names(), ["aggregate"], "one parent: the server joins");
        let (_, sent) = kit.commands(shelves.find(Filter::new()).limit(5).lookup(s.best())).await;
        assert_eq!(sent.names(), ["find", "find"], "more: a batch");
        let (_, sent) = kit.commands(shelves.get(-1).lookup(s.best())).await;
        assert_eq!(sent.names(), ["aggregate"]);
        let none = shelves.find(s.id().lt(0)).lookup(s.best());
        let (_, sent) = kit.commands(none).await;
        assert_eq!(sent.names(), ["find"], "without parents nothing is looked up");

        let stream = shelves.find(Filter::new()).limit(300).lookup(s.best()).stream();
        let (found, sent) =
            kit.commands(async { stream.await?.try_collect::<Vec<_>>().await }).await;
        assert_eq!(
            found?.iter().filter(|s| s.best.as_ref().is_some_and(Ref::is_loaded)).count(),
            300
        );
        let finds = sent.count("find");
        assert_eq!(finds, 3, "the find, and one more for each of two batches: {sent}");
        Ok(())
    })
}

/// Random shelves with dangling ids, repeats, nulls and empty lists: both strategies agree, deeply.
#[test]
fn both_strategies_agree_on_random_data() -> TestResult {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, TestRunner};

    let id = "[a-h]";
    let shelf_of = (
        prop::collection::vec(id, 0..6),
        prop::option::of(id),
        prop::collection::vec(id, 0..4),
        prop::option::of(prop::collection::vec(id, 0..3)),
    );
    let data =
        (prop::collection::vec(shelf_of, 1..12), prop::collection::vec(prop::option::of(0..3), 5));
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (items, shelves) = (db.collection::<Item>(), db.collection::<Shelf>());
        let kinds = (0..2).map(|id| Kind { id, name: format!("kind {id}") });
        db.collection::<Kind>().insert_many(kinds).await?;
        let mut runner = TestRunner::new(Config::default());
        for _ in 0..40 {
            let (parents, kinds) = data.new_tree(&mut runner).map_err(|e| e.to_string())?.current();
            let targets = kinds.iter().zip(["a", "b", "c", "d", "e"]);
            items.insert_many(targets.map(|(kind, id)| item(id, *kind))).await?;
            let parents = (0..).zip(&parents).map(|(id, (list, best, lines, more))| Shelf {
                id,
                items: list.iter().map(Ref::new).collect(),
                best: best.as_ref().map(Ref::new),
                lines: lines.iter().map(|id| Line { item: Ref::new(id), qty: 1 }).collect(),
                more: more.as_ref().map(|more| more.iter().map(Ref::new).collect()),
            });
            shelves.insert_many(parents).await?;

            let s = Shelf::fields();
            let mut seen = Vec::new();
            for strategy in BOTH {
                let find = shelves
                    .find(Filter::new())
                    .sort(s.id().asc())
                    .lookup(s.items().lookup(Item::fields().kind()))
                    .lookup(s.best().lookup(Item::fields().kind()))
                    .lookup(s.lines().item())
                    .lookup(s.more().lookup(Item::fields().kind()))
                    .strategy(strategy);
                seen.push(find.await?.iter().map(deep_shelf).collect::<Vec<_>>());
            }
            assert_eq!(seen[0], seen[1]);
            items.delete_many(Filter::new()).all().await?;
            shelves.delete_many(Filter::new()).all().await?;
        }
        Ok(())
    })
}

/// In JSON a reference is the document where it is loaded, else the id; in BSON it is the id, by
/// every serializer.
#[test]
fn people_see_the_document_and_the_database_the_id() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.collection::<Item>().insert_one(item("a", Some(1))).await?;
        let shelves = db.collection::<Shelf>();
        shelves.insert_one(shelf(1, &["a", "x"])).await?;
        let found = shelves.get(1).lookup(Shelf::fields().items()).await?.ok_or("gone")?;
        let json = serde_json::to_value(&found)?;
        assert_eq!(json["items"], serde_json::json!([{ "_id": "a", "kind": 1 }, "x"]));
        let read: Shelf = serde_json::from_value(json)?;
        assert_eq!(read, found);
        assert!(read.items[0].is_loaded() && !read.items[1].is_loaded());

        let ids = vec![bson::Bson::from("a"), bson::Bson::from("x")];
        assert_eq!(bson::serialize_to_document(&found)?.get_array("items")?, &ids);
        let raw = bson::serialize_to_raw_document_buf(&found)?;
        assert_eq!(bson::Document::try_from(&raw)?.get_array("items")?, &ids);
        Ok(())
    })
}

/// Lookups in a transaction see its writes and send on its session, one after the other.
#[test]
fn lookups_take_part_in_a_transaction() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (items, shelves) = (db.collection::<Item>(), db.collection::<Shelf>());
        shelves.insert_one(shelf(1, &["a"])).await?;
        items.insert_one(item("z", None)).await?;
        let session = db.start_session().await?;
        session.start_transaction().await?;
        items.insert_one(item("a", None)).session(&session).await?;
        for strategy in BOTH {
            let find =
                shelves.find(Filter::new()).lookup(Shelf::fields().items()).strategy(strategy);
            let found = find.session(&session).await?;
            assert!(found[0].items[0].is_loaded(), "{strategy:?}");
        }
        session.abort_transaction().await?;
        let found = shelves.get(1).lookup(Shelf::fields().items()).await?.ok_or("gone")?;
        assert!(found.items[0].is_missing());
        Ok(())
    })
}

stored_like_serde!(
    item("a", Some(1)),
    Kind { id: 1, name: "k".into() },
    Shelf {
        best: Some(Ref::new("b")),
        lines: vec![Line { item: Ref::new("c"), qty: 1 }],
        more: Some(vec![]),
        ..shelf(1, &["a", "a"])
    }
);
