//! A position: what every geometry is made of.

use std::fmt;

use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::Point;

/// A longitude and a latitude in degrees, stored as `[longitude, latitude]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(into = "[f64; 2]")]
pub struct Position {
    /// From -180 to 180; east of Greenwich is positive.
    pub longitude: f64,
    /// From -90 to 90; north of the equator is positive.
    pub latitude: f64,
}

impl From<[f64; 2]> for Position {
    fn from([longitude, latitude]: [f64; 2]) -> Self {
        Self { longitude, latitude }
    }
}

impl From<Position> for [f64; 2] {
    fn from(position: Position) -> Self {
        [position.longitude, position.latitude]
    }
}

impl From<Point> for Position {
    fn from(point: Point) -> Self {
        *point.coordinates()
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(2, Pair)
    }
}

/// Reads two numbers and nothing after them: a height would be lost.
struct Pair;

impl<'de> Visitor<'de> for Pair {
    type Value = Position;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("two coordinates, longitude and latitude")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut coordinates: A) -> Result<Position, A::Error> {
        let mut read = |position: usize| {
            let coordinate = coordinates.next_element()?;
            coordinate.ok_or_else(|| A::Error::invalid_length(position, &self))
        };
        let position = Position { longitude: read(0)?, latitude: read(1)? };
        match coordinates.next_element::<IgnoredAny>()? {
            None => Ok(position),
            Some(_) => Err(A::Error::invalid_length(3, &self)),
        }
    }
}
