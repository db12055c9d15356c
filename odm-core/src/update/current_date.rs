//! The server's clock as a value.

use bson::{Bson, DateTime, Timestamp, doc};

use super::Update;
use crate::path::{FieldType, Path, Updatable};

/// A field type that the server can set to the current time.
#[diagnostic::on_unimplemented(
    message = "the server's clock has no `{Self}`",
    label = "neither a date nor a timestamp",
    note = "declare the field as `bson::DateTime` or `bson::Timestamp`, or `set` it to the program's own time"
)]
pub trait CurrentDate: FieldType {
    /// The type as `$currentDate` takes it.
    #[doc(hidden)]
    const TYPE: &'static str;
}

#[diagnostic::do_not_recommend]
impl CurrentDate for DateTime {
    const TYPE: &'static str = "date";
}

#[diagnostic::do_not_recommend]
impl CurrentDate for Timestamp {
    const TYPE: &'static str = "timestamp";
}

#[diagnostic::do_not_recommend]
impl CurrentDate for Bson {
    const TYPE: &'static str = "date";
}

#[diagnostic::do_not_recommend]
impl<T: CurrentDate> CurrentDate for Option<T> {
    const TYPE: &'static str = T::TYPE;
}

impl<M, C, V> Path<M, C, V> {
    /// Sets the field to the server's current time, in the field's type: `$currentDate`.
    ///
    /// Source: [`$currentDate`](https://www.mongodb.com/docs/manual/reference/operator/update/currentDate/).
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, edited: Option<bson::DateTime> }
    /// let update = Post::fields().edited().current_date();
    /// assert_eq!(
    ///     update.to_string(),
    ///     r#"{ "$currentDate": { "edited": { "$type": "date" } } }"#,
    /// );
    /// ```
    pub fn current_date(&self) -> Update<M>
    where
        C: CurrentDate,
        V: Updatable,
    {
        Update::operator("$currentDate", &self.name, Ok(doc! { "$type": C::TYPE }.into()))
    }
}
