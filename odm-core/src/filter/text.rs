//! Text search: `$text`.

use bson::{Bson, Document, doc};

use super::Filter;

/// What to look for in the collection's text index, for [`Filter::text`]. A string can stand for
/// one.
///
/// Source: [`$text`](https://www.mongodb.com/docs/manual/reference/operator/query/text/).
///
/// ```
/// # use odm::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize, Document)]
/// # struct Post { #[serde(rename = "_id")] id: i32 }
/// use odm::filter::TextSearch;
/// let search = TextSearch::new("café").language("fr").diacritic_sensitive(true);
/// assert_eq!(
///     Filter::<Post>::text(search).to_string(),
///     r#"{ "$text": { "$search": "café", "$language": "fr", "$diacriticSensitive": true } }"#,
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a search does nothing until a filter takes it"]
pub struct TextSearch(Document);

impl TextSearch {
    /// Any of the words, each of the `"quoted phrases"`, and none of the `-negated` words.
    pub fn new(search: impl Into<String>) -> Self {
        Self(doc! { "$search": search.into() })
    }

    /// The language by which words are stemmed and stop words left out, such as `"en"`; `"none"`
    /// takes each word as it is. If not given, that of the index.
    pub fn language(self, language: impl Into<String>) -> Self {
        self.with("$language", language.into())
    }

    /// Whether upper and lower case differ. They do not if not said.
    pub fn case_sensitive(self, is_sensitive: bool) -> Self {
        self.with("$caseSensitive", is_sensitive)
    }

    /// Whether `é` and `e` differ. They do not if not said.
    pub fn diacritic_sensitive(self, is_sensitive: bool) -> Self {
        self.with("$diacriticSensitive", is_sensitive)
    }

    fn with(mut self, option: &str, value: impl Into<Bson>) -> Self {
        self.0.insert(option, value);
        self
    }
}

impl From<&str> for TextSearch {
    fn from(search: &str) -> Self {
        Self::new(search)
    }
}

impl From<String> for TextSearch {
    fn from(search: String) -> Self {
        Self::new(search)
    }
}

impl From<&String> for TextSearch {
    fn from(search: &String) -> Self {
        Self::new(search.as_str())
    }
}

impl<M> Filter<M> {
    /// The words are in the fields of the collection's text index: `$text`.
    ///
    /// A filter holds it once, not below `!` or in `Filter::nor`, and not beside
    /// [`near`](crate::path::Path::near): the action refuses it. In `|` the server wants an index for each other
    /// side.
    ///
    /// Source: [`$text`](https://www.mongodb.com/docs/manual/reference/operator/query/text/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, votes: i32 }
    /// let filter = Filter::text("whale -sperm") & Post::fields().votes().gt(3);
    /// assert_eq!(
    ///     filter.to_string(),
    ///     r#"{ "$text": { "$search": "whale -sperm" }, "votes": { "$gt": 3 } }"#,
    /// );
    /// ```
    pub fn text(search: impl Into<TextSearch>) -> Self {
        Self::from_result(Ok(doc! { "$text": search.into().0 }))
    }
}
