//! Variables: the server's own, and those of `$let`.
//!
//! Source: [aggregation variables](https://www.mongodb.com/docs/manual/reference/aggregation-variables/).

use std::borrow::Cow;
use std::cell::Cell;

use bson::{Bson, doc};

use super::{Expr, IntoExpr, named};
use crate::path::{FieldType, Name, Path};

impl<M> Expr<M> {
    /// The whole document: `$$ROOT`.
    pub fn root() -> Self {
        Self::variable("ROOT")
    }

    /// The document or embedded document at hand, in `$redact`: `$$CURRENT`.
    pub fn current() -> Self {
        Self::variable("CURRENT")
    }

    /// The time of the server when the operation began: `$$NOW`.
    pub fn now() -> Self {
        Self::variable("NOW")
    }

    /// The timestamp of the operation, of a replica set or sharded cluster: `$$CLUSTER_TIME`.
    pub fn cluster_time() -> Self {
        Self::variable("CLUSTER_TIME")
    }

    /// No value: the field that it is given to is left out, or removed: `$$REMOVE`.
    pub fn remove() -> Self {
        Self::variable("REMOVE")
    }

    /// What `$redact` answers to keep a document without looking into it: `$$KEEP`.
    pub fn keep() -> Self {
        Self::variable("KEEP")
    }

    /// What `$redact` answers to leave a document out: `$$PRUNE`.
    pub fn prune() -> Self {
        Self::variable("PRUNE")
    }

    /// What `$redact` answers to keep a document and look into its embedded documents:
    /// `$$DESCEND`.
    pub fn descend() -> Self {
        Self::variable("DESCEND")
    }

    /// A variable by its name, without `$$`: one of a `let` of the action or of a lookup.
    ///
    /// A name is a letter in lower case, then letters, digits and `_`; another is an error that the
    /// action returns.
    pub fn var(name: &str) -> Self {
        Self::from_result(check_variable(name).map(|()| Bson::String(format!("$${name}"))))
    }

    /// Binds the value to a variable, and computes another with it: `$let`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Sale { #[serde(rename = "_id")] id: i32, price: i32, tax: i32 }
    /// let p = Sale::fields();
    /// let squared = (p.price() + p.tax()).let_in(|total| total.clone() * total);
    /// assert_eq!(
    ///     squared.to_string(),
    ///     concat!(
    ///         r#"{ "$let": { "vars": { "each": { "$add": ["$price", "$tax"] } }, "#,
    ///         r#""in": { "$multiply": ["$$each", "$$each"] } } }"#,
    ///     ),
    /// );
    /// ```
    pub fn let_in<E: IntoExpr<M>>(self, body: impl FnOnce(Self) -> E) -> Self {
        let scope = Scope::enter();
        let body = body(Self::variable(&scope.each())).into_expr().bson;
        let vars = self.bson.map(|value| doc! { scope.each(): value }.into());
        Self::from_result(named("$let", vec![("vars", vars), ("in", body)]))
    }

    pub(super) fn variable(name: &str) -> Self {
        Self::from_result(Ok(Bson::String(format!("$${name}"))))
    }
}

pub(crate) fn check_variable(name: &str) -> crate::Result<()> {
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match is_name {
        true => Ok(()),
        false => Err(crate::Error::invalid(format!(
            "{name:?} cannot be the name of a variable: it must begin with a letter in lower case \
             and hold only letters, digits and `_`"
        ))),
    }
}

/// The path to a variable that holds a `T`; its fields are paths, too.
pub(super) fn path<M: 'static, T: FieldType>(name: &str) -> T::Path<M, T, crate::path::Direct> {
    Path::new(Name::from(Cow::Owned(format!("${name}")))).into()
}

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static IN_REDUCE: Cell<bool> = const { Cell::new(false) };
}

/// The variables of one closure. Closures in closures get other names, so that the inner ones do
/// not hide the outer ones.
pub(super) struct Scope {
    depth: usize,
    in_reduce: bool,
}

impl Scope {
    pub(super) fn enter() -> Self {
        let (depth, in_reduce) = (DEPTH.get(), IN_REDUCE.get());
        DEPTH.set(depth + 1);
        Self { depth, in_reduce }
    }

    /// The scope of a `$reduce`, whose variables the server names.
    pub(super) fn reduce() -> Self {
        let scope = Self::enter();
        IN_REDUCE.set(true);
        scope
    }

    /// Whether the scope is in that of a `$reduce`.
    pub(super) fn is_in_reduce(&self) -> bool {
        self.in_reduce
    }

    /// The variable of an element, or a bound value.
    pub(super) fn each(&self) -> String {
        match self.depth {
            0 => "each".to_owned(),
            depth => format!("each{}", depth + 1),
        }
    }

    /// The variables of a `$reduce`: the value so far, and the element.
    pub(super) fn value_and_this(&self) -> (String, String) {
        match self.in_reduce {
            false => ("value".to_owned(), "this".to_owned()),
            true => (format!("value{}", self.depth + 1), format!("this{}", self.depth + 1)),
        }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        DEPTH.set(self.depth);
        IN_REDUCE.set(self.in_reduce);
    }
}
