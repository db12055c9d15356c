//! Array operators with a closure: the element is a path with the fields of its type where the
//! array is a typed path, else an expression.
//!
//! Source: [array expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#array-expression-operators).

use bson::{Bson, doc};

use super::variable::{self, Scope};
use super::{Expr, IntoExpr, named};
use crate::error::Result;
use crate::path::{Direct, FieldType, List, Path, Queryable};

impl<M> Expr<M> {
    /// The elements for which the condition is true: `$filter`.
    ///
    /// From a path, [`Path::filter`] gives the element with its fields. See [`limit`](Self::limit).
    pub fn filter<E: IntoExpr<M>>(self, condition: impl FnOnce(Self) -> E) -> Self {
        let scope = Scope::enter();
        let condition = condition(Self::variable(&scope.each())).into_expr().bson;
        Self::from_result(filter(self.bson, &scope, condition))
    }

    /// What the closure makes of each element: `$map`.
    ///
    /// From a path, [`Path::map`] gives the element with its fields.
    pub fn map<E: IntoExpr<M>>(self, item: impl FnOnce(Self) -> E) -> Self {
        let scope = Scope::enter();
        let item = item(Self::variable(&scope.each())).into_expr().bson;
        Self::from_result(map(self.bson, &scope, item))
    }

    /// One value of all elements: the closure gets the value so far and an element: `$reduce`.
    ///
    /// From a path, [`Path::reduce`] gives the element with its fields.
    pub fn reduce<E: IntoExpr<M>>(
        self,
        initial: impl IntoExpr<M>,
        step: impl FnOnce(Self, Self) -> E,
    ) -> Self {
        let scope = Scope::reduce();
        let (value, this) = scope.value_and_this();
        let step = step(Self::variable(&value), Self::variable(&this)).into_expr().bson;
        Self::from_result(reduce(self.bson, initial.into_expr().bson, &scope, step))
    }
}

impl<M: 'static, L, V: Queryable> Path<M, L, V> {
    /// The elements for which the condition is true: `$filter`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Comment { who: String, likes: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32, comments: Vec<Comment> }
    /// let p = Post::fields();
    /// let liked = p.comments().filter(|comment| comment.likes().expr().gt(p.votes()));
    /// assert_eq!(
    ///     liked.to_string(),
    ///     concat!(
    ///         r#"{ "$filter": { "input": "$comments", "as": "each", "#,
    ///         r#""cond": { "$gt": ["$$each.likes", "$votes"] } } }"#,
    ///     ),
    /// );
    /// ```
    pub fn filter<T, E>(&self, condition: impl FnOnce(T::Path<M, T, Direct>) -> E) -> Expr<M>
    where
        T: FieldType,
        L: List<Element = T>,
        E: IntoExpr<M>,
    {
        let scope = Scope::enter();
        let condition = condition(variable::path::<M, T>(&scope.each())).into_expr().bson;
        Expr::from_result(filter(self.expr().bson, &scope, condition))
    }

    /// What the closure makes of each element: `$map`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, scores: Vec<i32>, bonus: i32 }
    /// let p = Student::fields();
    /// assert_eq!(
    ///     p.scores().map(|score| score + p.bonus()).to_string(),
    ///     r#"{ "$map": { "input": "$scores", "as": "each", "in": { "$add": ["$$each", "$bonus"] } } }"#,
    /// );
    /// ```
    pub fn map<T, E>(&self, item: impl FnOnce(T::Path<M, T, Direct>) -> E) -> Expr<M>
    where
        T: FieldType,
        L: List<Element = T>,
        E: IntoExpr<M>,
    {
        let scope = Scope::enter();
        let item = item(variable::path::<M, T>(&scope.each())).into_expr().bson;
        Expr::from_result(map(self.expr().bson, &scope, item))
    }

    /// One value of all elements: the closure gets the value so far and an element: `$reduce`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Line { price: f64, quantity: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Order { #[serde(rename = "_id")] id: i32, lines: Vec<Line> }
    /// let total = Order::fields().lines().reduce(0, |sum, line| sum + line.price() * line.quantity());
    /// assert_eq!(
    ///     total.to_string(),
    ///     concat!(
    ///         r#"{ "$reduce": { "input": "$lines", "initialValue": { "$literal": 0 }, "in": "#,
    ///         r#"{ "$add": ["$$value", { "$multiply": ["$$this.price", "$$this.quantity"] }] } } }"#,
    ///     ),
    /// );
    /// ```
    pub fn reduce<T, E>(
        &self,
        initial: impl IntoExpr<M>,
        step: impl FnOnce(Expr<M>, T::Path<M, T, Direct>) -> E,
    ) -> Expr<M>
    where
        T: FieldType,
        L: List<Element = T>,
        E: IntoExpr<M>,
    {
        let scope = Scope::reduce();
        let (value, this) = scope.value_and_this();
        let this = variable::path::<M, T>(&this);
        let step = step(Expr::variable(&value), this).into_expr().bson;
        let (input, initial) = (self.expr().bson, initial.into_expr().bson);
        Expr::from_result(reduce(input, initial, &scope, step))
    }
}

fn filter(input: Result<Bson>, scope: &Scope, condition: Result<Bson>) -> Result<Bson> {
    let each = Ok(Bson::String(scope.each()));
    named("$filter", vec![("input", input), ("as", each), ("cond", condition)])
}

fn map(input: Result<Bson>, scope: &Scope, item: Result<Bson>) -> Result<Bson> {
    let each = Ok(Bson::String(scope.each()));
    named("$map", vec![("input", input), ("as", each), ("in", item)])
}

/// The server names the two variables. Inside of another `$reduce` they get names of their own, and
/// the step sees those of the outer one under the server's names.
fn reduce(
    input: Result<Bson>,
    initial: Result<Bson>,
    scope: &Scope,
    step: Result<Bson>,
) -> Result<Bson> {
    if !scope.is_in_reduce() {
        return named("$reduce", vec![("input", input), ("initialValue", initial), ("in", step)]);
    }
    let outer = doc! { "outer_value": "$$value", "outer_this": "$$this" };
    let (value, this) = scope.value_and_this();
    let vars = doc! {
        value: "$$value", this: "$$this", "value": "$$outer_value", "this": "$$outer_this",
    };
    let step = named("$let", vec![("vars", Ok(vars.into())), ("in", step)]);
    let arguments = vec![("input", input), ("initialValue", initial), ("in", step)];
    let reduce = named("$reduce", arguments);
    named("$let", vec![("vars", Ok(outer.into())), ("in", reduce)])
}
