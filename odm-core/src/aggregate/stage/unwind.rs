//! `$unwind`.

use bson::{Bson, doc};

use super::super::Pipeline;
use crate::error::Result;
use crate::path::{IntoPath, List, Queryable};

impl<M, D> Pipeline<M, D> {
    /// One document for each element of a list, with the element in place of the list: `$unwind`.
    /// Documents without elements are left out; see [`Unwind`] for those.
    ///
    /// The type stays, and so the path: from here on it means the element, in filters
    /// (`p.tags().contains("a")`), sorts and expressions. Before documents are read, another stage
    /// gives them a type in which it is one value; [`typed`](Self::typed) says it without a stage.
    ///
    /// Source: [`$unwind`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/unwind/).
    ///
    /// ```
    /// use odm::aggregate::Unwind;
    /// # use odm::{Pipeline, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String> }
    /// let tags = Post::fields().tags();
    /// assert_eq!(Pipeline::new().unwind(&tags).to_string(), r#"[{ "$unwind": "$tags" }]"#);
    ///
    /// let all = Unwind::of(tags).preserve_null_and_empty_arrays().include_array_index("at");
    /// assert_eq!(
    ///     Pipeline::new().unwind_with(all).to_string(),
    ///     concat!(
    ///         r#"[{ "$unwind": { "path": "$tags", "preserveNullAndEmptyArrays": true, "#,
    ///         r#""includeArrayIndex": "at" } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn unwind<P>(self, path: P) -> Self
    where
        P: IntoPath<D, Value: List, Via: Queryable>,
    {
        self.unwind_with(Unwind::of(path))
    }

    /// As [`unwind`](Self::unwind), with options: `$unwind`.
    pub fn unwind_with(self, unwind: Unwind<D>) -> Self {
        self.stage(unwind.argument.map(|argument| doc! { "$unwind": argument }))
    }
}

/// The list that [`Pipeline::unwind`] takes apart, and how.
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct Unwind<D> {
    argument: Result<Bson>,
    marker: std::marker::PhantomData<fn() -> D>,
}

impl<D> Unwind<D> {
    /// The list at a path.
    pub fn of<P>(path: P) -> Self
    where
        P: IntoPath<D, Value: List, Via: Queryable>,
    {
        let argument = path.into_path().expr().into_bson();
        Self { argument, marker: std::marker::PhantomData }
    }

    /// Keeps documents whose list is empty, null or missing, without the field.
    pub fn preserve_null_and_empty_arrays(self) -> Self {
        self.option("preserveNullAndEmptyArrays", true.into())
    }

    /// Gives a new field the position of the element, from 0; null where there is no array.
    pub fn include_array_index(self, field: impl Into<String>) -> Self {
        self.option("includeArrayIndex", Bson::String(field.into()))
    }

    fn option(mut self, name: &str, value: Bson) -> Self {
        self.argument = self.argument.map(|argument| {
            let mut arguments = match argument {
                Bson::Document(arguments) => arguments,
                path => doc! { "path": path },
            };
            arguments.insert(name, value);
            arguments.into()
        });
        self
    }
}
