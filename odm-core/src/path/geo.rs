//! GeoJSON geometries as types of fields.
//!
//! Each is stored exactly as GeoJSON writes it, as `{ type: "Point", coordinates: [2.35, 48.86] }`:
//! longitude first, then latitude, in degrees. A `2dsphere` index makes `near` possible and
//! `geo_within` and `geo_intersects` fast. Positions have two coordinates: a stored position with
//! a height is an error when it is read.
//!
//! Source: [GeoJSON objects](https://www.mongodb.com/docs/manual/reference/geojson/).
//!
//! ```
//! # use odm::prelude::*;
//! # #[derive(serde::Serialize, serde::Deserialize, Document)]
//! # struct Cafe { #[serde(rename = "_id")] id: i32, place: odm::geo::Point }
//! use odm::geo::Point;
//! let filter = Cafe::fields().place().eq(Point::new(2.35, 48.86));
//! assert_eq!(
//!     filter.to_string(),
//!     r#"{ "place": { "$eq": { "type": "Point", "coordinates": [2.35, 48.86] } } }"#,
//! );
//! ```

mod check;
mod geometry;
mod position;

pub use geometry::{Geometry, GeometryCollection};
pub use position::Position;

use bson::Bson;
use bson::spec::ElementType;
use serde::{Deserialize, Serialize};

use super::{FieldType, Geospatial, IntoKey, Nest, Path};
use crate::codec::{RawBuffer, RawValue, encode_value, read, write};
use crate::error::Result;
use crate::model::Kind;

/// A ring, or any other list of positions.
pub type Positions = Vec<Position>;

fn positions<P: Into<Position>>(positions: impl IntoIterator<Item = P>) -> Positions {
    positions.into_iter().map(Into::into).collect()
}

/// A ring of a polygon, closed if it was not.
fn ring<P: Into<Position>>(corners: impl IntoIterator<Item = P>) -> Positions {
    let mut ring = positions(corners);
    if let Some(&first) = ring.first()
        && (ring.len() == 1 || ring.last() != Some(&first))
    {
        ring.push(first);
    }
    ring
}

/// Declares the geometries: the name, which is also the value of `type`, and the coordinates.
macro_rules! geometries {
    ($($(#[$doc:meta])+ $name:ident: $coordinates:ty;)+) => {
        mod tag {
            use serde::{Deserialize, Serialize};
            $(
                /// The value of `type`, and no other.
                #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
                pub(super) enum $name { $name }
            )+
        }
        $(
            $(#[$doc])+
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            pub struct $name {
                r#type: tag::$name,
                coordinates: $coordinates,
            }

            impl $name {
                /// The coordinates as they are stored.
                #[must_use]
                pub fn coordinates(&self) -> &$coordinates {
                    &self.coordinates
                }

                /// Of coordinates as they are stored.
                #[must_use]
                pub fn of_coordinates(coordinates: $coordinates) -> Self {
                    Self { r#type: tag::$name::$name, coordinates }
                }
            }
        )+
        field_types!($($name)+);
    };
}

/// Makes the types those of fields that take geospatial operators.
macro_rules! field_types {
    ($($name:ident)+) => {$(
        impl Nest for $name {
            type Via<V: 'static> = V;
        }

        #[diagnostic::do_not_recommend]
        impl FieldType for $name {
            type Path<M: 'static, C: 'static, V: 'static> = Path<M, C, V>;
            type Key = Self;
            const KIND: Kind = Kind::Document;

            fn encode(key: &Self) -> Result<Bson> {
                encode_value(key)
            }

            fn read_raw(value: RawValue<'_>) -> Option<Self> {
                read::by_serde(value)
            }

            fn write_raw(&self, out: &mut RawBuffer) -> Option<ElementType> {
                write::by_serde(self, out)
            }
        }

        #[diagnostic::do_not_recommend]
        impl Geospatial for $name {}

        #[diagnostic::do_not_recommend]
        impl IntoKey<Option<$name>> for $name {
            fn into_key(self) -> Option<$name> {
                Some(self)
            }
        }
    )+};
}

geometries! {
    /// One position.
    Point: Position;
    /// A line through two or more positions.
    LineString: Positions;
    /// An area: the ring around it, then those of the holes in it. The first position of each ring
    /// is also its last.
    Polygon: Vec<Positions>;
    /// Several positions.
    MultiPoint: Positions;
    /// Several lines.
    MultiLineString: Vec<Positions>;
    /// Several areas.
    MultiPolygon: Vec<Vec<Positions>>;
}

field_types!(Geometry GeometryCollection);

impl Copy for Point {}

impl Point {
    /// The point at this longitude and latitude, in degrees.
    #[must_use]
    pub fn new(longitude: f64, latitude: f64) -> Self {
        Self::of_coordinates(Position { longitude, latitude })
    }

    /// From -180 to 180; east of Greenwich is positive.
    #[must_use]
    pub fn longitude(&self) -> f64 {
        self.coordinates.longitude
    }

    /// From -90 to 90; north of the equator is positive.
    #[must_use]
    pub fn latitude(&self) -> f64 {
        self.coordinates.latitude
    }
}

impl LineString {
    /// The line through these positions, of which there must be two.
    #[must_use]
    pub fn new<P: Into<Position>>(line: impl IntoIterator<Item = P>) -> Self {
        Self::of_coordinates(positions(line))
    }
}

impl Polygon {
    /// The area in this ring of three or more corners. The ring is closed if it is not yet.
    ///
    /// ```
    /// use odm::geo::Polygon;
    /// let area = Polygon::new([[0.0, 0.0], [3.0, 6.0], [6.0, 1.0]]);
    /// assert_eq!(area.coordinates()[0].len(), 4);
    /// ```
    #[must_use]
    pub fn new<P: Into<Position>>(corners: impl IntoIterator<Item = P>) -> Self {
        Self::of_coordinates(vec![ring(corners)])
    }

    /// The same area with a hole in it.
    #[must_use]
    pub fn hole<P: Into<Position>>(mut self, corners: impl IntoIterator<Item = P>) -> Self {
        self.coordinates.push(ring(corners));
        self
    }
}

impl MultiPoint {
    /// These positions.
    #[must_use]
    pub fn new<P: Into<Position>>(points: impl IntoIterator<Item = P>) -> Self {
        Self::of_coordinates(positions(points))
    }
}

impl MultiLineString {
    /// These lines.
    #[must_use]
    pub fn new(lines: impl IntoIterator<Item = LineString>) -> Self {
        Self::of_coordinates(lines.into_iter().map(|line| line.coordinates).collect())
    }
}

impl MultiPolygon {
    /// These areas.
    #[must_use]
    pub fn new(polygons: impl IntoIterator<Item = Polygon>) -> Self {
        Self::of_coordinates(polygons.into_iter().map(|polygon| polygon.coordinates).collect())
    }
}

// Legacy pairs, and what may hold any geometry.
#[diagnostic::do_not_recommend]
impl Geospatial for [f64; 2] {}
#[diagnostic::do_not_recommend]
impl Geospatial for Vec<f64> {}
#[diagnostic::do_not_recommend]
impl Geospatial for bson::Document {}
