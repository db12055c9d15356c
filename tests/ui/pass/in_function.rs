// Models declared in the body of a function.

#![deny(warnings)]

fn main() {
    use odm::prelude::*;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, Document)]
    #[odm(index(comments.who))]
    struct Post {
        #[serde(rename = "_id")]
        id: i32,
        comments: Vec<Comment>,
    }

    #[derive(Serialize, Deserialize, Embedded)]
    struct Comment {
        who: String,
    }

    let post = Post { id: 1, comments: vec![Comment { who: "jane".into() }] };
    assert_eq!(post.id(), Some(&1));
    assert_eq!(Post::fields().comments().who().as_str(), "comments.who");
}
