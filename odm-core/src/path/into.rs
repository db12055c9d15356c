//! What may be passed where a path is expected: a path, or the derive's with its nested fields.

use super::Path;

/// A path in the documents of model `M`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a path in documents of this type",
    label = "expected a path",
    note = "paths come from `fields()` of the type that the documents have at this stage"
)]
pub trait IntoPath<M> {
    /// The declared type of what lies at the path.
    type Value;
    /// How the path goes through arrays.
    type Via;

    /// The path itself.
    fn into_path(self) -> Path<M, Self::Value, Self::Via>;
}

impl<M, C, V> IntoPath<M> for Path<M, C, V> {
    type Value = C;
    type Via = V;

    fn into_path(self) -> Self {
        self
    }
}

impl<M, C, V> IntoPath<M> for &Path<M, C, V> {
    type Value = C;
    type Via = V;

    fn into_path(self) -> Path<M, C, V> {
        self.clone()
    }
}
