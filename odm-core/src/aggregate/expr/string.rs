//! String operators. `cp` counts code points, `bytes` the bytes of UTF-8.
//!
//! Source: [string expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#string-expression-operators).

use super::{Expr, IntoExpr};

impl<M> Expr<M> {
    /// This text and another behind it; null where one of them is: `$concat`.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct User { #[serde(rename = "_id")] id: i32, first: String, last: String }
    /// let p = User::fields();
    /// assert_eq!(
    ///     p.first().expr().concat(" ").concat(p.last()).to_string(),
    ///     r#"{ "$concat": ["$first", { "$literal": " " }, "$last"] }"#,
    /// );
    /// ```
    pub fn concat(self, other: impl IntoExpr<M>) -> Self {
        self.joined("$concat", other.into_expr().bson)
    }

    /// Where the other text begins in this one, in bytes from 0, or -1: `$indexOfBytes`.
    pub fn index_of_bytes(self, text: impl IntoExpr<M>) -> Self {
        self.with("$indexOfBytes", [text.into_expr().bson])
    }

    /// Where the other text begins in this one, in code points from 0, or -1: `$indexOfCP`.
    pub fn index_of_cp(self, text: impl IntoExpr<M>) -> Self {
        self.with("$indexOfCP", [text.into_expr().bson])
    }

    /// Without white space, or other [`chars`](Self::chars), at both ends: `$trim`.
    pub fn trim(self) -> Self {
        Self::named("$trim", [("input", self.bson)])
    }

    /// Without white space, or other [`chars`](Self::chars), at the begin: `$ltrim`.
    pub fn ltrim(self) -> Self {
        Self::named("$ltrim", [("input", self.bson)])
    }

    /// Without white space, or other [`chars`](Self::chars), at the end: `$rtrim`.
    pub fn rtrim(self) -> Self {
        Self::named("$rtrim", [("input", self.bson)])
    }

    /// The first match of a regular expression, as `{match, idx, captures}`, or null: `$regexFind`.
    ///
    /// The pattern is a [`bson::Regex`], with its options, or text.
    pub fn regex_find(self, regex: impl IntoExpr<M>) -> Self {
        self.regex("$regexFind", regex)
    }

    /// All matches of a regular expression: `$regexFindAll`.
    pub fn regex_find_all(self, regex: impl IntoExpr<M>) -> Self {
        self.regex("$regexFindAll", regex)
    }

    /// Whether a regular expression matches: `$regexMatch`.
    pub fn regex_match(self, regex: impl IntoExpr<M>) -> Self {
        self.regex("$regexMatch", regex)
    }

    fn regex(self, operator: &'static str, regex: impl IntoExpr<M>) -> Self {
        Self::named(operator, [("input", self.bson), ("regex", regex.into_expr().bson)])
    }

    /// The first place where the text stands, replaced: `$replaceOne`.
    pub fn replace_one(self, find: impl IntoExpr<M>, replacement: impl IntoExpr<M>) -> Self {
        self.replace("$replaceOne", find, replacement)
    }

    /// Every place where the text stands, replaced: `$replaceAll`.
    pub fn replace_all(self, find: impl IntoExpr<M>, replacement: impl IntoExpr<M>) -> Self {
        self.replace("$replaceAll", find, replacement)
    }

    fn replace(
        self,
        operator: &'static str,
        find: impl IntoExpr<M>,
        replacement: impl IntoExpr<M>,
    ) -> Self {
        let (find, replacement) = (find.into_expr().bson, replacement.into_expr().bson);
        let arguments = [("input", self.bson), ("find", find), ("replacement", replacement)];
        Self::named(operator, arguments)
    }

    /// The parts of the text between the delimiters, as an array: `$split`.
    pub fn split(self, delimiter: impl IntoExpr<M>) -> Self {
        self.with("$split", [delimiter.into_expr().bson])
    }

    /// The length in bytes of UTF-8: `$strLenBytes`.
    pub fn str_len_bytes(self) -> Self {
        self.unary("$strLenBytes")
    }

    /// The length in code points: `$strLenCP`.
    pub fn str_len_cp(self) -> Self {
        self.unary("$strLenCP")
    }

    /// -1, 0 or 1 by the order of two texts, ASCII letters of both cases being equal:
    /// `$strcasecmp`.
    pub fn strcasecmp(self, other: impl IntoExpr<M>) -> Self {
        self.with("$strcasecmp", [other.into_expr().bson])
    }

    /// The part that begins at a byte, and its length in bytes: `$substrBytes`.
    pub fn substr_bytes(self, start: impl IntoExpr<M>, length: impl IntoExpr<M>) -> Self {
        self.with("$substrBytes", [start.into_expr().bson, length.into_expr().bson])
    }

    /// The part that begins at a code point, and its length in code points: `$substrCP`.
    pub fn substr_cp(self, start: impl IntoExpr<M>, length: impl IntoExpr<M>) -> Self {
        self.with("$substrCP", [start.into_expr().bson, length.into_expr().bson])
    }

    /// With ASCII letters in lower case: `$toLower`.
    pub fn to_lower(self) -> Self {
        self.unary("$toLower")
    }

    /// With ASCII letters in upper case: `$toUpper`.
    pub fn to_upper(self) -> Self {
        self.unary("$toUpper")
    }
}
