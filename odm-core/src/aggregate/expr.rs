//! Expressions: values computed by the server from a document's fields.
//!
//! The operators are methods of [`Expr`], in files by the manual's groups; each is a thin shell
//! over the untyped functions at the end of this file.

mod arithmetic;
mod array;
mod boolean;
mod comparison;
mod conditional;
mod date;
mod element;
mod into;
mod miscellaneous;
mod object;
mod option;
mod set;
mod string;
mod trigonometry;
mod type_;
mod variable;

pub use conditional::Switch;
pub use date::DateUnit;
pub use into::IntoExpr;
pub(super) use variable::check_variable;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};
use serde::Serialize;

use crate::codec::encode_value;
use crate::error::Result;

/// A value that the server computes from the fields of a document of model `M`.
///
/// Made of paths, by [`Path::expr`](crate::path::Path::expr), of other expressions, and of plain
/// values. A value is always a literal, whatever it holds: the text `"$votes"` is that text and
/// never the field. An error in a value is kept and returned by the action, before anything is
/// sent.
///
/// `+`, `-`, `*`, `/`, `%`, `&`, `|` and `!` are the operators of the same meaning; the others are
/// methods, named as in the manual.
///
/// Source: [aggregation operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/).
///
/// ```
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Sale { #[serde(rename = "_id")] id: i32, price: f64, quantity: i32, item: String }
/// let p = Sale::fields();
/// let total = p.price() * p.quantity();
/// assert_eq!(total.to_string(), r#"{ "$multiply": ["$price", "$quantity"] }"#);
///
/// let is_dear = total.gt(100) & p.item().expr().ne("$item");
/// assert_eq!(
///     is_dear.to_string(),
///     concat!(
///         r#"{ "$and": [{ "$gt": [{ "$multiply": ["$price", "$quantity"] }, { "$literal": 100 }] }, "#,
///         r#"{ "$ne": ["$item", { "$literal": "$item" }] }] }"#,
///     ),
/// );
/// ```
#[must_use = "an expression does nothing until a stage, a filter or an update takes it"]
pub struct Expr<M> {
    bson: Result<Bson>,
    marker: PhantomData<fn() -> M>,
}

impl<M> Expr<M> {
    /// Any expression in the server's own words.
    ///
    /// Nothing in it is checked against the model, and nothing is escaped: never build it from
    /// input.
    ///
    /// ```
    /// # use odm::{Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// use bson::doc;
    /// let expr = Post::fields().votes() + Expr::raw(doc! { "$toInt": "$old_votes" });
    /// assert_eq!(expr.to_string(), r#"{ "$add": ["$votes", { "$toInt": "$old_votes" }] }"#);
    /// ```
    pub fn raw(expression: impl Into<Bson>) -> Self {
        Self::from_result(Ok(expression.into()))
    }

    /// Any value that serde can write, as it is: `$literal`. Wherever an expression is expected, a
    /// plain value is taken for one by itself.
    ///
    /// ```
    /// # use odm::{Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// let price: Expr<Post> = Expr::literal("$5");
    /// assert_eq!(price.to_string(), r#"{ "$literal": "$5" }"#);
    /// ```
    ///
    /// Source: [`$literal`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/literal/).
    pub fn literal(value: impl Serialize) -> Self {
        Self::from_result(encode_value(&value).map(literal))
    }

    /// The expression as it is sent.
    ///
    /// # Errors
    /// The error that a value, path or option in it had.
    pub fn into_bson(self) -> Result<Bson> {
        self.bson
    }

    pub(crate) fn from_result(bson: Result<Bson>) -> Self {
        Self { bson, marker: PhantomData }
    }

    /// An operator with one argument.
    fn unary(self, operator: &'static str) -> Self {
        Self::from_result(unary(operator, self.bson))
    }

    /// An operator with several arguments, this one first.
    fn with<const N: usize>(self, operator: &'static str, others: [Result<Bson>; N]) -> Self {
        Self::from_result(nary(operator, self.bson, others.into()))
    }

    /// As [`with`](Self::with), where a chain of the same operator is one operator.
    fn joined(self, operator: &'static str, other: Result<Bson>) -> Self {
        Self::from_result(joined(operator, self.bson, other))
    }

    /// An operator with named arguments, some of which may be absent.
    fn named<const N: usize>(
        operator: &'static str,
        arguments: [(&'static str, Result<Bson>); N],
    ) -> Self {
        Self::from_result(named(operator, arguments.into()))
    }
}

impl<M> Clone for Expr<M> {
    fn clone(&self) -> Self {
        Self::from_result(self.bson.clone())
    }
}

impl<M> fmt::Debug for Expr<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expr").field(&self.bson).finish()
    }
}

impl<M> fmt::Display for Expr<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.bson {
            Ok(expression) => write!(f, "{expression}"),
            Err(error) => write!(f, "invalid expression: {error}"),
        }
    }
}

/// A value that the server takes as it is.
fn literal(value: Bson) -> Bson {
    doc! { "$literal": value }.into()
}

fn unary(operator: &str, argument: Result<Bson>) -> Result<Bson> {
    argument.map(|argument| match argument {
        // The server reads an array as the list of arguments.
        Bson::Array(_) => doc! { operator: [argument] }.into(),
        argument => doc! { operator: argument }.into(),
    })
}

fn nary(operator: &str, first: Result<Bson>, others: Vec<Result<Bson>>) -> Result<Bson> {
    let arguments: Result<Vec<_>> = std::iter::once(first).chain(others).collect();
    Ok(doc! { operator: arguments? }.into())
}

fn joined(operator: &str, first: Result<Bson>, other: Result<Bson>) -> Result<Bson> {
    let (mut first, other) = (first?, other?);
    if let Bson::Document(document) = &mut first
        && document.len() == 1
        && let Some(Bson::Array(arguments)) = document.get_mut(operator)
    {
        arguments.push(other);
        return Ok(first);
    }
    Ok(doc! { operator: [first, other] }.into())
}

fn named(operator: &str, arguments: Vec<(&'static str, Result<Bson>)>) -> Result<Bson> {
    let mut document = Document::new();
    for (name, argument) in arguments {
        document.insert(name, argument?);
    }
    Ok(doc! { operator: document }.into())
}
