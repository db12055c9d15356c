// Two variants whose paths would have one name.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Target {
    BlogPost { title: String },
    Blog_Post { title: String },
}

#[derive(Serialize, Deserialize, Embedded)]
enum Status {
    Draft,
    #[serde(rename = "Draft")]
    Unfinished,
}

fn main() {}
