//! Arithmetic operators.
//!
//! Source: [arithmetic expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#arithmetic-expression-operators).

use std::ops::{Add, Div, Mul, Rem, Sub};

use super::{Expr, IntoExpr};
use crate::path::{Path, Queryable};

/// Implements an operator of Rust for expressions and paths; a chain of an associative one is one
/// operator.
macro_rules! operators {
    ($($trait:ident $method:ident $operator:literal $build:ident: $doc:literal;)+) => {$(
        impl<M, E: IntoExpr<M>> $trait<E> for Expr<M> {
            type Output = Self;

            #[doc = $doc]
            fn $method(self, other: E) -> Self {
                self.$build($operator, other.into_expr().bson)
            }
        }

        impl<M, C, V: Queryable, E: IntoExpr<M>> $trait<E> for Path<M, C, V> {
            type Output = Expr<M>;

            #[doc = $doc]
            fn $method(self, other: E) -> Expr<M> {
                self.expr().$build($operator, other.into_expr().bson)
            }
        }
    )+};
}

operators! {
    Add add "$add" joined: "The sum of two numbers, or of a date and milliseconds: `$add`.";
    Sub sub "$subtract" pair: "The difference of two numbers, two dates (in milliseconds), or a date and milliseconds: `$subtract`.";
    Mul mul "$multiply" joined: "The product: `$multiply`.";
    Div div "$divide" pair: "The quotient, never cut to an integer: `$divide`.";
    Rem rem "$mod" pair: "The remainder: `$mod`.";
}

impl<M> Expr<M> {
    fn pair(self, operator: &'static str, other: crate::Result<bson::Bson>) -> Self {
        self.with(operator, [other])
    }

    /// The absolute value: `$abs`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Reading { #[serde(rename = "_id")] id: i32, start: f64, end: f64 }
    /// let p = Reading::fields();
    /// let distance = (p.end() - p.start()).abs().round_to(1);
    /// assert_eq!(
    ///     distance.to_string(),
    ///     r#"{ "$round": [{ "$abs": { "$subtract": ["$end", "$start"] } }, { "$literal": 1 }] }"#,
    /// );
    /// ```
    pub fn abs(self) -> Self {
        self.unary("$abs")
    }

    /// The smallest integer that is not less: `$ceil`.
    pub fn ceil(self) -> Self {
        self.unary("$ceil")
    }

    /// e to this power: `$exp`.
    pub fn exp(self) -> Self {
        self.unary("$exp")
    }

    /// The largest integer that is not greater: `$floor`.
    pub fn floor(self) -> Self {
        self.unary("$floor")
    }

    /// The natural logarithm: `$ln`.
    pub fn ln(self) -> Self {
        self.unary("$ln")
    }

    /// The logarithm to a base: `$log`.
    pub fn log(self, base: impl IntoExpr<M>) -> Self {
        self.with("$log", [base.into_expr().bson])
    }

    /// The logarithm to base 10: `$log10`.
    pub fn log10(self) -> Self {
        self.unary("$log10")
    }

    /// This to the power of the exponent: `$pow`.
    pub fn pow(self, exponent: impl IntoExpr<M>) -> Self {
        self.with("$pow", [exponent.into_expr().bson])
    }

    /// The nearest integer, halves to the even one: `$round`.
    pub fn round(self) -> Self {
        self.unary("$round")
    }

    /// Rounded to a number of decimal places, from -20 to 100; negative ones are left of the point:
    /// `$round`.
    pub fn round_to(self, place: impl IntoExpr<M>) -> Self {
        self.with("$round", [place.into_expr().bson])
    }

    /// The square root: `$sqrt`.
    pub fn sqrt(self) -> Self {
        self.unary("$sqrt")
    }

    /// Cut to an integer: `$trunc`.
    pub fn trunc(self) -> Self {
        self.unary("$trunc")
    }

    /// Cut to a number of decimal places: `$trunc`.
    pub fn trunc_to(self, place: impl IntoExpr<M>) -> Self {
        self.with("$trunc", [place.into_expr().bson])
    }

    /// The bits that both integers have: `$bitAnd`. From MongoDB 6.3.
    pub fn bit_and(self, other: impl IntoExpr<M>) -> Self {
        self.joined("$bitAnd", other.into_expr().bson)
    }

    /// The bits that at least one of the integers has: `$bitOr`. From MongoDB 6.3.
    pub fn bit_or(self, other: impl IntoExpr<M>) -> Self {
        self.joined("$bitOr", other.into_expr().bson)
    }

    /// The bits that just one of the integers has: `$bitXor`. From MongoDB 6.3.
    pub fn bit_xor(self, other: impl IntoExpr<M>) -> Self {
        self.joined("$bitXor", other.into_expr().bson)
    }

    /// The bits that the integer lacks: `$bitNot`. From MongoDB 6.3.
    pub fn bit_not(self) -> Self {
        self.unary("$bitNot")
    }
}
