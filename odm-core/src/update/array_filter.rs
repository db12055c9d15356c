//! Named array filters: which elements `$[identifier]` stands for.
//!
//! Source: [`$[<identifier>]`](https://www.mongodb.com/docs/manual/reference/operator/update/positional-filtered/).

use std::borrow::Cow;

use bson::{Bson, Document};

use crate::error::{Error, Result};
use crate::filter::{ElementRoot, Filter, matches_all};
use crate::path::{ArrayFilters, FieldType, List, Name, Path, Positional, Updatable};

impl<M: 'static, L, V> Path<M, L, V> {
    /// Every element that meets the condition: the filtered positional operator
    /// `$[identifier]`, with its definition in `arrayFilters`.
    ///
    /// The name is a lower-case letter followed by letters and digits. Within one update it may be
    /// used again with the same condition, and not with another one.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Embedded)]
    /// # struct Comment { who: String, likes: i32 }
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, comments: Vec<Comment>, scores: Vec<i32> }
    /// let p = Post::fields();
    /// let of_jane = p.comments().filtered("jane", |c| c.who().eq("jane"));
    /// assert_eq!(
    ///     of_jane.likes().inc(1).to_string(),
    ///     r#"{ "$inc": { "comments.$[jane].likes": 1 } }, array filters [{ "jane.who": "jane" }]"#,
    /// );
    /// let update = p.scores().filtered("high", |score| score.gt(100)).set(100);
    /// assert_eq!(
    ///     update.to_string(),
    ///     r#"{ "$set": { "scores.$[high]": 100 } }, array filters [{ "high": { "$gt": 100 } }]"#,
    /// );
    /// ```
    #[must_use]
    pub fn filtered<T>(
        &self,
        identifier: &str,
        condition: impl FnOnce(ElementRoot<L>) -> Filter<T>,
    ) -> T::Path<M, T, Positional>
    where
        T: FieldType,
        L: List<Element = T>,
        V: Updatable,
    {
        let condition = condition(element_root::<L>()).into_document();
        let condition = condition.and_then(|condition| named(identifier, condition));
        Path::new(self.name.filtered(identifier, condition)).into()
    }
}

/// What conditions on the elements of a list, and their order, start from.
pub(super) fn element_root<L: List>() -> ElementRoot<L> {
    Path::new(Name::from(Cow::Borrowed(""))).into()
}

/// Turns a condition on an element, built on an empty path, into one on the identifier.
fn named(identifier: &str, condition: Document) -> Result<Document> {
    if matches_all(&condition) {
        let message = format!(
            "the array filter `{identifier}` has no condition: for every element there is \
             `all_elements()`"
        );
        return Err(Error::invalid(message));
    }
    let mut filter = Document::new();
    for (path, condition) in condition {
        let (path, condition) = match (path.as_str(), condition) {
            ("", condition) => (identifier.to_owned(), condition),
            ("$and" | "$or" | "$nor", Bson::Array(parts)) => {
                let parts = parts.into_iter().map(|part| match part {
                    Bson::Document(part) => named(identifier, part).map(Bson::Document),
                    part => Ok(part),
                });
                (path, Bson::Array(parts.collect::<Result<_>>()?))
            }
            (operator, _) if operator.starts_with('$') => {
                return Err(Error::invalid(format!("an array filter takes no `{operator}`")));
            }
            (path, condition) => (format!("{identifier}.{path}"), condition),
        };
        filter.insert(path, condition);
    }
    Ok(filter)
}

/// Reads array filters that are given in the server's words.
pub(super) fn read(documents: impl IntoIterator<Item = Document>) -> Result<ArrayFilters> {
    let mut filters = ArrayFilters::default();
    for document in documents {
        let identifier = identifier_of(&document).ok_or_else(|| {
            Error::invalid("an array filter needs a condition on one identifier, as `{ elem: … }`")
        })?;
        if filters.identifiers().any(|there| there == identifier) {
            let message = format!("the array filter `{identifier}` is defined twice");
            return Err(Error::invalid(message));
        }
        filters.define(&identifier, document)?;
    }
    Ok(filters)
}

/// The one identifier that all paths of a condition begin with.
fn identifier_of(condition: &Document) -> Option<String> {
    let mut found = condition.iter().map(|(path, condition)| match condition {
        Bson::Array(parts) if path.starts_with('$') => {
            one_of(parts.iter().map(|part| identifier_of(part.as_document()?)))
        }
        _ => path.split('.').next().map(str::to_owned),
    });
    one_of(&mut found)
}

fn one_of(mut found: impl Iterator<Item = Option<String>>) -> Option<String> {
    let first = found.next()??;
    found.all(|other| other.as_ref() == Some(&first)).then_some(first)
}
