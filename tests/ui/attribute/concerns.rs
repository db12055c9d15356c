use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Document)]
#[odm(read_concern = "majorty", write_concern = 0, read_preference = "primary_preferred")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
}

fn main() {}
