//! Options of operators, said after the operator: `.date_trunc(DateUnit::Hour).timezone("CET")`.

use bson::Bson;

use super::{DateUnit, Expr, IntoExpr, literal};
use crate::error::{Error, Result};

/// The operators that take each option.
const TIMEZONE: &[&str] = &[
    "$dateAdd",
    "$dateDiff",
    "$dateFromParts",
    "$dateFromString",
    "$dateSubtract",
    "$dateToParts",
    "$dateToString",
    "$dateTrunc",
    "$dayOfMonth",
    "$dayOfWeek",
    "$dayOfYear",
    "$hour",
    "$isoDayOfWeek",
    "$isoWeek",
    "$isoWeekYear",
    "$millisecond",
    "$minute",
    "$month",
    "$second",
    "$week",
    "$year",
];

impl<M> Expr<M> {
    /// The time zone in which the date operator before it works, as an Olson name
    /// (`"Europe/Berlin"`) or an offset from UTC (`"+05:30"`). UTC unless set.
    ///
    /// ```
    /// # use odm::prelude::*;
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, when: bson::DateTime }
    /// let hour = Post::fields().when().expr().hour().timezone("Europe/Berlin");
    /// assert_eq!(
    ///     hour.to_string(),
    ///     r#"{ "$hour": { "date": "$when", "timezone": { "$literal": "Europe/Berlin" } } }"#,
    /// );
    /// ```
    pub fn timezone(self, timezone: impl IntoExpr<M>) -> Self {
        self.option("timezone", TIMEZONE, timezone.into_expr().bson)
    }

    /// How many units a period of [`date_trunc`](Self::date_trunc) has; 1 unless set.
    pub fn bin_size(self, size: impl IntoExpr<M>) -> Self {
        self.option("binSize", &["$dateTrunc"], size.into_expr().bson)
    }

    /// The day that weeks begin with, in English, for [`date_trunc`](Self::date_trunc) and
    /// [`date_diff`](Self::date_diff) by weeks; Sunday unless set.
    pub fn start_of_week(self, day: impl IntoExpr<M>) -> Self {
        self.option("startOfWeek", &["$dateDiff", "$dateTrunc"], day.into_expr().bson)
    }

    /// The form of the text, of [`date_to_string`](Self::date_to_string) or
    /// [`date_from_string`](Self::date_from_string), such as `"%Y-%m-%d"`.
    pub fn format(self, format: impl IntoExpr<M>) -> Self {
        self.option("format", &["$dateFromString", "$dateToString"], format.into_expr().bson)
    }

    /// The value where the input of a conversion is null or missing; null unless set.
    pub fn on_null(self, value: impl IntoExpr<M>) -> Self {
        const ON_NULL: &[&str] = &["$convert", "$dateFromString", "$dateToString"];
        self.option("onNull", ON_NULL, value.into_expr().bson)
    }

    /// The value where a conversion fails; an error of the server unless set.
    pub fn on_error(self, value: impl IntoExpr<M>) -> Self {
        self.option("onError", &["$convert", "$dateFromString"], value.into_expr().bson)
    }

    /// The characters that [`trim`](Self::trim), [`ltrim`](Self::ltrim) or [`rtrim`](Self::rtrim)
    /// takes away; white space and null characters unless set.
    pub fn chars(self, chars: impl IntoExpr<M>) -> Self {
        self.option("chars", &["$ltrim", "$rtrim", "$trim"], chars.into_expr().bson)
    }

    /// The most elements that the filter of an array keeps. From MongoDB 5.2.
    pub fn limit(self, limit: impl IntoExpr<M>) -> Self {
        self.option("limit", &["$filter"], limit.into_expr().bson)
    }

    /// What stands in for the elements that shorter arrays of [`zip`](Self::zip) lack, one for each
    /// array; without it the result is as long as the shortest.
    pub fn defaults<E: IntoExpr<M>>(self, defaults: impl IntoIterator<Item = E>) -> Self {
        self.option("useLongestLength", &["$zip"], Ok(Bson::Boolean(true))).option(
            "defaults",
            &["$zip"],
            Self::array(defaults).bson,
        )
    }

    /// Adds an argument to the operator that was applied last, which must be one that takes it.
    fn option(self, name: &'static str, operators: &[&str], value: Result<Bson>) -> Self {
        Self::from_result(self.bson.and_then(|expression| set(expression, name, operators, value)))
    }
}

fn set(mut expression: Bson, name: &str, operators: &[&str], value: Result<Bson>) -> Result<Bson> {
    let arguments = expression.as_document_mut().and_then(|document| {
        let mut entries = document.iter_mut();
        let (operator, arguments) = entries.next()?;
        operators.contains(&operator.as_str()).then_some(arguments)?.as_document_mut()
    });
    match arguments {
        Some(arguments) => drop(arguments.insert(name, value?)),
        None => {
            let operators = operators.join(", ");
            return Err(Error::invalid(format!(
                "`{name}` is said right after the operator that it is for, one of {operators}"
            )));
        }
    }
    Ok(expression)
}

/// A unit as the operators take it.
pub(super) fn unit(unit: DateUnit) -> Result<Bson> {
    Ok(literal(unit.as_str().into()))
}
