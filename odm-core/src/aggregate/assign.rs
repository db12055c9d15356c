//! What a stage gives to the fields of its output.

use std::marker::PhantomData;

use bson::{Bson, Document};

use super::{Accumulator, IntoExpr, Pipeline, WindowFn};
use crate::error::{Error, Result};
use crate::model::Shape;
use crate::path::{Direct, List, Path};

/// Field after field, of what stands in a stage, and the field that it goes to.
macro_rules! assignments {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        #[derive(Debug)]
        #[must_use = "it does nothing until a stage takes it"]
        pub struct $name<D, O> {
            pub(super) entry: Entry,
            marker: PhantomData<fn() -> (D, O)>,
        }

        impl<D, O> $name<D, O> {
            fn new<C>(path: &Path<O, C, Direct>, value: Result<Bson>) -> Self {
                let entry = path.name.checked().and_then(|name| {
                    value.map(|value| (name.to_owned(), value))
                });
                Self { entry, marker: PhantomData }
            }
        }
    )+};
}

/// A field and what it gets, or the error of either.
pub(super) type Entry = Result<(String, Bson)>;

assignments! {
    /// The value of a field of the output `O`, computed from a document of type `D`: made by
    /// [`Path::is`].
    Assigned;
    /// The value of a field of the output `O`, computed from a group of documents of type `D`: made
    /// by [`Path::accumulate`].
    Accumulated;
    /// The value of a field of the output `O`, computed from a window of documents of type `D`: made
    /// by [`Path::over`].
    Windowed;
    /// A list in the output `O`, filled by a pipeline of its own over documents of type `D`: made by
    /// [`Path::facet`].
    Faceted;
}

impl<O, C> Path<O, C> {
    /// Gives the field of an output the value of an expression, in the stages
    /// [`project`](Pipeline::project), [`add_fields`](Pipeline::add_fields) and
    /// [`set`](Pipeline::set).
    pub fn is<D>(&self, value: impl IntoExpr<D>) -> Assigned<D, O> {
        Assigned::new(self, value.into_expr().into_bson())
    }

    /// Gives the field of an output the value of an accumulator, in the stages
    /// [`group`](Pipeline::group), [`bucket`](Pipeline::bucket) and
    /// [`bucket_auto`](Pipeline::bucket_auto).
    pub fn accumulate<D>(&self, accumulator: Accumulator<D>) -> Accumulated<D, O> {
        Accumulated::new(self, accumulator.into_document().map(Bson::Document))
    }

    /// Gives the field of an output the value of a window function, in the stage
    /// [`set_window_fields`](Pipeline::set_window_fields).
    pub fn over<D>(&self, function: impl Into<WindowFn<D>>) -> Windowed<D, O> {
        Windowed::new(self, function.into().into_document().map(Bson::Document))
    }

    /// Fills the list with the documents of a pipeline, in the stage [`facet`](Pipeline::facet).
    pub fn facet<D, E>(&self, pipeline: Pipeline<D, E>) -> Faceted<D, O>
    where
        C: List<Element = E>,
    {
        Faceted::new(self, super::order::inner("$facet", pipeline.into_stages()))
    }
}

/// The entries as one document.
pub(super) fn document(entries: impl Iterator<Item = Entry>) -> Result<Document> {
    let mut document = Document::new();
    for entry in entries {
        let (name, value) = entry?;
        if document.contains_key(&name) {
            return Err(Error::invalid("the field is given two values").with_path(name));
        }
        document.insert(name, value);
    }
    Ok(document)
}

/// The entries, whose names must be those of fields, and not of fields within fields.
pub(super) fn flat(entries: impl Iterator<Item = Entry>) -> Result<Document> {
    let document = document(entries)?;
    match document.keys().find(|name| name.contains('.')) {
        Some(name) => {
            let message = "the stage gives values to whole fields: use an embedded document's own";
            Err(Error::invalid(message).with_path(name.clone()))
        }
        None => Ok(document),
    }
}

/// Checks that each field that `output` needs is provided.
pub(super) fn check_provided(output: &Shape, is_provided: impl Fn(&str) -> bool) -> Result<()> {
    if !output.variants.is_empty() {
        return Ok(());
    }
    for field in output.all_fields() {
        let mut names = std::iter::once(&field.name).chain(field.aliases);
        if !field.optional && !field.skippable && !names.any(|name| is_provided(name)) {
            let message = format!(
                "nothing gives `{}` this field: assign it, or declare it as an `Option`",
                output.name
            );
            return Err(Error::invalid(message).with_path(field.name));
        }
    }
    Ok(())
}

/// Whether a document has a field of this name, or one inside of it.
pub(super) fn has_field(document: &Document, name: &str) -> bool {
    document.keys().any(|key| key.split('.').next() == Some(name))
}
