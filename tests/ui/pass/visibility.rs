// Models of every visibility, in modules.

#![deny(warnings, missing_docs)]
//! A crate of modules.

mod model {
    use odm::prelude::*;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, Document)]
    pub(crate) struct Post {
        #[serde(rename = "_id")]
        pub(crate) id: i32,
        pub(super) meta: inner::Meta,
    }

    pub(crate) mod inner {
        use odm::prelude::*;
        use serde::{Deserialize, Serialize};

        #[derive(Serialize, Deserialize, Embedded)]
        pub(in crate::model) struct Hidden {
            pub(super) text: String,
        }

        #[derive(Serialize, Deserialize, Embedded)]
        pub(crate) struct Meta {
            pub(in crate::model) hidden: Hidden,
        }
    }

    pub(crate) fn example() -> Post {
        let hidden = inner::Hidden { text: String::new() };
        assert!(hidden.text.is_empty());
        assert_eq!(inner::Hidden::fields().text().as_str(), "text");
        Post { id: 1, meta: inner::Meta { hidden } }
    }
}

fn main() {
    assert_eq!(model::example().id, 1);
    assert_eq!(model::Post::fields().meta().as_str(), "meta");
}
