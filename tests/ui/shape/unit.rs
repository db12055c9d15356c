// A struct without fields to name.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post;

#[derive(Serialize, Deserialize, Embedded)]
struct Nothing;

fn main() {}
