//! A geometry of any kind, and collections of them.

use serde::{Deserialize, Serialize};

use super::{
    LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon, Position, Positions,
};

/// A geometry of any kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
#[non_exhaustive]
pub enum Geometry {
    /// One position.
    Point(Point),
    /// A line.
    LineString(LineString),
    /// An area.
    Polygon(Polygon),
    /// Several positions.
    MultiPoint(MultiPoint),
    /// Several lines.
    MultiLineString(MultiLineString),
    /// Several areas.
    MultiPolygon(MultiPolygon),
    /// Several geometries.
    GeometryCollection(GeometryCollection),
}

/// Several geometries of any kinds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GeometryCollection {
    r#type: Tag,
    geometries: Vec<Geometry>,
}

/// The value of `type`, and no other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Tag {
    GeometryCollection,
}

impl GeometryCollection {
    /// These geometries.
    #[must_use]
    pub fn new(geometries: impl IntoIterator<Item = Geometry>) -> Self {
        Self { r#type: Tag::GeometryCollection, geometries: geometries.into_iter().collect() }
    }

    /// The geometries as they are stored.
    #[must_use]
    pub fn geometries(&self) -> &[Geometry] {
        &self.geometries
    }
}

/// A geometry as serde stores it: so that an unknown `type` is named in the error.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type")]
enum Stored {
    Point { coordinates: Position },
    LineString { coordinates: Positions },
    Polygon { coordinates: Vec<Positions> },
    MultiPoint { coordinates: Positions },
    MultiLineString { coordinates: Vec<Positions> },
    MultiPolygon { coordinates: Vec<Vec<Positions>> },
    GeometryCollection { geometries: Vec<Geometry> },
}

macro_rules! conversions {
    ($($name:ident)+) => {
        impl From<Stored> for Geometry {
            fn from(stored: Stored) -> Self {
                match stored {
                    $(Stored::$name { coordinates } => $name::of_coordinates(coordinates).into(),)+
                    Stored::GeometryCollection { geometries } => {
                        GeometryCollection::new(geometries).into()
                    }
                }
            }
        }

        impl From<Geometry> for Stored {
            fn from(geometry: Geometry) -> Self {
                match geometry {
                    $(Geometry::$name($name { coordinates, .. }) => Self::$name { coordinates },)+
                    Geometry::GeometryCollection(GeometryCollection { geometries, .. }) => {
                        Self::GeometryCollection { geometries }
                    }
                }
            }
        }

        $(
            impl From<$name> for Geometry {
                fn from(geometry: $name) -> Self {
                    Self::$name(geometry)
                }
            }
        )+

        impl From<GeometryCollection> for Geometry {
            fn from(collection: GeometryCollection) -> Self {
                Self::GeometryCollection(collection)
            }
        }
    };
}

conversions!(Point LineString Polygon MultiPoint MultiLineString MultiPolygon);
