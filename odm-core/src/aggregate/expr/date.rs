//! Date operators. Each takes [`timezone`](Expr::timezone) after it; without one it works in UTC.
//!
//! Source: [date expression operators](https://www.mongodb.com/docs/manual/reference/operator/aggregation/#date-expression-operators).

use bson::{Bson, Document, doc};

use super::option::unit;
use super::{Expr, IntoExpr};
use crate::error::Result;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DateUnit {
    /// A year.
    Year,
    /// A quarter of a year.
    Quarter,
    /// A month.
    Month,
    /// A week.
    Week,
    /// A day.
    Day,
    /// An hour.
    Hour,
    /// A minute.
    Minute,
    /// A second.
    Second,
    /// A millisecond.
    Millisecond,
}

impl DateUnit {
    /// The name that the server knows it by.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::Week => "week",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Millisecond => "millisecond",
        }
    }
}

/// Methods for the parts of a date.
macro_rules! parts {
    ($($method:ident $operator:literal: $doc:literal;)+) => {
        impl<M> Expr<M> {$(
            #[doc = $doc]
            pub fn $method(self) -> Self {
                Self::named($operator, [("date", self.bson)])
            }
        )+}
    };
}

parts! {
    year "$year": "The year of a date: `$year`.";
    month "$month": "The month of a date, from 1: `$month`.";
    week "$week": "The week of the year of a date, from 0, weeks beginning on Sunday: `$week`.";
    day_of_year "$dayOfYear": "The day of the year of a date, from 1: `$dayOfYear`.";
    day_of_month "$dayOfMonth": "The day of the month of a date, from 1: `$dayOfMonth`.";
    day_of_week "$dayOfWeek": "The day of the week of a date, from 1 for Sunday to 7: `$dayOfWeek`.";
    hour "$hour": "The hour of a date: `$hour`.";
    minute "$minute": "The minute of a date: `$minute`.";
    second "$second": "The second of a date: `$second`.";
    millisecond "$millisecond": "The milliseconds of a date: `$millisecond`.";
    iso_week_year "$isoWeekYear": "The year that the week of a date belongs to, by ISO 8601: `$isoWeekYear`.";
    iso_week "$isoWeek": "The week of a date by ISO 8601, from 1: `$isoWeek`.";
    iso_day_of_week "$isoDayOfWeek": "The day of the week of a date by ISO 8601, from 1 for Monday: `$isoDayOfWeek`.";
    date_to_parts "$dateToParts": "A document of the parts of a date: `$dateToParts`.";
    date_to_string "$dateToString": "The date as text, in ISO 8601 unless [`format`](Expr::format) is set: `$dateToString`.";
}

impl<M> Expr<M> {
    /// The date, and some units more: `$dateAdd`.
    pub fn date_add(self, by: DateUnit, amount: impl IntoExpr<M>) -> Self {
        let amount = amount.into_expr().bson;
        Self::named("$dateAdd", [("startDate", self.bson), ("unit", unit(by)), ("amount", amount)])
    }

    /// The date, and some units less: `$dateSubtract`.
    pub fn date_subtract(self, by: DateUnit, amount: impl IntoExpr<M>) -> Self {
        let amount = amount.into_expr().bson;
        let arguments = [("startDate", self.bson), ("unit", unit(by)), ("amount", amount)];
        Self::named("$dateSubtract", arguments)
    }

    /// How many borders of the unit lie between this date and a later one: `$dateDiff`.
    pub fn date_diff(self, end: impl IntoExpr<M>, by: DateUnit) -> Self {
        let end = end.into_expr().bson;
        Self::named("$dateDiff", [("startDate", self.bson), ("endDate", end), ("unit", unit(by))])
    }

    /// The begin of the period that the date is in: `$dateTrunc`.
    ///
    /// ```
    /// # use odm::{DateUnit, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Sale { #[serde(rename = "_id")] id: i32, at: bson::DateTime }
    /// let quarter_hour = Sale::fields().at().expr().date_trunc(DateUnit::Minute).bin_size(15);
    /// assert_eq!(
    ///     quarter_hour.to_string(),
    ///     concat!(
    ///         r#"{ "$dateTrunc": { "date": "$at", "unit": { "$literal": "minute" }, "#,
    ///         r#""binSize": { "$literal": 15 } } }"#,
    ///     ),
    /// );
    /// ```
    pub fn date_trunc(self, to: DateUnit) -> Self {
        Self::named("$dateTrunc", [("date", self.bson), ("unit", unit(to))])
    }

    /// The date that a text says: `$dateFromString`. See [`format`](Self::format),
    /// [`on_error`](Self::on_error), [`on_null`](Self::on_null).
    pub fn date_from_string(self) -> Self {
        Self::named("$dateFromString", [("dateString", self.bson)])
    }

    /// The date that begins with these units; those not named are 1 or 0: `$dateFromParts`.
    ///
    /// A week as unit makes the year that of ISO 8601, and the day one of the week. A quarter is no
    /// part.
    ///
    /// ```
    /// # use odm::{DateUnit, Expr, prelude::*};
    /// # #[derive(serde::Serialize, serde::Deserialize, Document)]
    /// # struct Sale { #[serde(rename = "_id")] id: i32, year: i32, month: i32 }
    /// let p = Sale::fields();
    /// let begin = Expr::date_from_parts([(DateUnit::Year, p.year()), (DateUnit::Month, p.month())]);
    /// assert_eq!(
    ///     begin.to_string(),
    ///     r#"{ "$dateFromParts": { "year": "$year", "month": "$month" } }"#,
    /// );
    /// ```
    pub fn date_from_parts<E: IntoExpr<M>>(parts: impl IntoIterator<Item = (DateUnit, E)>) -> Self {
        let parts = parts.into_iter().map(|(unit, value)| (unit, value.into_expr().bson));
        Self::from_result(date_from_parts(parts.collect()))
    }

    /// The seconds of a timestamp: `$tsSecond`. From MongoDB 5.1.
    pub fn ts_second(self) -> Self {
        self.unary("$tsSecond")
    }

    /// The counter of a timestamp: `$tsIncrement`. From MongoDB 5.1.
    pub fn ts_increment(self) -> Self {
        self.unary("$tsIncrement")
    }
}

fn date_from_parts(parts: Vec<(DateUnit, Result<Bson>)>) -> Result<Bson> {
    let by_week = parts.iter().any(|(unit, _)| *unit == DateUnit::Week);
    let mut document = Document::new();
    for (unit, value) in parts {
        let name = match unit {
            DateUnit::Year if by_week => "isoWeekYear",
            DateUnit::Week => "isoWeek",
            DateUnit::Day if by_week => "isoDayOfWeek",
            unit => unit.as_str(),
        };
        document.insert(name, value?);
    }
    Ok(doc! { "$dateFromParts": document }.into())
}
