// Types that serde can store but nothing is known of.

use odm::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    length: Duration,
    point: (i32, i32),
    mask: Option<u128>,
}

fn main() {}
