//! Stages: what each becomes, and what the server makes of it.

use bson::{Bson, DateTime, Document as BsonDocument, bson, doc};
use odm::aggregate::{
    Bound, Bucket, BucketAuto, Densify, Fill, FillMethod, GeoNear, Granularity, Unwind, WindowFn,
    Windows,
};
use odm::prelude::*;
use odm::{Accumulator, DateUnit, Expr, Pipeline};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "sales")]
struct Sale {
    #[serde(rename = "_id")]
    id: i32,
    item: String,
    #[serde(rename = "q")]
    quantity: i32,
    price: f64,
    tags: Vec<String>,
    at: DateTime,
    rating: Option<i32>,
    place: BsonDocument,
}

fn sale(id: i32, item: &str, quantity: i32, price: f64, tags: &[&str]) -> Sale {
    Sale {
        id,
        item: item.into(),
        quantity,
        price,
        tags: tags.iter().map(|&tag| tag.into()).collect(),
        at: DateTime::from_millis(i64::from(id) * 3_600_000),
        rating: (id != 2).then_some(id),
        place: doc! { "type": "Point", "coordinates": [f64::from(id) / 100.0, 0.0] },
    }
}

fn sales() -> Vec<Sale> {
    vec![
        sale(1, "abc", 2, 10.0, &["a", "b"]),
        sale(2, "jkl", 1, 20.0, &["b"]),
        sale(4, "abc", 5, 5.0, &[]),
    ]
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct PerItem {
    #[serde(rename = "_id")]
    item: String,
    n: i32,
    total: f64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Total {
    id: Option<i32>,
    #[serde(rename = "q")]
    quantity: i32,
    total: f64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct ByKey {
    #[serde(rename = "_id")]
    id: Bson,
    count: i32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Id {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Near {
    #[serde(rename = "_id")]
    id: i32,
    meters: f64,
    found_at: BsonDocument,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Windowed {
    #[serde(rename = "_id")]
    id: i32,
    value: Bson,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct Front {
    best: Vec<Id>,
    items: Vec<ByKey>,
}

/// Each pipeline, what is sent, and what it yields.
type Table = Vec<(Pipeline<Sale, BsonDocument>, Vec<BsonDocument>, Vec<BsonDocument>)>;

fn ids(ids: &[i32]) -> Vec<BsonDocument> {
    ids.iter().map(|&id| doc! { "_id": id }).collect()
}

/// Of whole documents, what is looked at.
fn only_ids(pipeline: Pipeline<Sale>) -> Pipeline<Sale, BsonDocument> {
    pipeline.project::<Id>([]).typed_as()
}

fn selecting() -> Table {
    let p = Sale::fields();
    let project = doc! { "$project": { "_id": 1 } };
    let with = |stage: BsonDocument| vec![stage, project.clone()];
    let start = Pipeline::<Sale>::new;
    let low = p.quantity().expr().lt(3);
    vec![
        (
            only_ids(start().match_(p.item().eq("abc"))),
            with(doc! { "$match": { "item": "abc" } }),
            ids(&[1, 4]),
        ),
        (
            only_ids(start().sort(p.price().desc())),
            with(doc! { "$sort": { "price": -1 } }),
            ids(&[2, 1, 4]),
        ),
        (only_ids(start().limit(1)), with(doc! { "$limit": 1_i64 }), ids(&[1])),
        (only_ids(start().skip(2)), with(doc! { "$skip": 2_i64 }), ids(&[4])),
        (
            only_ids(start().sample(9).sort(p.id().asc())),
            vec![
                doc! { "$sample": { "size": 9_i64 } },
                doc! { "$sort": { "_id": 1 } },
                project.clone(),
            ],
            ids(&[1, 2, 4]),
        ),
        (
            only_ids(start().redact(Expr::cond(low, Expr::keep(), Expr::prune()))),
            with(doc! { "$redact": {
                "$cond": [{ "$lt": ["$q", { "$literal": 3 }] }, "$$KEEP", "$$PRUNE"],
            } }),
            ids(&[1, 2]),
        ),
        (
            only_ids(start().raw(doc! { "$match": { "q": 1 } })),
            with(doc! { "$match": { "q": 1 } }),
            ids(&[2]),
        ),
        (
            only_ids(start().limit(1).union_with(Pipeline::<Sale>::new().match_(p.id().eq(4)))),
            vec![
                doc! { "$limit": 1_i64 },
                doc! { "$unionWith": { "coll": "sales", "pipeline": [{ "$match": { "_id": 4 } }] } },
                project.clone(),
            ],
            ids(&[1, 4]),
        ),
    ]
}

fn shaping() -> Table {
    let (p, t) = (Sale::fields(), Total::fields());
    let start = || Pipeline::<Sale>::new().match_(p.id().eq(1));
    let matched = doc! { "$match": { "_id": 1 } };
    let product = bson!({ "$multiply": ["$q", "$price"] });
    vec![
        (
            start().project::<Total>([t.total().is(p.quantity() * p.price())]).typed_as(),
            vec![
                matched.clone(),
                doc! { "$project": { "q": 1, "total": product.clone(), "_id": 0 } },
            ],
            vec![doc! { "q": 2, "total": 20.0 }],
        ),
        // A plain number is a value here, too, and not an inclusion.
        (
            start().project::<Total>([t.total().is(1), t.quantity().is(0)]).typed_as(),
            vec![
                matched.clone(),
                doc! { "$project": {
                    "q": { "$literal": 0 }, "total": { "$literal": 1 }, "_id": 0,
                } },
            ],
            vec![doc! { "q": 0, "total": 1 }],
        ),
        (
            start()
                .add_fields::<Total>([t.total().is(p.quantity() * p.price())])
                .project::<Total>([])
                .typed_as(),
            vec![
                matched.clone(),
                doc! { "$addFields": { "total": product } },
                doc! { "$project": { "id": 1, "q": 1, "total": 1, "_id": 0 } },
            ],
            vec![doc! { "q": 2, "total": 20.0 }],
        ),
        (
            start()
                .set([p.quantity().is(p.quantity() + 1)])
                .unset(p.at())
                .project::<Total>([t.total().is(p.at().expr().if_null(-1))])
                .typed_as(),
            vec![
                matched.clone(),
                doc! { "$set": { "q": { "$add": ["$q", { "$literal": 1 }] } } },
                doc! { "$unset": "at" },
                doc! { "$project": {
                    "q": 1, "total": { "$ifNull": ["$at", { "$literal": -1 }] }, "_id": 0,
                } },
            ],
            vec![doc! { "q": 3, "total": -1 }],
        ),
        (
            start().replace_root::<Id>(Expr::object([("_id", p.quantity())])).typed_as(),
            vec![matched.clone(), doc! { "$replaceRoot": { "newRoot": { "_id": "$q" } } }],
            ids(&[2]),
        ),
        (
            start().replace_with::<Id>(Expr::object([("_id", p.quantity())])).typed_as(),
            vec![matched.clone(), doc! { "$replaceWith": { "_id": "$q" } }],
            ids(&[2]),
        ),
        (
            start()
                .unwind(p.tags())
                .replace_root::<ByKey>(Expr::object([
                    ("_id", p.tags().expr()),
                    ("count", p.quantity().expr()),
                ]))
                .typed_as(),
            vec![
                matched,
                doc! { "$unwind": "$tags" },
                doc! { "$replaceRoot": { "newRoot": { "_id": "$tags", "count": "$q" } } },
            ],
            vec![doc! { "_id": "a", "count": 2 }, doc! { "_id": "b", "count": 2 }],
        ),
        (
            Pipeline::<Sale>::new()
                .match_(p.id().eq(4))
                .unwind_with(
                    Unwind::of(p.tags())
                        .preserve_null_and_empty_arrays()
                        .include_array_index("position"),
                )
                .raw(doc! { "$project": { "position": 1 } })
                .typed_as(),
            vec![
                doc! { "$match": { "_id": 4 } },
                doc! { "$unwind": {
                    "path": "$tags",
                    "preserveNullAndEmptyArrays": true,
                    "includeArrayIndex": "position",
                } },
                doc! { "$project": { "position": 1 } },
            ],
            vec![doc! { "_id": 4, "position": null }],
        ),
    ]
}

fn grouping() -> Table {
    let (p, o, k) = (Sale::fields(), PerItem::fields(), ByKey::fields());
    let start = Pipeline::<Sale>::new;
    let f = Front::fields();
    vec![
        (
            start()
                .group::<PerItem>(
                    p.item(),
                    [
                        o.n().accumulate(Accumulator::count()),
                        o.total().accumulate(Accumulator::sum(p.price() * p.quantity())),
                    ],
                )
                .match_(o.n().gte(1))
                .sort(o.total().desc() + o.item().asc())
                .typed_as(),
            vec![
                doc! { "$group": {
                    "_id": "$item",
                    "n": { "$count": {} },
                    "total": { "$sum": { "$multiply": ["$price", "$q"] } },
                } },
                doc! { "$match": { "n": { "$gte": 1 } } },
                doc! { "$sort": { "total": -1, "_id": 1 } },
            ],
            vec![
                doc! { "_id": "abc", "n": 2, "total": 45.0 },
                doc! { "_id": "jkl", "n": 1, "total": 20.0 },
            ],
        ),
        (
            start()
                .bucket::<ByKey>(Bucket::by(p.price(), [0, 10, 15]).default_id("more"), [])
                .typed_as(),
            vec![doc! { "$bucket": {
                "groupBy": "$price",
                "boundaries": [{ "$literal": 0 }, { "$literal": 10 }, { "$literal": 15 }],
                "default": { "$literal": "more" },
            } }],
            vec![
                doc! { "_id": 0, "count": 1 },
                doc! { "_id": 10, "count": 1 },
                doc! { "_id": "more", "count": 1 },
            ],
        ),
        (
            start()
                .bucket::<ByKey>(
                    Bucket::by(p.price(), [0.0, 100.0]),
                    [k.count().accumulate(Accumulator::max(p.quantity()))],
                )
                .typed_as(),
            vec![doc! { "$bucket": {
                "groupBy": "$price",
                "boundaries": [{ "$literal": 0.0 }, { "$literal": 100.0 }],
                "output": { "count": { "$max": "$q" } },
            } }],
            vec![doc! { "_id": 0.0, "count": 5 }],
        ),
        (
            start()
                .bucket_auto::<ByKey>(
                    BucketAuto::by(p.quantity(), 1).granularity(Granularity::Series125),
                    [],
                )
                .typed_as(),
            vec![doc! { "$bucketAuto": {
                "groupBy": "$q", "buckets": 1_i64, "granularity": "1-2-5",
            } }],
            vec![doc! { "_id": { "min": 0.5, "max": 10.0 }, "count": 3 }],
        ),
        (
            start().sort_by_count::<ByKey>(p.item()).typed_as(),
            vec![doc! { "$sortByCount": "$item" }],
            vec![doc! { "_id": "abc", "count": 2 }, doc! { "_id": "jkl", "count": 1 }],
        ),
        (
            start().count::<N, _>(N::fields().n()).typed_as(),
            vec![doc! { "$count": "n" }],
            vec![doc! { "n": 3 }],
        ),
        (
            start()
                .facet::<Front, _>(|sales| {
                    let best = sales.clone().sort(p.price().desc()).limit(1).project([]);
                    let items = sales.sort_by_count(p.item());
                    [f.best().facet(best), f.items().facet(items)]
                })
                .typed_as(),
            vec![doc! { "$facet": {
                "best": [
                    { "$sort": { "price": -1 } }, { "$limit": 1_i64 }, { "$project": { "_id": 1 } },
                ],
                "items": [{ "$sortByCount": "$item" }],
            } }],
            vec![doc! {
                "best": [{ "_id": 2 }],
                "items": [{ "_id": "abc", "count": 2 }, { "_id": "jkl", "count": 1 }],
            }],
        ),
    ]
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Embedded)]
struct N {
    n: i32,
}

fn filling() -> Table {
    let p = Sale::fields();
    let near = Near::fields();
    vec![
        (
            Pipeline::<Sale>::new()
                .densify(Densify::full(p.id(), 1))
                .fill(
                    Fill::new()
                        .sort_by(p.id().asc())
                        .method(p.quantity(), FillMethod::Linear)
                        .method(p.rating(), FillMethod::Locf)
                        .value(p.item(), "$none"),
                )
                .raw(doc! { "$project": { "q": 1, "rating": 1, "item": 1 } })
                .typed_as(),
            vec![
                doc! { "$densify": { "field": "_id", "range": { "step": 1, "bounds": "full" } } },
                doc! { "$fill": { "sortBy": { "_id": 1 }, "output": {
                    "q": { "method": "linear" },
                    "rating": { "method": "locf" },
                    "item": { "value": { "$literal": "$none" } },
                } } },
                doc! { "$project": { "q": 1, "rating": 1, "item": 1 } },
            ],
            vec![
                doc! { "_id": 1, "item": "abc", "q": 2, "rating": 1 },
                doc! { "_id": 2, "item": "jkl", "q": 1, "rating": 1 },
                doc! { "_id": 3, "q": 3.0, "rating": 1, "item": "$none" },
                doc! { "_id": 4, "item": "abc", "q": 5, "rating": 4 },
            ],
        ),
        (
            Pipeline::<Sale>::new()
                .densify(
                    Densify::between(p.at(), 1, DateTime::from_millis(0), DateTime::from_millis(7_200_000))
                        .unit(DateUnit::Hour)
                        .partition_by(p.item()),
                )
                .match_(p.item().eq("jkl"))
                .count::<N, _>(N::fields().n())
                .typed_as(),
            vec![
                doc! { "$densify": { "field": "at", "partitionByFields": ["item"], "range": {
                    "step": 1,
                    "bounds": [DateTime::from_millis(0), DateTime::from_millis(7_200_000)],
                    "unit": "hour",
                } } },
                doc! { "$match": { "item": "jkl" } },
                doc! { "$count": "n" },
            ],
            vec![doc! { "n": 3 }],
        ),
        (
            Pipeline::<Sale>::new()
                .geo_near::<Near, _>(
                    GeoNear::point(0.011, 0.0)
                        .min_distance(1.0)
                        .max_distance(2_000.0)
                        .distance_multiplier(0.0)
                        .query(p.quantity().gt(0))
                        .key(p.place())
                        .include_locs::<Near, _>(near.found_at()),
                    near.meters(),
                )
                .project::<Near>([])
                .typed_as(),
            vec![
                doc! { "$geoNear": {
                    "near": { "type": "Point", "coordinates": [0.011, 0.0] },
                    "spherical": true,
                    "minDistance": 1.0,
                    "maxDistance": 2_000.0,
                    "distanceMultiplier": 0.0,
                    "query": { "q": { "$gt": 0 } },
                    "key": "place",
                    "includeLocs": "found_at",
                    "distanceField": "meters",
                } },
                doc! { "$project": { "_id": 1, "meters": 1, "found_at": 1 } },
            ],
            [1, 2]
                .map(|id| doc! {
                    "_id": id,
                    "meters": 0.0,
                    "found_at": { "type": "Point", "coordinates": [f64::from(id) / 100.0, 0.0] },
                })
                .into(),
        ),
    ]
}

fn table() -> Table {
    [selecting(), shaping(), grouping(), filling()].into_iter().flatten().collect()
}

#[test]
fn each_stage_becomes_the_servers_words() -> TestResult {
    for (pipeline, expected, _) in table() {
        assert_eq!(pipeline.into_stages()?, expected);
    }
    Ok(())
}

#[test]
fn each_stage_does_what_it_says() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let collection = db.collection::<Sale>();
        let index = mongodb::IndexModel::builder().keys(doc! { "place": "2dsphere" }).build();
        collection.driver().create_index(index).await?;
        collection.insert_many(sales()).await?;
        for (pipeline, stages, expected) in table() {
            let (rows, sent) = kit.commands(collection.aggregate(pipeline)).await;
            assert_eq!(rows?, expected, "{stages:?}");
            assert_eq!(sent.len(), 1);
            assert_eq!(
                sent[0].body.get_array("pipeline")?,
                &Bson::from(stages).as_array().cloned().unwrap_or_default()
            );
        }
        Ok(())
    })
}

/// Accumulators, and window functions, over all three sales.
#[test]
fn each_accumulator_computes_what_it_says() -> TestResult {
    let p = Sale::fields();
    let q = || p.quantity();
    let rows: Vec<(Accumulator<Sale>, BsonDocument, Bson)> = vec![
        (Accumulator::sum(q()), doc! { "$sum": "$q" }, bson!(8)),
        (Accumulator::sum(1), doc! { "$sum": { "$literal": 1 } }, bson!(3)),
        (Accumulator::avg(p.price()), doc! { "$avg": "$price" }, bson!(35.0 / 3.0)),
        (Accumulator::min(q()), doc! { "$min": "$q" }, bson!(1)),
        (Accumulator::max(q()), doc! { "$max": "$q" }, bson!(5)),
        (Accumulator::first(q()), doc! { "$first": "$q" }, bson!(2)),
        (Accumulator::last(q()), doc! { "$last": "$q" }, bson!(5)),
        (Accumulator::push(q()), doc! { "$push": "$q" }, bson!([2, 1, 5])),
        (
            Accumulator::add_to_set(p.place().expr().get_field("type")),
            doc! { "$addToSet": { "$getField": { "field": { "$literal": "type" }, "input": "$place" } } },
            bson!(["Point"]),
        ),
        (Accumulator::std_dev_pop(1), doc! { "$stdDevPop": { "$literal": 1 } }, bson!(0.0)),
        (Accumulator::std_dev_samp(1), doc! { "$stdDevSamp": { "$literal": 1 } }, bson!(0.0)),
        (
            Accumulator::merge_objects(Expr::object([("last", q())])),
            doc! { "$mergeObjects": { "last": "$q" } },
            bson!({ "last": 5 }),
        ),
        (Accumulator::count(), doc! { "$count": {} }, bson!(3)),
        (
            Accumulator::first_n(2, q()),
            doc! { "$firstN": { "n": { "$literal": 2 }, "input": "$q" } },
            bson!([2, 1]),
        ),
        (
            Accumulator::last_n(2, q()),
            doc! { "$lastN": { "n": { "$literal": 2 }, "input": "$q" } },
            bson!([1, 5]),
        ),
        (
            Accumulator::max_n(2, q()),
            doc! { "$maxN": { "n": { "$literal": 2 }, "input": "$q" } },
            bson!([5, 2]),
        ),
        (
            Accumulator::min_n(2, q()),
            doc! { "$minN": { "n": { "$literal": 2 }, "input": "$q" } },
            bson!([1, 2]),
        ),
        (
            Accumulator::top(p.price().desc(), q()),
            doc! { "$top": { "sortBy": { "price": -1 }, "output": "$q" } },
            bson!(1),
        ),
        (
            Accumulator::top_n(2, p.price().desc(), q()),
            doc! { "$topN": { "sortBy": { "price": -1 }, "output": "$q", "n": { "$literal": 2 } } },
            bson!([1, 2]),
        ),
        (
            Accumulator::bottom(p.price().desc(), q()),
            doc! { "$bottom": { "sortBy": { "price": -1 }, "output": "$q" } },
            bson!(5),
        ),
        (
            Accumulator::bottom_n(2, p.price().desc(), q()),
            doc! { "$bottomN": { "sortBy": { "price": -1 }, "output": "$q", "n": { "$literal": 2 } } },
            bson!([2, 5]),
        ),
        (Accumulator::raw(doc! { "$sum": "$q" }), doc! { "$sum": "$q" }, bson!(8)),
    ];
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Sale>();
        collection.insert_many(sales()).await?;
        let value = Windowed::fields().value();
        for (accumulator, bson, expected) in rows {
            assert_eq!(accumulator.clone().into_document()?, bson);
            let pipeline = Pipeline::new()
                .sort(p.id().asc())
                .group::<Windowed>(0, [value.accumulate(accumulator)]);
            let row = collection.aggregate(pipeline).await?;
            assert_eq!(row, [Windowed { id: 0, value: expected }], "{bson}");
        }
        Ok(())
    })
}

/// What only newer servers know is held against the manual's words.
#[test]
fn newer_accumulators_become_the_servers_words() -> TestResult {
    let quantity = Sale::fields().quantity();
    assert_eq!(
        Accumulator::median(&quantity).into_document()?,
        doc! { "$median": { "input": "$q", "method": "approximate" } },
    );
    assert_eq!(
        Accumulator::percentile(&quantity, [0.95]).into_document()?,
        doc! { "$percentile": { "input": "$q", "p": [0.95], "method": "approximate" } },
    );
    Ok(())
}

/// Without the last digits, which depend on the order of the server's steps.
fn rounded(value: Bson) -> Bson {
    match value {
        Bson::Double(number) => Bson::Double((number * 1e9).round() / 1e9),
        value => value,
    }
}

#[test]
fn each_window_function_computes_what_it_says() -> TestResult {
    let p = Sale::fields();
    let q = || p.quantity();
    let sum = || WindowFn::from(Accumulator::sum(q()));
    let hour = Some(DateUnit::Hour);
    let rows: Vec<(WindowFn<Sale>, BsonDocument, [Bson; 3])> = vec![
        (sum(), doc! { "$sum": "$q" }, [8, 8, 8].map(Bson::from)),
        (
            sum().documents(Bound::Unbounded, Bound::Current),
            doc! { "$sum": "$q", "window": { "documents": ["unbounded", "current"] } },
            [2, 3, 8].map(Bson::from),
        ),
        (
            sum().documents(Bound::Offset(-1.0), Bound::Offset(0.0)),
            doc! { "$sum": "$q", "window": { "documents": [-1_i64, 0_i64] } },
            [2, 3, 6].map(Bson::from),
        ),
        (
            sum().range(Bound::Offset(-1.0), Bound::Current, hour),
            doc! { "$sum": "$q", "window": { "range": [-1.0, "current"], "unit": "hour" } },
            [2, 3, 5].map(Bson::from),
        ),
        (WindowFn::rank(), doc! { "$rank": {} }, [1, 2, 3].map(Bson::from)),
        (WindowFn::dense_rank(), doc! { "$denseRank": {} }, [1, 2, 3].map(Bson::from)),
        (WindowFn::document_number(), doc! { "$documentNumber": {} }, [1, 2, 3].map(Bson::from)),
        (
            WindowFn::shift(q(), -1, "$q"),
            doc! { "$shift": { "output": "$q", "by": -1, "default": { "$literal": "$q" } } },
            [bson!("$q"), bson!(2), bson!(1)],
        ),
        (
            WindowFn::exp_moving_avg(q(), 1),
            doc! { "$expMovingAvg": { "input": "$q", "N": 1_i64 } },
            [2.0, 1.0, 5.0].map(Bson::from),
        ),
        (
            WindowFn::exp_moving_avg_alpha(q(), 0.5),
            doc! { "$expMovingAvg": { "input": "$q", "alpha": 0.5 } },
            [2.0, 1.5, 3.25].map(Bson::from),
        ),
        (
            WindowFn::derivative(q(), hour).documents(Bound::Offset(-1.0), Bound::Current),
            doc! {
                "$derivative": { "input": "$q", "unit": "hour" },
                "window": { "documents": [-1_i64, "current"] },
            },
            [Bson::Null, bson!(-1.0), bson!(2.0)],
        ),
        (
            WindowFn::integral(q(), hour).documents(Bound::Offset(-1.0), Bound::Current),
            doc! {
                "$integral": { "input": "$q", "unit": "hour" },
                "window": { "documents": [-1_i64, "current"] },
            },
            [bson!(0.0), bson!(1.5), bson!(6.0)],
        ),
        (
            WindowFn::covariance_pop(q(), 1),
            doc! { "$covariancePop": ["$q", { "$literal": 1 }] },
            [0.0; 3].map(Bson::from),
        ),
        (
            WindowFn::covariance_samp(q(), 1),
            doc! { "$covarianceSamp": ["$q", { "$literal": 1 }] },
            [0.0; 3].map(Bson::from),
        ),
        (
            WindowFn::linear_fill(p.rating()),
            doc! { "$linearFill": "$rating" },
            [bson!(1), bson!(2.0), bson!(4)],
        ),
        (WindowFn::locf(p.rating()), doc! { "$locf": "$rating" }, [1, 1, 4].map(Bson::from)),
    ];
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Sale>();
        collection.insert_many(sales()).await?;
        let value = Windowed::fields().value();
        for (function, bson, expected) in rows {
            let pipeline = Pipeline::new().set_window_fields::<Windowed>(
                Windows::new().partition_by(Expr::literal(1)).sort_by(p.at().asc()),
                [value.over(function)],
            );
            let stages = pipeline.clone().into_stages()?;
            let sent = doc! { "$setWindowFields": {
                "partitionBy": { "$literal": 1 }, "sortBy": { "at": 1 }, "output": { "value": &bson },
            } };
            assert_eq!(stages, [sent]);
            let rows = collection.aggregate(pipeline).await?;
            let values: Vec<_> = rows.into_iter().map(|row| rounded(row.value)).collect();
            assert_eq!(values, expected, "{bson}");
        }
        Ok(())
    })
}

#[test]
fn errors_are_found_before_anything_is_sent() -> TestResult {
    #[derive(Debug, Serialize, Deserialize, Embedded)]
    struct Nested {
        #[serde(rename = "_id")]
        id: Id,
        count: i32,
    }
    let (p, o, k, t) = (Sale::fields(), PerItem::fields(), ByKey::fields(), Total::fields());
    let start = Pipeline::<Sale>::new;
    let untyped = |pipeline: Pipeline<Sale, BsonDocument>| pipeline;
    let n = Nested::fields();
    let rows = vec![
        (start().match_(p.quantity().gt(1)).typed_as(), ""),
        (start().group::<PerItem>(p.item(), []).typed_as(), "nothing gives `PerItem` this field"),
        (start().project::<Total>([]).typed_as(), "nothing gives `Total` this field"),
        (start().add_fields::<Total>([]).typed_as(), "nothing gives `Total` this field"),
        (start().sort_by_count::<PerItem>(p.item()).typed_as(), "nothing gives `PerItem`"),
        (
            start().project::<Total>([t.total().is(1), t.total().is(2)]).typed_as(),
            "the field is given two values",
        ),
        (
            start().group::<ByKey>(p.item(), [k.id().accumulate(Accumulator::count())]).typed_as(),
            "the key of the group is the `_id`",
        ),
        (
            start().group::<Nested>(0, [n.id().id().accumulate(Accumulator::count())]).typed_as(),
            "gives values to whole fields",
        ),
        (start().limit(0).typed_as(), "the number of `$limit` must be positive"),
        (start().sample(0).typed_as(), "the number of `$sample` must be positive"),
        (
            start().limit(1).geo_near::<N, _>(GeoNear::point(0.0, 0.0), N::fields().n()).typed_as(),
            "`$geoNear` must be the first stage",
        ),
        (start().out::<Sale>().limit(1).typed_as(), "`$out` must be the last stage"),
        (
            start().limit(1).match_(Filter::raw(doc! { "$text": { "$search": "x" } })).typed_as(),
            "`$text` must be in the first stage",
        ),
        (
            start().match_(Filter::raw(doc! { "place": { "$near": [0, 0] } })).typed_as(),
            "use `geo_near` as the first stage",
        ),
        (start().match_(!Filter::raw(doc! { "$where": "true" })).typed_as(), "use `Filter::expr`"),
        (start().union_with(start().out::<Sale>()).typed_as(), "cannot be inside of `$unionWith`"),
        (start().match_(p.quantity().gt(1)).sort(p.id().asc() + p.id().desc()).typed_as(), "twice"),
        (
            start().group::<PerItem>(p.quantity() + u64::MAX, []).typed_as(),
            "is above 9223372036854775807",
        ),
        (
            untyped(start().raw(doc! { "$limit": 1, "$skip": 1 }).typed_as()),
            "a stage is a document",
        ),
    ];
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Sale>();
        for (pipeline, expected) in rows {
            let shown = pipeline.to_string();
            let (result, sent) = kit.commands(collection.aggregate(pipeline)).await;
            match (expected, result) {
                ("", result) => assert!(result?.is_empty()),
                (expected, Err(error)) => {
                    assert!(error.to_string().contains(expected), "{error}");
                    assert_eq!(
                        error.kind(),
                        if expected.contains("above") {
                            odm::ErrorKind::Encode
                        } else {
                            odm::ErrorKind::InvalidArgument
                        }
                    );
                    assert_eq!(sent.len(), 0);
                }
                (expected, Ok(_)) => panic!("{shown} is not refused: {expected}"),
            }
        }
        let _ = o;
        Ok(())
    })
}

/// What is a value stays one in every stage that takes values.
#[test]
fn values_in_stages_never_become_paths() -> TestResult {
    odm_testkit::run(async |kit| {
        let collection = database(&kit).collection::<Sale>();
        collection.insert_one(sale(1, "$price", 1, 2.0, &[])).await?;
        let (p, k) = (Sale::fields(), ByKey::fields());
        let pipeline = Pipeline::new()
            .match_(p.item().eq("$price"))
            .set([p.item().is("$$ROOT")])
            .group::<ByKey>("$q", [k.count().accumulate(Accumulator::count())])
            .match_(k.id().eq("$q"))
            .set([k.id().is(doc! { "$add": [1, 1] })]);
        let rows = collection.aggregate(pipeline).await?;
        assert_eq!(rows, [ByKey { id: bson!({ "$add": [1, 1] }), count: 1 }]);
        Ok(())
    })
}

stored_like_serde!(sales()[0].clone(), sales()[1].clone());
