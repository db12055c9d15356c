//! Aggregation: expressions, accumulators and stages, as values that need no server.
//!
//! [`Expr`] computes a value from the fields of one document. It is made of typed paths, and used
//! by the stages of a pipeline, by filters and by updates.

mod expr;

pub use expr::{DateUnit, Expr, IntoExpr, Switch};
