// A tuple struct, which has no names to store.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post(i32, String);

#[derive(Serialize, Deserialize, Embedded)]
struct Point(f64, f64);

fn main() {}
