//! Trigonometry operators. Angles are in radians.
//!
//! Source: [trigonometry expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#trigonometry-expression-operators).

use super::{Expr, IntoExpr};

/// Methods for operators with one argument.
macro_rules! unary {
    ($($method:ident $operator:literal: $doc:literal;)+) => {
        impl<M> Expr<M> {$(
            #[doc = $doc]
            pub fn $method(self) -> Self {
                self.unary($operator)
            }
        )+}
    };
}

unary! {
    sin "$sin": "The sine: `$sin`.";
    cos "$cos": "The cosine: `$cos`.";
    tan "$tan": "The tangent: `$tan`.";
    asin "$asin": "The inverse sine: `$asin`.";
    acos "$acos": "The inverse cosine: `$acos`.";
    atan "$atan": "The inverse tangent: `$atan`.";
    sinh "$sinh": "The hyperbolic sine: `$sinh`.";
    cosh "$cosh": "The hyperbolic cosine: `$cosh`.";
    tanh "$tanh": "The hyperbolic tangent: `$tanh`.";
    asinh "$asinh": "The inverse hyperbolic sine: `$asinh`.";
    acosh "$acosh": "The inverse hyperbolic cosine: `$acosh`.";
    atanh "$atanh": "The inverse hyperbolic tangent: `$atanh`.";
    degrees_to_radians "$degreesToRadians": "Degrees in radians: `$degreesToRadians`.";
    radians_to_degrees "$radiansToDegrees": "Radians in degrees: `$radiansToDegrees`.";
}

impl<M> Expr<M> {
    /// The angle of the point whose y is this and whose x is the other: `$atan2`.
    pub fn atan2(self, x: impl IntoExpr<M>) -> Self {
        self.with("$atan2", [x.into_expr().bson])
    }
}
