//! Geospatial operators.
//!
//! Source: [geospatial query operators](https://www.mongodb.com/docs/manual/reference/operator/query-geospatial/).

use bson::{Bson, Document, doc};

use super::Filter;
use crate::codec::encode_value;
use crate::error::{Error, Result};
use crate::path::geo::{Geometry, MultiPolygon, Point, Polygon, Position};
use crate::path::{Geospatial, Path, Queryable};

/// An area, for [`Path::geo_within`]. A [`Polygon`] and a [`MultiPolygon`] can stand for one.
///
/// Source: [`$geoWithin`](https://www.mongodb.com/docs/manual/reference/operator/query/geoWithin/).
#[derive(Debug, Clone, PartialEq)]
pub struct Area(Shape);

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Geometry(Geometry),
    Rectangle([f64; 2], [f64; 2]),
    Flat(Vec<[f64; 2]>),
    Center([f64; 2], f64),
    CenterSphere(Position, f64),
}

impl Area {
    /// Everything within this many metres of a place, along the surface of the globe:
    /// `$centerSphere` with the radius divided by that of the earth, 6,378,100 m.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Cafe { #[serde(rename = "_id")] id: i32, place: odm::geo::Point }
    /// use odm::filter::Area;
    /// let filter = Cafe::fields().place().geo_within(Area::around([2.35, 48.86], 6378.1));
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "place": { "$geoWithin": { "$centerSphere": [[2.35, 48.86], 0.001] } } }"#,
    /// );
    /// ```
    #[must_use]
    pub fn around(center: impl Into<Position>, metres: f64) -> Self {
        const EARTH_RADIUS: f64 = 6_378_100.0;
        Self::center_sphere(center, metres / EARTH_RADIUS)
    }

    /// Everything within this angle of a place, in radians: `$centerSphere`.
    #[must_use]
    pub fn center_sphere(center: impl Into<Position>, radians: f64) -> Self {
        Self(Shape::CenterSphere(center.into(), radians))
    }

    /// The circle around a pair of coordinates on a plane, in their unit: `$center`, for legacy
    /// pairs.
    #[must_use]
    pub fn center(center: [f64; 2], radius: f64) -> Self {
        Self(Shape::Center(center, radius))
    }

    /// The rectangle between its lower left and its upper right corner on a plane: `$box`, for
    /// legacy pairs.
    #[must_use]
    pub fn rectangle(lower_left: [f64; 2], upper_right: [f64; 2]) -> Self {
        Self(Shape::Rectangle(lower_left, upper_right))
    }

    /// The polygon with these three or more corners on a plane: `$polygon`, for legacy pairs.
    #[must_use]
    pub fn polygon(corners: impl IntoIterator<Item = [f64; 2]>) -> Self {
        Self(Shape::Flat(corners.into_iter().collect()))
    }

    fn into_condition(self) -> Result<Document> {
        match self.0 {
            Shape::Geometry(geometry) => Ok(doc! { "$geometry": encoded(&geometry)? }),
            Shape::Rectangle(low, high) => Ok(doc! { "$box": [pair(low)?, pair(high)?] }),
            Shape::Flat(corners) if corners.len() < 3 => {
                Err(Error::invalid("a polygon needs three corners"))
            }
            Shape::Flat(corners) => {
                let corners = corners.into_iter().map(pair).collect::<Result<Vec<_>>>()?;
                Ok(doc! { "$polygon": corners })
            }
            Shape::Center(center, radius) => {
                Ok(doc! { "$center": [pair(center)?, distance(radius)?] })
            }
            Shape::CenterSphere(center, radians) => {
                center.check()?;
                Ok(doc! { "$centerSphere": [pair(center.into())?, distance(radians)?] })
            }
        }
    }
}

impl From<Polygon> for Area {
    fn from(polygon: Polygon) -> Self {
        Self(Shape::Geometry(polygon.into()))
    }
}

impl From<MultiPolygon> for Area {
    fn from(polygons: MultiPolygon) -> Self {
        Self(Shape::Geometry(polygons.into()))
    }
}

/// A place and how far from it, for [`Path::near`] and [`Path::near_sphere`]. A [`Point`] can stand
/// for one, and a legacy pair `[f64; 2]`.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a place does nothing until a filter takes it"]
pub struct Near {
    center: Center,
    least: Option<f64>,
    most: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Center {
    Point(Point),
    Pair([f64; 2]),
}

impl Near {
    /// Near this point of the globe, with distances in metres.
    pub fn point(longitude: f64, latitude: f64) -> Self {
        Point::new(longitude, latitude).into()
    }

    /// Near this legacy pair. Distances are in the unit of the coordinates for `near`, and in
    /// radians for `near_sphere`.
    pub fn pair(pair: [f64; 2]) -> Self {
        pair.into()
    }

    /// Not nearer than this.
    pub fn min_distance(mut self, distance: f64) -> Self {
        self.least = Some(distance);
        self
    }

    /// Not farther than this.
    pub fn max_distance(mut self, distance: f64) -> Self {
        self.most = Some(distance);
        self
    }

    fn into_condition(self, operator: &str) -> Result<Bson> {
        let mut limits = Document::new();
        for (name, limit) in [("$minDistance", self.least), ("$maxDistance", self.most)] {
            if let Some(limit) = limit {
                limits.insert(name, distance(limit)?);
            }
        }
        let mut condition = match self.center {
            Center::Point(point) => {
                let mut near = doc! { "$geometry": encoded(&point.into())? };
                near.extend(std::mem::take(&mut limits));
                doc! { operator: near }
            }
            Center::Pair(center) => doc! { operator: pair(center)? },
        };
        condition.extend(limits);
        Ok(condition.into())
    }
}

impl From<Point> for Near {
    fn from(point: Point) -> Self {
        Self { center: Center::Point(point), least: None, most: None }
    }
}

impl From<[f64; 2]> for Near {
    fn from(pair: [f64; 2]) -> Self {
        Self { center: Center::Pair(pair), least: None, most: None }
    }
}

impl<M, C, V> Path<M, C, V> {
    /// The place lies within the area as a whole: `$geoWithin`. It needs no index, and does not
    /// sort.
    ///
    /// A longitude or latitude out of its range is refused by the action.
    ///
    /// Source: [`$geoWithin`](https://www.mongodb.com/docs/manual/reference/operator/query/geoWithin/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Cafe { #[serde(rename = "_id")] id: i32, place: odm::geo::Point, pair: [f64; 2] }
    /// use odm::filter::Area;
    /// use odm::geo::Polygon;
    /// let c = Cafe::fields();
    /// let filter = c.place().geo_within(Polygon::new([[0.0, 0.0], [3.0, 6.0], [6.0, 1.0]]));
    /// # assert!(filter.into_document().is_ok());
    /// let filter = c.pair().geo_within(Area::rectangle([0.0, 0.0], [2.0, 2.0]));
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "pair": { "$geoWithin": { "$box": [[0, 0], [2, 2]] } } }"#,
    /// );
    /// ```
    pub fn geo_within(&self, area: impl Into<Area>) -> Filter<M>
    where
        C: Geospatial,
        V: Queryable,
    {
        let condition = area.into().into_condition();
        Filter::condition(&self.name, condition.map(|area| doc! { "$geoWithin": area }.into()))
    }

    /// The place has a position in common with the geometry: `$geoIntersects`. It needs no index,
    /// and does not sort.
    ///
    /// Source: [`$geoIntersects`](https://www.mongodb.com/docs/manual/reference/operator/query/geoIntersects/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Road { #[serde(rename = "_id")] id: i32, line: odm::geo::LineString }
    /// use odm::geo::Point;
    /// let filter = Road::fields().line().geo_intersects(Point::new(1.0, 1.0));
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "line": { "$geoIntersects": { "$geometry": { "type": "Point", "coordinates": [1, 1] } } } }"#,
    /// );
    /// ```
    pub fn geo_intersects(&self, geometry: impl Into<Geometry>) -> Filter<M>
    where
        C: Geospatial,
        V: Queryable,
    {
        let condition = encoded(&geometry.into());
        Filter::condition(
            &self.name,
            condition.map(|g| doc! { "$geoIntersects": { "$geometry": g } }.into()),
        )
    }

    /// The nearest first: `$near`. It needs an index, `2dsphere` for points and `2d` for legacy
    /// pairs.
    ///
    /// Since it also sorts, a filter holds it once, and not in `|`, `!` or `elem_match`: the action
    /// refuses it. The server refuses it in `count_documents`: use [`Path::geo_within`] with
    /// [`Area::around`] there.
    ///
    /// Source: [`$near`](https://www.mongodb.com/docs/manual/reference/operator/query/near/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Cafe { #[serde(rename = "_id")] id: i32, place: odm::geo::Point }
    /// use odm::filter::Near;
    /// let filter = Cafe::fields().place().near(Near::point(2.35, 48.86).max_distance(500.0));
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "place": { "$near": { "$geometry": { "type": "Point", "coordinates": [2.35, 48.86] }, "$maxDistance": 500 } } }"#,
    /// );
    /// ```
    pub fn near(&self, place: impl Into<Near>) -> Filter<M>
    where
        C: Geospatial,
        V: Queryable,
    {
        Filter::condition(&self.name, place.into().into_condition("$near"))
    }

    /// As [`Path::near`], also for legacy pairs along the surface of the globe: `$nearSphere`.
    ///
    /// Source: [`$nearSphere`](https://www.mongodb.com/docs/manual/reference/operator/query/nearSphere/).
    pub fn near_sphere(&self, place: impl Into<Near>) -> Filter<M>
    where
        C: Geospatial,
        V: Queryable,
    {
        Filter::condition(&self.name, place.into().into_condition("$nearSphere"))
    }
}

fn encoded(geometry: &Geometry) -> Result<Bson> {
    geometry.check()?;
    encode_value(geometry)
}

fn pair([x, y]: [f64; 2]) -> Result<Bson> {
    match x.is_finite() && y.is_finite() {
        true => Ok(Bson::Array(vec![x.into(), y.into()])),
        false => Err(Error::invalid(format!("[{x}, {y}] is no place"))),
    }
}

fn distance(distance: f64) -> Result<f64> {
    match distance.is_finite() && distance >= 0.0 {
        true => Ok(distance),
        false => Err(Error::invalid(format!("{distance} is no distance"))),
    }
}
