//! Regular expressions for filters.

use bson::{Document, doc};

use crate::error::{Error, Result};

/// A Perl compatible regular expression with its options, for
/// [`Path::regex`](crate::path::Path::regex).
///
/// A string and a `bson::Regex` can stand for one. The server compiles the expression: it answers
/// one that is malformed with an error.
///
/// Source: [`$regex`](https://www.mongodb.com/docs/manual/reference/operator/query/regex/).
///
/// ```
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32, title: String }
/// use odm::filter::Pattern;
/// let filter = Post::fields().title().regex(Pattern::new("^moby").ignore_case());
/// assert_eq!(filter.to_string(), r#"{ "title": { "$regex": "^moby", "$options": "i" } }"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a pattern does nothing until a filter takes it"]
pub struct Pattern {
    expression: String,
    options: String,
}

impl Pattern {
    /// The expression as it is, without options.
    pub fn new(expression: impl Into<String>) -> Self {
        Self { expression: expression.into(), options: String::new() }
    }

    /// Upper and lower case are the same: option `i`. An index is then read from end to end.
    pub fn ignore_case(self) -> Self {
        self.option('i')
    }

    /// `^` and `$` match at each line, not only at the ends of the text: option `m`.
    pub fn multi_line(self) -> Self {
        self.option('m')
    }

    /// `.` matches the end of a line too: option `s`.
    pub fn dot_all(self) -> Self {
        self.option('s')
    }

    /// White space and comments, from `#` to the end of the line, are left out of the expression:
    /// option `x`. The server wants the last comment to end with a line break.
    pub fn extended(self) -> Self {
        self.option('x')
    }

    /// The text as an expression that matches it and nothing else, to build expressions from
    /// input.
    ///
    /// ```
    /// use odm::filter::Pattern;
    /// assert_eq!(Pattern::escape("1.5 (new)"), r"1\.5 \(new\)");
    /// ```
    #[must_use]
    pub fn escape(text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                // The server takes no null character in an expression, but its number.
                '\0' => escaped.push_str(r"\x00"),
                '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^'
                | '$' | '#' => escaped.extend(['\\', c]),
                c => escaped.push(c),
            }
        }
        escaped
    }

    fn option(mut self, option: char) -> Self {
        if !self.options.contains(option) {
            self.options.push(option);
        }
        self
    }

    /// The condition that the pattern matches.
    pub(super) fn into_condition(self) -> Result<Document> {
        if self.expression.contains('\0') {
            let message = "a regular expression cannot hold a null character: write `\\x00`";
            return Err(Error::invalid(message));
        }
        if let Some(option) = self.options.chars().find(|option| !"imsxu".contains(*option)) {
            let message = format!(
                "the server knows no option `{option}` of regular expressions, only `i`, `m`, \
                 `s`, `x` and `u`"
            );
            return Err(Error::invalid(message));
        }
        let mut condition = doc! { "$regex": self.expression };
        if !self.options.is_empty() {
            condition.insert("$options", self.options);
        }
        Ok(condition)
    }
}

impl From<&str> for Pattern {
    fn from(expression: &str) -> Self {
        Self::new(expression)
    }
}

impl From<String> for Pattern {
    fn from(expression: String) -> Self {
        Self::new(expression)
    }
}

impl From<&String> for Pattern {
    fn from(expression: &String) -> Self {
        Self::new(expression.as_str())
    }
}

impl From<bson::Regex> for Pattern {
    fn from(regex: bson::Regex) -> Self {
        Self { expression: regex.pattern.to_string(), options: regex.options.to_string() }
    }
}
