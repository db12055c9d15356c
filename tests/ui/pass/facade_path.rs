// The library under another name, through a module that re-exports it.

mod renamed {
    pub mod library {
        pub use ::odm::*;
    }
}

// What generated code must not name.
mod odm {}

use renamed::library::{Document, Embedded};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(crate = "renamed::library", index(address.city))]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    address: Address,
    status: Status,
}

#[derive(Serialize, Deserialize, Embedded)]
#[odm(crate = "crate::renamed::library")]
struct Address {
    city: String,
}

#[derive(Serialize, Deserialize, Embedded)]
#[odm(crate = "renamed::library")]
enum Status {
    Active,
}

fn main() {
    assert_eq!(User::fields().address().city().as_str(), "address.city");
}
