//! Stages that pass on some of the documents, as they are, or in an order.

use bson::{Bson, doc};

use super::super::{IntoExpr, Pipeline};
use crate::filter::Filter;
use crate::sort::Sort;

impl<M, D> Pipeline<M, D> {
    /// Passes on the documents that match: `$match`. As the first stage it uses indexes.
    ///
    /// `$text` must be in the first stage; `$near` and `$where` are not for aggregations.
    ///
    /// Source: [`$match`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/match/).
    pub fn match_(self, filter: Filter<D>) -> Self {
        self.stage(filter.into_document().map(|filter| doc! { "$match": filter }))
    }

    /// Sorts the documents: `$sort`. As an early stage it uses indexes; else it may hold 100 MB in
    /// memory, beyond which it needs `allow_disk_use`.
    ///
    /// Source: [`$sort`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/sort/).
    pub fn sort(self, sort: Sort<D>) -> Self {
        self.stage(sort.into_document().map(|sort| doc! { "$sort": sort }))
    }

    /// Passes on the first documents: `$limit`. The number is at least 1.
    ///
    /// Source: [`$limit`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/limit/).
    pub fn limit(self, limit: u64) -> Self {
        self.stage(positive(limit, "$limit").map(|limit| doc! { "$limit": limit }))
    }

    /// Leaves out the first documents: `$skip`.
    ///
    /// Source: [`$skip`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/skip/).
    pub fn skip(self, skip: u64) -> Self {
        self.stage(Ok(doc! { "$skip": i64::try_from(skip).unwrap_or(i64::MAX) }))
    }

    /// Passes on so many documents, by chance: `$sample`. The number is at least 1.
    ///
    /// Source: [`$sample`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/sample/).
    pub fn sample(self, size: u64) -> Self {
        self.stage(positive(size, "$sample").map(|size| doc! { "$sample": { "size": size } }))
    }

    /// Keeps, prunes or looks into each document and embedded document, as the expression says by
    /// [`Expr::keep`], [`Expr::prune`] and [`Expr::descend`]: `$redact`.
    ///
    /// Source: [`$redact`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/redact/).
    ///
    /// ```
    /// # use odm::{Expr, Pipeline, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Report { #[serde(rename = "_id")] id: i32, level: i32 }
    /// let level = Report::fields().level().expr();
    /// let pipeline = Pipeline::<Report>::new()
    ///     .redact(Expr::cond(level.lte(2), Expr::descend(), Expr::prune()));
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$redact": { "$cond": [{ "$lte": ["$level", { "$literal": 2 }] }, "#,
    ///         r#""$$DESCEND", "$$PRUNE"] } }]"#,
    ///     ),
    /// );
    /// ```
    ///
    /// [`Expr::keep`]: crate::Expr::keep
    /// [`Expr::prune`]: crate::Expr::prune
    /// [`Expr::descend`]: crate::Expr::descend
    pub fn redact(self, expression: impl IntoExpr<D>) -> Self {
        let expression = expression.into_expr().into_bson();
        self.stage(expression.map(|expression| doc! { "$redact": expression }))
    }
}

fn positive(number: u64, stage: &str) -> crate::Result<Bson> {
    match i64::try_from(number) {
        Ok(0) => Err(crate::Error::invalid(format!("the number of `{stage}` must be positive"))),
        number => Ok(number.unwrap_or(i64::MAX).into()),
    }
}
