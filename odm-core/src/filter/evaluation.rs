//! Evaluation operators: patterns, remainders, expressions, schemas and comments.
//!
//! `$text` is in [`TextSearch`](crate::filter::TextSearch). `$where` runs JavaScript on the server
//! and has no method: [`Filter::raw`] takes it.
//!
//! Source: [evaluation query operators](https://www.mongodb.com/docs/manual/reference/operator/query-evaluation/).

use bson::{Document, doc};

use super::array::within;
use super::{Filter, Pattern};
use crate::aggregate::IntoExpr;
use crate::error::Error;
use crate::path::{Integral, Path, Queryable, Text};

impl<M, C, V> Path<M, C, V> {
    /// The text matches the regular expression: `$regex`. Of a list, an element matches.
    ///
    /// The expression is written as it is: build none from input without [`Pattern::escape`]. Only
    /// an expression that begins with `^` and plain text narrows an index, and only without
    /// `ignore_case`. A collation has no part in it.
    ///
    /// Source: [`$regex`](https://www.mongodb.com/docs/manual/reference/operator/query/regex/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String, tags: Vec<String> }
    /// use odm::filter::Pattern;
    /// let p = Post::fields();
    /// let filter = p.title().regex("whal(e|ing)");
    /// assert_eq!(filter.to_string(), r#"{ "title": { "$regex": "whal(e|ing)" } }"#);
    /// let filter = p.tags().regex(Pattern::new("^whal").ignore_case());
    /// assert_eq!(filter.to_string(), r#"{ "tags": { "$regex": "^whal", "$options": "i" } }"#);
    /// ```
    pub fn regex(&self, pattern: impl Into<Pattern>) -> Filter<M>
    where
        C: Text,
        V: Queryable,
    {
        let condition = pattern.into().into_condition();
        Filter::condition(&self.name, within::<C>(&self.name, condition))
    }

    /// The text begins with this one, to the letter: `$regex` with an anchored prefix. Of a list,
    /// an element does.
    ///
    /// Whatever the text holds is no pattern. An index on the field is read only where it begins
    /// with the text.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Category { #[serde(rename = "_id")] id: i32, path: String }
    /// let filter = Category::fields().path().starts_with(",Books,C++,");
    /// assert_eq!(filter.to_string(), r#"{ "path": { "$regex": "^,Books,C\+\+," } }"#);
    /// ```
    pub fn starts_with(&self, text: impl AsRef<str>) -> Filter<M>
    where
        C: Text,
        V: Queryable,
    {
        self.regex(format!("^{}", Pattern::escape(text.as_ref())))
    }

    /// The text ends with this one, to the letter. Of a list, an element does. An index on the
    /// field is read from end to end.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: i32, email: String }
    /// let filter = User::fields().email().ends_with("@example.com");
    /// assert_eq!(filter.to_string(), r#"{ "email": { "$regex": "@example\.com\z" } }"#);
    /// ```
    pub fn ends_with(&self, text: impl AsRef<str>) -> Filter<M>
    where
        C: Text,
        V: Queryable,
    {
        // `$` would match before a line break at the end as well.
        self.regex(format!(r"{}\z", Pattern::escape(text.as_ref())))
    }

    /// This text is part of the text, to the letter. Of a list, of an element. An index on the
    /// field is read from end to end.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, title: String }
    /// let filter = Post::fields().title().contains_str("whale");
    /// assert_eq!(filter.to_string(), r#"{ "title": { "$regex": "whale" } }"#);
    /// ```
    pub fn contains_str(&self, text: impl AsRef<str>) -> Filter<M>
    where
        C: Text,
        V: Queryable,
    {
        self.regex(Pattern::escape(text.as_ref()))
    }

    /// The integer divided by `divisor` leaves `remainder`: `$mod`. Of a list, an element does.
    ///
    /// The remainder has the sign of the integer, as in Rust: -5 divided by 4 leaves -1. A divisor
    /// of 0 is refused by the action.
    ///
    /// Source: [`$mod`](https://www.mongodb.com/docs/manual/reference/operator/query/mod/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// let filter = Post::fields().votes().modulo(4, 0);
    /// assert_eq!(filter.to_string(), r#"{ "votes": { "$mod": [4, 0] } }"#);
    /// ```
    pub fn modulo(&self, divisor: i64, remainder: i64) -> Filter<M>
    where
        C: Integral,
        V: Queryable,
    {
        let condition = match divisor {
            0 => Err(Error::invalid("nothing can be divided by 0")),
            _ => Ok(doc! { "$mod": [divisor, remainder] }),
        };
        Filter::condition(&self.name, within::<C>(&self.name, condition))
    }
}

impl<M> Filter<M> {
    /// The expression is true: `$expr`, to compare fields with each other or with what is computed
    /// of them.
    ///
    /// It stands outside of `elem_match`. Where an expression compares a field with a value, write
    /// the condition as a filter: it can use more indexes, and compares within one type only.
    ///
    /// Source: [`$expr`](https://www.mongodb.com/docs/manual/reference/operator/query/expr/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Account { #[serde(rename = "_id")] id: i32, spent: i32, budget: i32 }
    /// let a = Account::fields();
    /// let filter = Filter::expr(a.spent().expr().gt(a.budget()));
    /// assert_eq!(filter.to_string(), r#"{ "$expr": { "$gt": ["$spent", "$budget"] } }"#);
    /// ```
    pub fn expr(expression: impl IntoExpr<M>) -> Self {
        let expression = expression.into_expr().into_bson();
        Self::from_result(expression.map(|expression| doc! { "$expr": expression }))
    }

    /// The document is valid by this JSON schema: `$jsonSchema`.
    ///
    /// The schema is written as it is: nothing in it is checked against the model.
    ///
    /// Source: [`$jsonSchema`](https://www.mongodb.com/docs/manual/reference/operator/query/jsonSchema/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32 }
    /// use odm::bson::doc;
    /// let old = !Filter::<Post>::json_schema(doc! { "required": ["author", "title"] });
    /// assert_eq!(
    ///     old.to_string(),
    ///     r#"{ "$nor": [{ "$jsonSchema": { "required": ["author", "title"] } }] }"#,
    /// );
    /// ```
    pub fn json_schema(schema: Document) -> Self {
        Self::from_result(Ok(doc! { "$jsonSchema": schema }))
    }

    /// The same filter with a comment, which stands in the server's log and profiler: `$comment`.
    ///
    /// Source: [`$comment`](https://www.mongodb.com/docs/manual/reference/operator/query/comment/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// let filter = Post::fields().votes().lt(0).comment("the nightly check");
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "votes": { "$lt": 0 }, "$comment": "the nightly check" }"#,
    /// );
    /// ```
    pub fn comment(self, comment: impl Into<String>) -> Self {
        Self::from_result(self.into_parts().map(|mut document| {
            document.insert("$comment", comment.into());
            document
        }))
    }
}
