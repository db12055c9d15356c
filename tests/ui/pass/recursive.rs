// Types that hold themselves, and two that hold each other.

use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Document)]
#[odm(index(comments.replies.replies.who))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    comments: Vec<Comment>,
    tree: Tree,
    first: Ping,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
    replies: Vec<Comment>,
    parent: Option<Box<Comment>>,
}

#[derive(Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Tree {
    Leaf { value: i32 },
    Node { left: Box<Tree>, right: Box<Tree> },
}

#[derive(Serialize, Deserialize, Embedded)]
struct Ping {
    pong: Option<Box<Pong>>,
}

#[derive(Serialize, Deserialize, Embedded)]
struct Pong {
    ping: Vec<Ping>,
}

fn main() {
    let p = Post::fields();
    assert_eq!(p.comments().replies().parent().who().as_str(), "comments.replies.parent.who");
    assert_eq!(p.tree().node().left().leaf().value().as_str(), "tree.left.value");
    assert_eq!(p.first().pong().ping().pong().as_str(), "first.pong.ping.pong");
}
