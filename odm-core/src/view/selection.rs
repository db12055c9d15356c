//! The projection of a view, made field by field.

use std::any::TypeId;

use bson::{Bson, Document, doc};

use super::{Shows, ShowsCoded, View, ViewField};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::path::Path;

/// The fields that a view asks for, as a projection.
#[derive(Debug)]
pub struct Selection {
    /// The field whose own fields are added, with a dot; empty for those of the document.
    prefix: String,
    projection: Result<Document>,
    /// The views that are being added, outer before inner.
    open: Vec<TypeId>,
}

/// A field of the model, and what its type in the view asks for.
#[derive(Debug)]
pub struct Part {
    path: Result<String>,
    select: fn(&mut Selection) -> bool,
}

/// A field of the model that a view reads as an `F`. The derive calls it.
pub fn shown<F, M, C, V>(path: &Path<M, C, V>) -> Part
where
    F: ViewField,
    C: Shows<F::Of>,
{
    Part { path: path.name.checked().map(str::to_owned), select: F::select }
}

/// A field that is stored by functions of serde, in the model and in the view. The derive calls it.
pub fn shown_coded<F, M, C, V>(path: &Path<M, C, V>) -> Part
where
    C: ShowsCoded<F>,
{
    Part { path: path.name.checked().map(str::to_owned), select: |_| false }
}

impl Selection {
    pub(super) fn new() -> Self {
        Self { prefix: String::new(), projection: Ok(Document::new()), open: Vec::new() }
    }

    /// Adds a field that serde reads under this name.
    pub fn take(&mut self, name: &'static str, part: Part) {
        match part.path {
            Ok(path) if path == name => {
                let outer = self.prefix.len();
                self.prefix.push_str(name);
                self.prefix.push('.');
                let is_view = (part.select)(self);
                self.prefix.truncate(outer);
                if !is_view {
                    self.insert(name, Ok(Bson::Int32(1)));
                }
            }
            path => self.insert(name, path.map(|path| format!("${path}").into())),
        }
    }

    /// Adds a field that the server computes.
    pub fn compute(&mut self, name: &'static str, expression: Result<Bson>) {
        self.insert(name, expression.map_err(|error| error.with_path(name)));
    }

    /// Adds the fields of a view inside of this one. `false` where there are none to be named: a view
    /// that holds itself asks for the whole field.
    pub fn nested<V: View>(&mut self) -> bool {
        let view = TypeId::of::<V>();
        if self.open.contains(&view) {
            return false;
        }
        let before = self.projection.as_ref().map_or(0, Document::len);
        self.open.push(view);
        V::select(self);
        self.open.pop();
        self.projection.as_ref().map_or(0, Document::len) > before
    }

    fn insert(&mut self, name: &str, value: Result<Bson>) {
        let path = format!("{}{name}", self.prefix);
        match (&mut self.projection, value) {
            (Ok(projection), Ok(value)) => drop(projection.insert(path, value)),
            (Ok(_), Err(error)) => self.projection = Err(error),
            (Err(_), _) => {}
        }
    }

    pub(super) fn into_projection(self, model: &Model) -> Result<Document> {
        let mut projection = self.projection?;
        if let Some(version) = &model.version
            && projection.insert(version.field, 1).is_some()
        {
            let message = "a view has no field of this name: it holds the schema version";
            return Err(Error::invalid(message).with_path(version.field));
        }
        // Without a field to include, the server would send every field but `_id`.
        if projection.is_empty() {
            return Ok(doc! { "_id": 1 });
        }
        if !projection.contains_key("_id") {
            projection.insert("_id", 0);
        }
        Ok(projection)
    }
}
