//! The stages of a pipeline: methods of [`Pipeline`](super::Pipeline), in files by what they do.

mod fill;
mod geo;
mod group;
mod join;
mod select;
mod shape;
mod unwind;
mod window;
mod write;

pub use fill::{Densify, Fill, FillMethod};
pub use geo::GeoNear;
pub use group::{Bucket, BucketAuto, Granularity};
pub use join::{GraphLookup, Lookup};
pub use unwind::Unwind;
pub use window::Windows;
pub use write::{Merge, WhenMatched, WhenNotMatched};
