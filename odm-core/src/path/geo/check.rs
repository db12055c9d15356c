//! What the server would refuse in a geometry, found before it is sent.

use super::{Geometry, Position};
use crate::error::{Error, Result};

impl Position {
    /// Whether the position is on the globe.
    pub(crate) fn check(self) -> Result<()> {
        check(self.longitude, 180, "longitude")?;
        check(self.latitude, 90, "latitude")
    }
}

fn check(degrees: f64, most: u8, what: &str) -> Result<()> {
    // Not a number is in no range.
    match (-f64::from(most)..=f64::from(most)).contains(&degrees) {
        true => Ok(()),
        false => {
            let message = format!(
                "a {what} of {degrees} is not within -{most} and {most}; the longitude is given \
                 first"
            );
            Err(Error::invalid(message))
        }
    }
}

impl Geometry {
    /// Whether each position is on the globe, and each line and ring has enough of them.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Point(point) => point.coordinates.check(),
            Self::LineString(line) => check_line(&line.coordinates),
            Self::Polygon(polygon) => polygon.coordinates.iter().try_for_each(|r| check_ring(r)),
            Self::MultiPoint(points) => points.coordinates.iter().try_for_each(|p| p.check()),
            Self::MultiLineString(lines) => {
                lines.coordinates.iter().try_for_each(|l| check_line(l))
            }
            Self::MultiPolygon(polygons) => {
                polygons.coordinates.iter().flatten().try_for_each(|r| check_ring(r))
            }
            Self::GeometryCollection(all) => all.geometries().iter().try_for_each(Self::check),
        }
    }
}

fn check_line(line: &[Position]) -> Result<()> {
    if line.len() < 2 {
        return Err(Error::invalid("a line needs two positions"));
    }
    line.iter().try_for_each(|position| position.check())
}

fn check_ring(ring: &[Position]) -> Result<()> {
    if ring.len() < 4 || ring.first() != ring.last() {
        let message = "a ring of a polygon needs three corners and ends where it begins";
        return Err(Error::invalid(message));
    }
    ring.iter().try_for_each(|position| position.check())
}
