//! The least value of each BSON type in the server's order.
//!
//! `{$gte: least}` matches every value of the type and nothing else, the server takes it in partial
//! filters, and a query by equality implies it, so that it uses the index.

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Timestamp, doc};

use crate::model::Kind;

/// The least value of a type; `None` where the type is not known or has no such value.
///
/// All numbers are one type to `$gte`; NaN, which is below them, would match itself alone.
pub(super) fn value(kind: Kind) -> Option<Bson> {
    Some(match kind {
        Kind::Int | Kind::Long | Kind::Double | Kind::Decimal => Bson::Double(f64::NEG_INFINITY),
        Kind::String => Bson::String(String::new()),
        Kind::Document => doc! {}.into(),
        Kind::Binary => Binary { subtype: BinarySubtype::Generic, bytes: Vec::new() }.into(),
        Kind::ObjectId => Bson::ObjectId(ObjectId::from_bytes([0; 12])),
        Kind::Bool => Bson::Boolean(false),
        Kind::Date => Bson::DateTime(DateTime::MIN),
        Kind::Timestamp => Bson::Timestamp(Timestamp { time: 0, increment: 0 }),
        Kind::Array | Kind::Regex | Kind::JavaScript | Kind::MinKey | Kind::MaxKey | Kind::Any => {
            return None;
        }
    })
}
