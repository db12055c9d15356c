//! Declared indexes: what the derive says of them, and the form in which they are compared.

mod least;
mod spec;

use std::borrow::Cow;

use bson::{Bson, Document, doc};

pub(crate) use spec::Spec;

use crate::error::Result;
use crate::filter::Filter;
use crate::path::{Dated, FieldType, Path, Queryable};

/// One index that a model declares.
///
/// The derive builds it from `#[odm(index(...))]`; [`Database::plan`](crate::Database::plan)
/// compares it with what the server has.
///
/// Source: [indexes](https://www.mongodb.com/docs/manual/indexes/).
#[derive(Debug, Clone, Default)]
pub struct Index {
    keys: Document,
    /// For each key that may be absent: its path and the least value of its type, if it has one.
    nullable: Vec<(String, Option<Bson>)>,
    name: Option<&'static str>,
    unique: bool,
    sparse: bool,
    hidden: bool,
    partial: Option<Result<Document>>,
    /// The field that tells whether a document is deleted: those that are take no part.
    live: Option<&'static str>,
    expire_after: Option<i64>,
}

/// What the derive calls, in the order of the attribute.
#[doc(hidden)]
impl Index {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn key<M, C: FieldType, V: Queryable>(
        mut self,
        path: &Path<M, C, V>,
        direction: i32,
    ) -> Self {
        if C::NULLABLE || path.name.is_nullable() {
            self.nullable.push((path.as_str().to_owned(), least::value(C::INDEXED)));
        }
        self.keys.insert(path.as_str(), direction);
        self
    }

    #[must_use]
    pub fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    #[must_use]
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    #[must_use]
    pub fn sparse(mut self) -> Self {
        self.sparse = true;
        self
    }

    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    #[must_use]
    pub fn live(mut self, soft_delete: &'static str) -> Self {
        self.live = Some(soft_delete);
        self
    }

    #[must_use]
    pub fn partial<M>(mut self, filter: Filter<M>) -> Self {
        self.partial = Some(filter.into_document());
        self
    }

    /// Documents expire this many seconds after the date at the path, the index's only key.
    #[must_use]
    pub fn expire_after<M, C: Dated, V: Queryable>(
        mut self,
        _path: &Path<M, C, V>,
        seconds: i64,
    ) -> Self {
        self.expire_after = Some(seconds);
        self
    }
}

impl Index {
    /// The keys with their directions, in stored names.
    #[must_use]
    pub fn keys(&self) -> &Document {
        &self.keys
    }

    /// The paths whose values no two documents share, if the index is unique over all documents that
    /// have them.
    pub(crate) fn unique_key(&self) -> Option<impl Iterator<Item = &str>> {
        (self.unique && self.partial.is_none()).then(|| self.keys.keys().map(String::as_str))
    }

    /// The index as the server would list it.
    pub(crate) fn spec(&self) -> Result<Spec> {
        let mut options = Document::new();
        let mut flag = |name: &str, set: bool| {
            if set {
                options.insert(name, true);
            }
        };
        flag("unique", self.unique);
        // The server takes no index that is both sparse and partial.
        let sparse = self.sparse && self.live.is_none();
        flag("sparse", sparse);
        flag("hidden", self.hidden);
        if let Some(seconds) = self.expire_after {
            options.insert("expireAfterSeconds", seconds);
        }
        if let Some(filter) = self.partial_filter()? {
            options.insert("partialFilterExpression", filter);
        }
        let name = match self.name {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(spec::derived_name(&self.keys, &options)),
        };
        Ok(Spec::new(name.into_owned(), self.keys.clone(), options))
    }

    /// The declared partial filter, or the one that lets several documents lack a unique key: the
    /// server indexes null where there is no value, and takes a second one for a duplicate.
    fn partial_filter(&self) -> Result<Option<Document>> {
        let sparse_alone = self.sparse && self.live.is_none();
        if let Some(declared) = &self.partial {
            let filter = declared.clone()?;
            spec::check_partial(&filter)?;
            return Ok(Some(self.of_live(filter)));
        }
        if !self.unique || sparse_alone || self.nullable.is_empty() {
            return Ok(self.live.map(|_| self.of_live(Document::new())));
        }
        let mut filter = Document::new();
        for (path, least) in &self.nullable {
            let least = least.clone().ok_or_else(|| {
                crate::Error::invalid(
                    "a unique index on a field of this type that may be absent needs a `partial` \
                     filter of its own",
                )
                .with_path(path.clone())
            })?;
            filter.insert(path, doc! { "$gte": least });
        }
        Ok(Some(self.of_live(filter)))
    }

    /// The filter on documents that are not deleted. One that says itself which are meant stays.
    fn of_live(&self, mut filter: Document) -> Document {
        if let Some(field) = self.live
            && !filter.contains_key(field)
        {
            filter.insert(field, Bson::Null);
        }
        filter
    }
}
