//! Aggregation: expressions, accumulators and stages, as values that need no server.
//!
//! [`Expr`] computes a value from the fields of one document, [`Accumulator`] one from those of many.
//! A [`Pipeline`] is made of stages that use them; [`aggregate`](crate::Collection::aggregate) sends
//! it. Expressions are also for filters and updates.

mod accumulator;
mod assign;
mod expr;
mod order;
mod pipeline;
mod stage;
mod window;

pub use accumulator::Accumulator;
pub use assign::{Accumulated, Assigned, Faceted, Windowed};
pub use expr::{DateUnit, Expr, IntoExpr, Switch};
pub use pipeline::Pipeline;
pub use stage::{
    Bucket, BucketAuto, Densify, Fill, FillMethod, GeoNear, Granularity, GraphLookup, Lookup,
    Merge, Unwind, WhenMatched, WhenNotMatched, Windows,
};
pub use window::{Bound, WindowFn};
