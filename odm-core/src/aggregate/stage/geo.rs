//! `$geoNear`.

use std::marker::PhantomData;

use bson::{Bson, Document as BsonDocument, doc};

use super::super::Pipeline;
use crate::error::Result;
use crate::filter::Filter;
use crate::model::Embedded;
use crate::path::{Direct, IntoPath, Queryable};

impl<M, D> Pipeline<M, D> {
    /// The documents from the nearest to the farthest, with the distance in a field of the output
    /// `O`: `$geoNear`. It must be the first stage, and needs a geospatial index.
    ///
    /// # Errors
    /// As [`add_fields`](Self::add_fields).
    ///
    /// Source: [`$geoNear`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/geoNear/).
    ///
    /// ```
    /// use odm::aggregate::GeoNear;
    /// use odm::{Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Place { #[serde(rename = "_id")] id: i32, name: String, location: bson::Document }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct Near {
    ///     name: String,
    ///     meters: f64,
    /// }
    ///
    /// let pipeline = Pipeline::<Place>::new().geo_near::<Near, _>(
    ///     GeoNear::point(-73.99, 40.73).max_distance(2000.0),
    ///     Near::fields().meters(),
    /// );
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$geoNear": { "near": { "type": "Point", "coordinates": [-73.99, 40.73] }, "#,
    ///         r#""spherical": true, "maxDistance": 2000, "distanceField": "meters" } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn geo_near<O: Embedded, P>(self, near: GeoNear<D>, distance: P) -> Pipeline<M, O>
    where
        P: IntoPath<O, Via = Direct>,
    {
        let distance = distance.into_path().name;
        let stage = distance.checked().and_then(|distance| {
            let mut arguments = near.arguments?;
            let mut provided = doc! { distance: 1 };
            if let Ok(location) = arguments.get_str("includeLocs") {
                provided.insert(location, 1);
            }
            self.beside("", Ok(provided), O::SHAPE)?;
            arguments.insert("distanceField", distance);
            Ok(doc! { "$geoNear": arguments })
        });
        self.stage_into(stage)
    }
}

/// Where [`Pipeline::geo_near`] looks.
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct GeoNear<D> {
    arguments: Result<BsonDocument>,
    marker: PhantomData<fn() -> D>,
}

impl<D> GeoNear<D> {
    /// Around a point on the earth, by longitude and latitude in degrees; distances are in meters.
    pub fn point(longitude: f64, latitude: f64) -> Self {
        let point = doc! { "type": "Point", "coordinates": [longitude, latitude] };
        Self { arguments: Ok(doc! { "near": point, "spherical": true }), marker: PhantomData }
    }

    /// Around a point on a plane, by an index of kind `2d`; distances are in the same unit.
    pub fn planar(x: f64, y: f64) -> Self {
        Self { arguments: Ok(doc! { "near": [x, y], "spherical": false }), marker: PhantomData }
    }

    /// The greatest distance.
    pub fn max_distance(self, distance: f64) -> Self {
        self.argument("maxDistance", Ok(distance.into()))
    }

    /// The least distance.
    pub fn min_distance(self, distance: f64) -> Self {
        self.argument("minDistance", Ok(distance.into()))
    }

    /// What distances are multiplied by: 0.001 for kilometers.
    pub fn distance_multiplier(self, factor: f64) -> Self {
        self.argument("distanceMultiplier", Ok(factor.into()))
    }

    /// Only documents that match.
    pub fn query(self, filter: Filter<D>) -> Self {
        self.argument("query", filter.into_document().map(Bson::Document))
    }

    /// The indexed field, where the collection has several geospatial indexes.
    pub fn key<P: IntoPath<D, Via: Queryable>>(self, path: P) -> Self {
        let path = path.into_path().name.checked().map(Bson::from);
        self.argument("key", path)
    }

    /// A field of the output that gets the place that the distance is to.
    pub fn include_locs<O, P: IntoPath<O, Via = Direct>>(self, field: P) -> Self {
        let field = field.into_path().name.checked().map(Bson::from);
        self.argument("includeLocs", field)
    }

    fn argument(mut self, name: &str, value: Result<Bson>) -> Self {
        self.arguments = self.arguments.and_then(|mut arguments| {
            arguments.insert(name, value?);
            Ok(arguments)
        });
        self
    }
}
