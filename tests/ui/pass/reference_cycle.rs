// Models that refer to each other and to themselves, in every container.
use odm::Ref;
use odm::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct User {
    #[serde(rename = "_id")]
    id: String,
    boss: Option<Box<Ref<User>>>,
    posts: Vec<Ref<Post>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Line {
    by: Ref<User>,
    answers: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
#[serde(tag = "kind")]
enum Event {
    Said(Line),
    Moved { to: Option<Ref<Post>> },
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    author: Ref<User>,
    #[serde(flatten)]
    line: Line,
    events: Vec<Event>,
    by_name: std::collections::HashMap<String, Ref<User>>,
}

fn lookups(posts: Collection<Post>) {
    let (p, u) = (Post::fields(), User::fields());
    let _ = posts
        .find(Filter::new())
        .lookup(p.author().lookup(u.posts().lookup(p.author())))
        .lookup(p.line().by())
        .lookup(p.line().answers().by().lookup(u.boss()))
        .lookup(p.events().said().by())
        .lookup(p.events().moved().to())
        .lookup(p.by_name().key("editor"));
}

fn main() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Post>();
    let _ = lookups;
}
