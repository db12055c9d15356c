//! What may stand where an expression is expected: paths, expressions and plain values.

use bson::Bson;

use super::{Expr, Switch, literal};
use crate::filter::encode;
use crate::path::{FieldType, IntoKey, Path, Queryable};

/// Something that can stand where an expression over documents of model `M` is expected.
///
/// Paths, expressions, values of every type that a field can have, `&str`, and arrays of all of
/// these. Values are always literals.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an expression",
    label = "neither an expression, a path of the same model, nor a value that a field can have",
    note = "a condition is one where its path is: `p.votes().expr().gt(3)` in place of `p.votes().gt(3)`",
    note = "a value of a field with `with` or `#[odm(opaque)]`: `p.when().literal(value)`"
)]
pub trait IntoExpr<M> {
    /// The expression.
    fn into_expr(self) -> Expr<M>;
}

impl<M> IntoExpr<M> for Expr<M> {
    fn into_expr(self) -> Self {
        self
    }
}

impl<M> IntoExpr<M> for &Expr<M> {
    fn into_expr(self) -> Expr<M> {
        self.clone()
    }
}

impl<M> IntoExpr<M> for Switch<M> {
    fn into_expr(self) -> Expr<M> {
        self.end()
    }
}

impl<M, C, V: Queryable> IntoExpr<M> for Path<M, C, V> {
    fn into_expr(self) -> Expr<M> {
        self.expr()
    }
}

impl<M, C, V: Queryable> IntoExpr<M> for &Path<M, C, V> {
    fn into_expr(self) -> Expr<M> {
        self.expr()
    }
}

impl<M, T: FieldType<Key = T>> IntoExpr<M> for T {
    fn into_expr(self) -> Expr<M> {
        Expr::from_result(T::encode(&self).map(literal))
    }
}

#[diagnostic::do_not_recommend]
impl<M> IntoExpr<M> for &str {
    fn into_expr(self) -> Expr<M> {
        Expr::from_result(Ok(literal(self.into())))
    }
}

#[diagnostic::do_not_recommend]
impl<M> IntoExpr<M> for &String {
    fn into_expr(self) -> Expr<M> {
        self.as_str().into_expr()
    }
}

#[diagnostic::do_not_recommend]
impl<M, E: IntoExpr<M>, const N: usize> IntoExpr<M> for [E; N] {
    fn into_expr(self) -> Expr<M> {
        Expr::array(self)
    }
}

impl<M> Expr<M> {
    /// An array of the values of these expressions.
    ///
    /// ```
    /// # use odm::{Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32, likes: i32 }
    /// let p = Post::fields();
    /// assert_eq!(Expr::array([p.votes(), p.likes()]).to_string(), r#"["$votes", "$likes"]"#);
    /// ```
    pub fn array<E: IntoExpr<M>>(items: impl IntoIterator<Item = E>) -> Self {
        let items = items.into_iter().map(|item| item.into_expr().bson);
        Self::from_result(items.collect::<crate::Result<Vec<_>>>().map(Bson::Array))
    }
}

impl<M, C, V> Path<M, C, V> {
    /// The value at the path, as an expression: `"$votes"`. In a list of embedded documents it is
    /// the list of their values.
    ///
    /// A position in a list (`.at(0)`) is none for the server's expressions: use
    /// [`array_elem_at`](Expr::array_elem_at).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// let expr = Post::fields().votes().expr().gte(3);
    /// assert_eq!(expr.to_string(), r#"{ "$gte": ["$votes", { "$literal": 3 }] }"#);
    /// ```
    pub fn expr(&self) -> Expr<M>
    where
        V: Queryable,
    {
        Expr::from_result(self.name.expression().map(Bson::String))
    }

    /// A value of the field's type, encoded as the field stores it, as a literal. Only fields with
    /// `with` or `#[odm(opaque)]` need it: other values are literals by themselves.
    pub fn literal<K>(&self, value: K) -> Expr<M>
    where
        C: FieldType,
        K: IntoKey<C::Key>,
    {
        let value = encode::<C>(value).map_err(|error| error.with_path(self.as_str()));
        Expr::from_result(value.map(literal))
    }
}
