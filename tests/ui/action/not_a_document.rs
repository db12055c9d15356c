// A collection of a type that does not derive `Document`.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Post {
    id: i32,
}

fn example(db: &Database) {
    let posts = db.collection::<Post>();
    let models = odm::models![Post];
}

fn main() {}
