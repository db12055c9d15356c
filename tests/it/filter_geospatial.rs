//! Geospatial operators, on GeoJSON geometries and legacy pairs.

use bson::{Document as BsonDocument, doc};
use odm::filter::{Area, Near};
use odm::geo::{
    Geometry, GeometryCollection, LineString, MultiLineString, MultiPoint, MultiPolygon, Point,
    Polygon,
};
use odm::prelude::*;
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};

use crate::filter_table::{Row, assert_found, assert_sent, ids_as_found, refused};
use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "places")]
struct Place {
    #[serde(rename = "_id")]
    id: i32,
    point: Option<Point>,
    shape: Option<Geometry>,
    stops: Vec<Point>,
    pair: Option<[f64; 2]>,
}

/// A place at a point, as GeoJSON and as a legacy pair.
fn at(id: i32, longitude: f64, latitude: f64) -> BsonDocument {
    doc! {
        "_id": id, "point": { "type": "Point", "coordinates": [longitude, latitude] },
        "pair": [longitude, latitude],
    }
}

fn square() -> Polygon {
    Polygon::new([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
}

fn ring() -> bson::Bson {
    bson::bson!([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]])
}

fn stored() -> Vec<BsonDocument> {
    let mut stops = at(3, 30.0, 30.0);
    stops.insert(
        "stops",
        vec![
            doc! { "type": "Point", "coordinates": [1.0, 1.0] },
            doc! { "type": "Point", "coordinates": [9.0, 9.0] },
        ],
    );
    let line = doc! { "type": "LineString", "coordinates": [[1.0, -1.0], [1.0, 1.0]] };
    vec![at(1, 0.5, 0.5), at(2, 1.9, 1.9), stops, doc! { "_id": 4, "shape": line }]
}

fn table() -> Vec<Row<Place>> {
    let p = Place::fields();
    let within = |area: BsonDocument| doc! { "point": { "$geoWithin": area } };
    let pairs = |area: BsonDocument| doc! { "pair": { "$geoWithin": area } };
    let polygon = doc! { "type": "Polygon", "coordinates": [ring()] };
    vec![
        (p.point().geo_within(square()), within(doc! { "$geometry": &polygon }), &[1, 2]),
        (
            p.point().geo_within(square().hole([[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]])),
            within(doc! { "$geometry": { "type": "Polygon", "coordinates": [
                ring(), [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8], [0.2, 0.2]],
            ] } }),
            &[2],
        ),
        (
            p.point().geo_within(MultiPolygon::new([square()])),
            within(doc! { "$geometry": { "type": "MultiPolygon", "coordinates": [[ring()]] } }),
            &[1, 2],
        ),
        (
            p.point().geo_within(Area::center_sphere([0.5, 0.5], 0.01)),
            within(doc! { "$centerSphere": [[0.5, 0.5], 0.01] }),
            &[1],
        ),
        (
            p.point().geo_within(Area::around(Point::new(0.5, 0.5), 6_378_100.0)),
            within(doc! { "$centerSphere": [[0.5, 0.5], 1.0] }),
            &[1, 2, 3],
        ),
        (
            p.stops().geo_within(square()),
            doc! { "stops": { "$geoWithin": { "$geometry": &polygon } } },
            &[3],
        ),
        (
            p.stops().any().geo_intersects(square()),
            doc! { "stops": { "$geoIntersects": { "$geometry": &polygon } } },
            &[3],
        ),
        (
            p.shape().geo_intersects(square()),
            doc! { "shape": { "$geoIntersects": { "$geometry": &polygon } } },
            &[4],
        ),
        (
            p.shape().geo_within(square()),
            doc! { "shape": { "$geoWithin": { "$geometry": &polygon } } },
            &[],
        ),
        (
            p.point().geo_intersects(Point::new(0.5, 0.5)),
            doc! { "point": { "$geoIntersects": { "$geometry": {
                "type": "Point", "coordinates": [0.5, 0.5],
            } } } },
            &[1],
        ),
        (
            p.pair().geo_within(Area::rectangle([0.0, 0.0], [1.0, 1.0])),
            pairs(doc! { "$box": [[0.0, 0.0], [1.0, 1.0]] }),
            &[1],
        ),
        (
            p.pair().geo_within(Area::polygon([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]])),
            pairs(doc! { "$polygon": [[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]] }),
            &[1, 2],
        ),
        (
            p.pair().geo_within(Area::center([2.0, 2.0], 1.0)),
            pairs(doc! { "$center": [[2.0, 2.0], 1.0] }),
            &[2],
        ),
        (
            p.point().eq(Point::new(0.5, 0.5)),
            doc! { "point": { "$eq": { "type": "Point", "coordinates": [0.5, 0.5] } } },
            &[1],
        ),
        (p.pair().eq([0.5, 0.5]), doc! { "pair": [0.5, 0.5] }, &[1]),
    ]
}

fn nearest() -> Vec<Row<Place>> {
    let p = Place::fields();
    let point = doc! { "type": "Point", "coordinates": [0.0, 0.0] };
    let near = Near::point(0.0, 0.0);
    vec![
        (
            p.point().near(Point::new(0.0, 0.0)),
            doc! { "point": { "$near": { "$geometry": &point } } },
            &[1, 2, 3],
        ),
        (
            p.point().near(near.clone().min_distance(100_000.0).max_distance(500_000.0)),
            doc! { "point": { "$near": {
                "$geometry": &point, "$minDistance": 100_000.0, "$maxDistance": 500_000.0,
            } } },
            &[2],
        ),
        (
            p.point().near_sphere(near.clone().max_distance(100_000.0)),
            doc! { "point": { "$nearSphere": { "$geometry": &point, "$maxDistance": 100_000.0 } } },
            &[1],
        ),
        (
            p.point().near(near) & p.id().gt(1),
            doc! { "point": { "$near": { "$geometry": &point } }, "_id": { "$gt": 1 } },
            &[2, 3],
        ),
        (p.pair().near([30.0, 29.0]), doc! { "pair": { "$near": [30.0, 29.0] } }, &[3, 2, 1]),
        (
            p.pair().near(Near::pair([0.0, 0.0]).min_distance(1.0).max_distance(5.0)),
            doc! { "pair": { "$near": [0.0, 0.0], "$minDistance": 1.0, "$maxDistance": 5.0 } },
            &[2],
        ),
        (
            p.pair().near_sphere(Near::pair([0.0, 0.0]).max_distance(0.1)),
            doc! { "pair": { "$nearSphere": [0.0, 0.0], "$maxDistance": 0.1 } },
            &[1, 2],
        ),
        (
            p.pair().near([0.0, 0.0]) & p.pair().exists(true),
            doc! { "$and": [{ "pair": { "$near": [0.0, 0.0] } }, { "pair": { "$exists": true } }] },
            &[1, 2, 3],
        ),
    ]
}

#[test]
fn each_filter_becomes_the_servers_words() -> TestResult {
    assert_sent(table())?;
    assert_sent(nearest())
}

async fn create_indexes(kit: &Kit) -> TestResult {
    let indexes = doc! { "createIndexes": "places", "indexes": [
        { "key": { "point": "2dsphere" }, "name": "point" },
        { "key": { "pair": "2d" }, "name": "pair" },
    ] };
    kit.database().run_command(indexes).await?;
    Ok(())
}

#[test]
fn each_filter_finds_what_it_says() -> TestResult {
    odm_testkit::run(async |kit| {
        let places = assert_found(&kit, stored(), table()).await?;
        create_indexes(&kit).await?;
        for (filter, document, expected) in nearest() {
            assert_eq!(ids_as_found(&places, filter).await?, expected, "{document}");
        }
        Ok(())
    })
}

/// What the server would refuse is refused before it is asked.
#[test]
fn impossible_places_are_refused() -> TestResult {
    odm_testkit::run(async |kit| {
        let places = database(&kit).collection::<Place>();
        let p = Place::fields();
        let (point, shape, pair) = (p.point(), p.shape(), p.pair());
        let near = || p.point().near(Point::new(0.0, 0.0));
        for (filter, message) in [
            (point.near(Point::new(181.0, 0.0)), "longitude of 181"),
            (point.near(Point::new(0.0, -91.0)), "latitude of -91"),
            (point.near(Point::new(f64::NAN, 0.0)), "longitude of NaN"),
            (point.near(Near::point(0.0, 0.0).max_distance(-1.0)), "-1 is no distance"),
            (pair.near([f64::INFINITY, 0.0]), "no place"),
            (pair.geo_within(Area::center([0.0, 0.0], f64::NAN)), "no distance"),
            (pair.geo_within(Area::polygon([[0.0, 0.0]])), "three corners"),
            (point.geo_within(Area::around([0.0, 99.0], 1.0)), "latitude of 99"),
            (point.geo_within(Polygon::new([[0.0, 0.0], [1.0, 1.0]])), "three corners"),
            (shape.geo_intersects(LineString::new([[0.0, 0.0]])), "two positions"),
            (shape.geo_intersects(MultiPoint::new([[0.0, 0.0], [0.0, 100.0]])), "latitude of 100"),
            (near() & near(), "twice"),
            (near() & pair.near([0.0, 0.0]), "twice"),
            (!near(), "negated"),
            (near() | p.id().eq(1), "geo_within"),
            (near() & Filter::text("a"), "one filter"),
            (Filter::text("a") & near(), "one filter"),
        ] {
            let error = refused(&kit, &places, filter).await?;
            assert!(error.contains(message), "{error}");
        }
        Ok(())
    })
}

/// Every geometry is stored as GeoJSON writes it, read back, and indexed by the server.
#[test]
fn geometries_are_geojson() -> TestResult {
    let line = || LineString::new([[0.0, 0.0], [1.0, 1.0]]);
    let geometries: [(Geometry, BsonDocument); 7] = [
        (Point::new(1.0, 2.0).into(), doc! { "type": "Point", "coordinates": [1.0, 2.0] }),
        (line().into(), doc! { "type": "LineString", "coordinates": [[0.0, 0.0], [1.0, 1.0]] }),
        (square().into(), doc! { "type": "Polygon", "coordinates": [ring()] }),
        (
            MultiPoint::new([[0.0, 0.0]]).into(),
            doc! { "type": "MultiPoint", "coordinates": [[0.0, 0.0]] },
        ),
        (
            MultiLineString::new([line()]).into(),
            doc! { "type": "MultiLineString", "coordinates": [[[0.0, 0.0], [1.0, 1.0]]] },
        ),
        (
            MultiPolygon::new([square()]).into(),
            doc! { "type": "MultiPolygon", "coordinates": [[ring()]] },
        ),
        (
            GeometryCollection::new([Point::new(1.0, 2.0).into(), line().into()]).into(),
            doc! { "type": "GeometryCollection", "geometries": [
                { "type": "Point", "coordinates": [1.0, 2.0] },
                { "type": "LineString", "coordinates": [[0.0, 0.0], [1.0, 1.0]] },
            ] },
        ),
    ];
    odm_testkit::run(async |kit| {
        let places = database(&kit).collection::<Place>();
        let index = doc! { "createIndexes": "places", "indexes": [
            { "key": { "shape": "2dsphere" }, "name": "shape" },
        ] };
        kit.database().run_command(index).await?;
        for (id, (geometry, expected)) in (1..).zip(geometries) {
            let place = Place {
                id,
                point: Some(Point::new(3.0, 4.0)),
                shape: Some(geometry),
                stops: vec![],
                pair: Some([5.0, 6.0]),
            };
            places.insert_one(&place).await?;
            let stored = places.driver().find_one(doc! { "_id": id }).await?.ok_or("gone")?;
            assert_eq!(stored.get_document("shape")?, &expected);
            assert_eq!(places.get(id).await?, Some(place));
        }
        Ok(())
    })
}

/// Another `type`, whole numbers, and a height.
#[test]
fn stored_places_are_read_as_what_they_are() -> TestResult {
    odm_testkit::run(async |kit| {
        let places = database(&kit).collection::<Place>();
        let read =
            async |field: &str, value: BsonDocument| -> TestResult<odm::Result<Option<Place>>> {
                places.driver().delete_many(doc! {}).await?;
                places.driver().insert_one(doc! { "_id": 1, field: value, "stops": [] }).await?;
                Ok(places.get(1).await)
            };
        let whole = read("point", doc! { "type": "Point", "coordinates": [1, 2_i64] }).await??;
        assert_eq!(whole.and_then(|place| place.point), Some(Point::new(1.0, 2.0)));
        for (field, value, path, message) in [
            (
                "point",
                doc! { "type": "Polygon", "coordinates": [1, 2] },
                "point.type",
                "unknown variant `Polygon`, expected `Point`",
            ),
            (
                "shape",
                doc! { "type": "Circle", "coordinates": [1, 2] },
                "shape",
                "unknown variant `Circle`",
            ),
            (
                "point",
                doc! { "type": "Point", "coordinates": [1, 2, 3] },
                "point.coordinates",
                "two coordinates",
            ),
        ] {
            let error = read(field, value).await?.err().ok_or("read")?;
            assert_eq!(error.kind(), odm::ErrorKind::Decode);
            assert!(error.to_string().contains(message), "{error}");
            assert!(error.path().is_some_and(|found| found.starts_with(path)), "{error:?}");
        }
        Ok(())
    })
}

stored_like_serde!(Place {
    id: 1,
    point: Some(Point::new(1.0, 2.0)),
    shape: Some(square().into()),
    stops: vec![Point::new(1.0, 2.0)],
    pair: Some([1.0, 2.0]),
});
