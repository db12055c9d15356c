// A newtype whose field is stored by a function, as another type than its own.

use chrono::{DateTime, Utc};
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct When(#[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")] DateTime<Utc>);

fn main() {}
