// A chrono date in an embedded type.

use chrono::{DateTime, Utc};
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
struct Comment {
    when: DateTime<Utc>,
}

fn main() {}
