// An embedded struct without fields, and an enum without variants that hold any.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    settings: Settings,
    state: State,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Settings {}

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum State {
    Open,
}

fn main() {
    assert_eq!(Post::fields().settings().as_str(), "settings");
    assert_eq!(Post::fields().state().kind().as_str(), "state.kind");
}
