//! Conditional operators.
//!
//! Source: [conditional expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#conditional-expression-operators).

use bson::{Bson, Document, doc};

use super::{Expr, IntoExpr};
use crate::error::Result;

impl<M> Expr<M> {
    /// One of two values, by a condition: `$cond`.
    ///
    /// ```
    /// # use odm::{Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Item { #[serde(rename = "_id")] id: i32, quantity: i32 }
    /// let quantity = Item::fields().quantity();
    /// assert_eq!(
    ///     Expr::cond(quantity.expr().gte(250), 30, 20).to_string(),
    ///     concat!(
    ///         r#"{ "$cond": [{ "$gte": ["$quantity", { "$literal": 250 }] }, "#,
    ///         r#"{ "$literal": 30 }, { "$literal": 20 }] }"#,
    ///     ),
    /// );
    /// ```
    pub fn cond(
        condition: impl IntoExpr<M>,
        then: impl IntoExpr<M>,
        otherwise: impl IntoExpr<M>,
    ) -> Self {
        let (then, otherwise) = (then.into_expr().bson, otherwise.into_expr().bson);
        condition.into_expr().with("$cond", [then, otherwise])
    }

    /// The value, or another where it is null or missing: `$ifNull`. Calls in a chain go on to the
    /// next where that is null, too.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: i32, nick: Option<String>, name: Option<String> }
    /// let p = User::fields();
    /// assert_eq!(
    ///     p.nick().expr().if_null(p.name()).if_null("anonymous").to_string(),
    ///     r#"{ "$ifNull": ["$nick", "$name", { "$literal": "anonymous" }] }"#,
    /// );
    /// ```
    pub fn if_null(self, replacement: impl IntoExpr<M>) -> Self {
        self.joined("$ifNull", replacement.into_expr().bson)
    }

    /// The value of the first case whose condition is true: `$switch`.
    ///
    /// Without [`otherwise`](Switch::otherwise), a document that fits no case is an error of the
    /// server.
    ///
    /// ```
    /// # use odm::{Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Student { #[serde(rename = "_id")] id: i32, score: i32 }
    /// let score = Student::fields().score();
    /// let grade = Expr::switch()
    ///     .case(score.expr().gte(90), "A")
    ///     .case(score.expr().gte(80), "B")
    ///     .otherwise("C");
    /// assert!(grade.to_string().starts_with(r#"{ "$switch": { "branches": [{ "case": "#));
    /// ```
    pub fn switch() -> Switch<M> {
        Switch { branches: Ok(Vec::new()), marker: std::marker::PhantomData }
    }
}

/// The cases of [`Expr::switch`].
#[derive(Debug)]
#[must_use = "an expression does nothing until a stage, a filter or an update takes it"]
pub struct Switch<M> {
    branches: Result<Vec<Bson>>,
    marker: std::marker::PhantomData<fn() -> M>,
}

impl<M> Switch<M> {
    /// The value where the condition is true, and that of no case before.
    pub fn case(mut self, condition: impl IntoExpr<M>, then: impl IntoExpr<M>) -> Self {
        let branch = branch(condition.into_expr().bson, then.into_expr().bson);
        self.branches = self.branches.and_then(|mut branches| {
            branches.push(branch?.into());
            Ok(branches)
        });
        self
    }

    /// The value where no condition is true.
    pub fn otherwise(self, default: impl IntoExpr<M>) -> Expr<M> {
        let branches = self.branches.map(Bson::Array);
        Expr::named("$switch", [("branches", branches), ("default", default.into_expr().bson)])
    }

    pub(super) fn end(self) -> Expr<M> {
        Expr::named("$switch", [("branches", self.branches.map(Bson::Array))])
    }
}

fn branch(condition: Result<Bson>, then: Result<Bson>) -> Result<Document> {
    Ok(doc! { "case": condition?, "then": then? })
}
