//! Object operators, and documents made of expressions.
//!
//! Source: [object expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#object-expression-operators).

use bson::{Bson, Document};

use super::{Expr, IntoExpr, literal};
use crate::error::{Error, Result};

impl<M> Expr<M> {
    /// A document of the values of these expressions.
    ///
    /// A name that begins with `$` or holds a `.` is an error that the action returns.
    ///
    /// ```
    /// # use odm::{Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Book { #[serde(rename = "_id")] id: i32, title: String, author: String }
    /// let p = Book::fields();
    /// assert_eq!(
    ///     Expr::object([("name", p.title()), ("by", p.author())]).to_string(),
    ///     r#"{ "name": "$title", "by": "$author" }"#,
    /// );
    /// ```
    pub fn object<N: Into<String>, E: IntoExpr<M>>(
        fields: impl IntoIterator<Item = (N, E)>,
    ) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value.into_expr().bson));
        Self::from_result(object(fields.collect()))
    }

    /// The fields of both documents, those of the other where both have one: `$mergeObjects`. Null
    /// counts as an empty document.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # use std::collections::HashMap;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Page { #[serde(rename = "_id")] id: i32, old: HashMap<String, i32>, new: HashMap<String, i32> }
    /// let p = Page::fields();
    /// assert_eq!(
    ///     p.old().expr().merge_objects(p.new()).to_string(),
    ///     r#"{ "$mergeObjects": ["$old", "$new"] }"#,
    /// );
    /// ```
    pub fn merge_objects(self, other: impl IntoExpr<M>) -> Self {
        self.joined("$mergeObjects", other.into_expr().bson)
    }

    /// The array of `{k, v}` of a document's fields: `$objectToArray`.
    pub fn object_to_array(self) -> Self {
        self.unary("$objectToArray")
    }

    /// The document of an array of `{k, v}` or `[k, v]`: `$arrayToObject`.
    pub fn array_to_object(self) -> Self {
        self.unary("$arrayToObject")
    }

    /// A field of the document, whatever its name, `$` and `.` included: `$getField`.
    pub fn get_field(self, name: &str) -> Self {
        let name = Ok(literal(name.into()));
        Self::named("$getField", [("field", name), ("input", self.bson)])
    }

    /// The document with a field set, whatever its name: `$setField`.
    pub fn set_field(self, name: &str, value: impl IntoExpr<M>) -> Self {
        let (name, value) = (Ok(literal(name.into())), value.into_expr().bson);
        Self::named("$setField", [("field", name), ("input", self.bson), ("value", value)])
    }

    /// The document without a field, whatever its name: `$unsetField`.
    pub fn unset_field(self, name: &str) -> Self {
        let name = Ok(literal(name.into()));
        Self::named("$unsetField", [("field", name), ("input", self.bson)])
    }
}

fn object(fields: Vec<(String, Result<Bson>)>) -> Result<Bson> {
    let mut document = Document::new();
    for (name, value) in fields {
        if name.is_empty() || name.starts_with('$') || name.contains(['.', '\0']) {
            let message = format!(
                "a document made of expressions cannot have the field {name:?}: use `set_field`"
            );
            return Err(Error::invalid(message));
        }
        document.insert(name, value?);
    }
    // An empty document is no expression, but a value.
    Ok(match document.is_empty() {
        true => literal(document.into()),
        false => document.into(),
    })
}
