//! A blog: users, and posts with tags, votes and comments.
//!
//! Run it with `cargo run --example blog`. It starts a MongoDB of its own, shows each step with its
//! result and round trips, and checks itself.

mod support;

use odm::Ref;
use odm::bson::{DateTime, doc};
use odm::prelude::*;
use odm_testkit::{Kit, TestResult};
use serde::{Deserialize, Serialize};

/// Someone who writes, comments and votes. The `_id` is the name they registered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: String,
    name: Name,
    karma: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Name {
    first: String,
    last: String,
}

/// A post as the first program stored it: without a version, and with its tags in one text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts")]
struct PostV1 {
    #[serde(rename = "_id")]
    id: i32,
    author: Ref<User>,
    title: String,
    when: DateTime,
    tags: String,
}

/// A post of today. Old ones are read as this, by the step below.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "posts", schema_version = 2, from = PostV1)]
#[odm(index(author, -when), index(comments.who))]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    /// Stored as the `_id` of the user.
    author: Ref<User>,
    title: String,
    when: DateTime,
    #[odm(index)]
    tags: Vec<String>,
    votes: i32,
    /// Who voted, each once.
    voters: Vec<String>,
    comments: Vec<Comment>,
}

impl From<PostV1> for Post {
    fn from(old: PostV1) -> Self {
        let tags = old.tags.split(' ').map(str::to_owned).collect();
        let PostV1 { id, author, title, when, .. } = old;
        Self { id, author, title, when, tags, votes: 0, voters: vec![], comments: vec![] }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Embedded)]
struct Comment {
    who: String,
    comment: String,
}

/// What a list of posts shows.
#[derive(Debug, Clone, PartialEq, Deserialize, View)]
#[odm(of = Post)]
struct Title {
    title: String,
}

fn main() -> TestResult {
    odm_testkit::run(blog)
}

async fn blog(kit: Kit) -> TestResult {
    let db = Database::from(kit.database());
    let (users, posts) = (db.collection::<User>(), db.collection::<Post>());
    let p = Post::fields();
    let mut steps = support::Steps::new(&kit);

    let models = odm::models![User, Post];
    let plan = steps.step("Plan the indexes", db.plan(models)).await?;
    print!("{plan}");
    steps.check("three indexes are missing", plan.steps().len(), 3)?;
    let applied = steps.step("Apply the plan", plan.apply()).await?;
    steps.check("they were created", applied.created.len(), 3)?;
    let again = steps.step("Plan again", db.plan(models)).await?;
    steps.check("nothing is left to apply", again.is_empty(), true)?;

    steps
        .step("Register two users", users.insert_many([user("alex", "Alex"), user("jane", "Jane")]))
        .await?;
    let taken =
        steps.step("Register a name that is taken", users.insert_one(user("alex", "Alexis")));
    let taken = taken.await.err();
    println!("    {}", taken.as_ref().map_or_else(String::new, ToString::to_string));
    let index = taken.as_ref().and_then(odm::Error::duplicate_key).map(|key| key.index.as_str());
    steps.check("the index that refused it is named", index, Some("_id_"))?;
    let alex = steps.step("Get a user", users.get("alex")).await?;
    steps.check("it is the first one", alex, Some(user("alex", "Alex")))?;

    let written = [
        post(1, "alex", "Too big to fail", &["business", "ramblings"], &["jane", "joe"]),
        post(2, "alex", "On whaling", &["whaling"], &["joe"]),
        post(3, "jane", "Small is fine", &["business"], &[]),
    ];
    let inserted = steps.step("Write three posts", posts.insert_many(&written)).await?;
    steps.check("all were inserted", inserted.inserted_ids.len(), 3)?;

    let by_author = posts.find(p.author().eq("alex")).sort(p.when().desc());
    let by_author = steps.step("Posts by author, latest first", by_author).await?;
    steps.check(
        "both posts of alex, as written",
        by_author,
        [written[1].clone(), written[0].clone()],
    )?;
    let by_tag = posts.find(p.tags().contains("business")).sort(p.id().asc());
    let by_tag = steps.step("Posts by tag", by_tag).await?;
    steps.check("two have the tag", ids(&by_tag), [1, 3])?;
    let by_commenter = posts.find(p.comments().who().eq("joe")).sort(p.id().asc());
    let by_commenter = steps.step("Posts by commenter", by_commenter).await?;
    steps.check("joe commented on two", ids(&by_commenter), [1, 2])?;
    let titles = posts.find(Filter::new()).sort(p.id().asc()).project::<Title>();
    let titles = steps.step("Titles only", titles).await?;
    let titles: Vec<_> = titles.iter().map(|title| title.title.as_str()).collect();
    steps.check("three titles", titles, ["Too big to fail", "On whaling", "Small is fine"])?;

    // The condition and the change are one atomic step, so nobody votes twice.
    let vote = || {
        posts.update_one(
            p.id().eq(1) & !p.voters().contains("calvin"),
            p.votes().inc(1) + p.voters().push("calvin"),
        )
    };
    let voted = steps.step("calvin votes", vote()).await?;
    steps.check("the vote counts", voted.modified_count, 1)?;
    let voted = steps.step("calvin votes again", vote()).await?;
    steps.check("the second changes nothing", voted.modified_count, 0)?;
    let post = steps.step("Get the post", posts.get(1)).await?;
    let counted = post.map(|post| (post.votes, post.voters));
    steps.check("one vote, one voter", counted, Some((1, vec!["calvin".to_owned()])))?;

    let comment = Comment { who: "jane".into(), comment: "Agreed".into() };
    let commented = posts.update_one(p.id().eq(1), p.comments().push(comment));
    steps.step("jane comments", commented).await?;
    let commented =
        steps.step("Has jane commented?", posts.exists(p.comments().who().eq("jane"))).await?;
    steps.check("she has", commented, true)?;
    let unread = steps
        .step("Count posts without comments", posts.count_documents(p.comments().size(0)))
        .await?;
    steps.check("one has none", unread, 1)?;

    let latest = posts.find_one(Filter::new()).sort(p.when().desc()).lookup(p.author());
    let latest = steps.step("Latest post with its author", latest).await?.ok_or("no post")?;
    steps.check("it is by jane", latest.author.id().as_str(), "jane")?;
    let author = latest.author.get().map(|author| author.name.first.as_str());
    steps.check("whose name came along", author, Some("Jane"))?;
    let with_authors = posts.find(p.tags().contains("business")).lookup(p.author());
    let with_authors = steps.step("Posts by tag with their authors", with_authors).await?;
    let loaded = with_authors.iter().filter(|post| post.author.is_loaded()).count();
    steps.check("every author is loaded", loaded, 2)?;

    // The first program left this one behind.
    let raw = posts.driver();
    let when = DateTime::from_millis(1_600_000_000_000);
    raw.insert_one(doc! {
        "_id": 0, "author": "gone", "title": "Hello", "when": when, "tags": "old times", "mood": "fine",
    })
    .await?;
    let old =
        steps.step("Get an old post", posts.get(0).lookup(p.author())).await?.ok_or("no post")?;
    steps.check("it reads like the others", old.tags, ["old", "times"])?;
    steps.check("its author has left", old.author.is_missing(), true)?;
    steps.check("and is still known by id", old.author.id().as_str(), "gone")?;
    let stored = raw.find_one(doc! { "_id": 0 }).await?.ok_or("no post")?;
    println!("    stored now: {stored}");
    steps.check("it was stored at version 2", stored.get_i32("schema_version")?, 2)?;
    steps.check("with its tags as a list", stored.get_array("tags")?.len(), 2)?;
    steps.check("what no struct knows is kept", stored.get_str("mood")?, "fine")?;
    steps.check("one document was migrated", posts.write_backs().written, 1)?;

    steps.finish("blog");
    Ok(())
}

fn user(id: &str, first: &str) -> User {
    let name = Name { first: first.to_owned(), last: "Smith".to_owned() };
    User { id: id.to_owned(), name, karma: 0 }
}

fn post(id: i32, author: &str, title: &str, tags: &[&str], commenters: &[&str]) -> Post {
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let comment = |&who: &&str| Comment { who: who.to_owned(), comment: "Well said".to_owned() };
    Post {
        id,
        author: Ref::new(author),
        title: title.to_owned(),
        when: DateTime::from_millis(1_700_000_000_000 + i64::from(id) * 60_000),
        tags: texts(tags),
        votes: 0,
        voters: Vec::new(),
        comments: commenters.iter().map(comment).collect(),
    }
}

fn ids(posts: &[Post]) -> Vec<i32> {
    posts.iter().map(|post| post.id).collect()
}
